import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import type { Behaviour, Received } from '../support/receiver.ts';
import { createEndpoint, endpointsPath, receiving } from './support.ts';

const CREATE = `mutation ($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) { endpoint { id url } secret }
}`;
const UPDATE = `mutation ($id: Int!, $input: UpdateWebhookEndpointInput!) {
  updateWebhookEndpoint(id: $id, input: $input) { id url }
}`;
const CREATE_TENANT = `mutation ($input: CreateTenantInput!) {
  createTenant(input: $input) { customerId verifyEndpoints }
}`;
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const challengeOf = ({ envelope }: Received): unknown => envelope.data.challenge;
const confirming: Behaviour = (request) => ({
  status: 200,
  body: JSON.stringify({ challenge: challengeOf(request) }),
});

const create = (tenant: TestTenant, url: string) =>
  app.request('POST', endpointsPath(tenant.customerId), { key: tenant.write, body: { url } });

const countOf = ({ customerId }: TestTenant) => app.models.Endpoint.countDocuments({ customerId });

describe('verification of the URL of an endpoint', () => {
  test('sends a signed challenge before the endpoint exists, and creates it when the receiver confirms', async () => {
    const tenant = await app.newTenant({ verifyEndpoints: true });
    let stored = -1;
    const receiver = await receiving(confirming);
    receiver.behave((request, index) => {
      void countOf(tenant).then((count) => {
        stored = count;
      });
      const answer = typeof confirming === 'function' ? confirming(request, index) : confirming;
      return typeof answer === 'object' ? { ...answer, delayMs: 100 } : answer;
    });
    const { status, body } = await create(tenant, receiver.url);
    expect(status).toBe(201);
    expect(stored).toBe(0);
    expect(receiver.received).toHaveLength(1);
    const [request] = await receiver.waitFor(1);
    if (!request) throw new Error('no challenge');
    expect(request.envelope).toEqual({
      event: 'endpoint.verification',
      data: {
        customerId: tenant.customerId,
        orgId: tenant.tenant.orgId,
        challenge: expect.stringMatching(/^[\w-]{43}$/),
      },
      ts: Number(request.headers['x-svc-timestamp']),
    });
    expect(request.headers['user-agent']).toBe('engagement-webhooks/1');
    expect(request.headers['webhook-id']).toEqual(expect.any(String));
    expect(receiver.verifies(request, String(body.secret), request.envelope.ts)).toBe(true);
  });

  test.each<[string, Behaviour, string]>([
    ['no body', { status: 200, body: '' }, 'another body'],
    ['another challenge', { status: 200, body: '{"challenge":"x"}' }, 'another body'],
    ['the body of the request', ({ body }) => ({ status: 200, body }), 'another body'],
    [
      'an error with the challenge',
      (request) => ({ status: 500, body: JSON.stringify({ challenge: challengeOf(request) }) }),
      'http_500',
    ],
    ['a redirect', { status: 307, headers: { location: '/' } }, 'http_307'],
    ['nothing within the timeout', 'hang', 'timeout'],
    ['a reset', 'reset', 'connection_reset'],
  ])(
    'is a 422 that says what to answer, and stores nothing, when the receiver answers with %s',
    async (_name, behaviour, reason) => {
      const tenant = await app.newTenant({ verifyEndpoints: true });
      const receiver = await receiving(behaviour);
      const { status, body } = await create(tenant, receiver.url);
      expect(status).toBe(422);
      expect(body).toMatchObject({
        error: {
          code: 'VALIDATION_FAILED',
          details: [{ path: 'url', message: expect.stringContaining(`(${reason})`) }],
        },
      });
      expect(JSON.stringify(body)).toContain('endpoint.verification');
      expect(receiver.received).toHaveLength(1);
      expect(await countOf(tenant)).toBe(0);
    },
  );

  test('applies to a change of the URL, signed with the secret of the endpoint, and to no other change', async () => {
    const tenant = await app.newTenant({ verifyEndpoints: true });
    const [first, second] = [await receiving(confirming), await receiving({ status: 200, body: 'ok' })];
    const endpoint = await createEndpoint(app, tenant, { url: first.url });
    const patch = (body: unknown, headers = {}) =>
      app.request('PATCH', endpoint.path, { key: tenant.write, body, headers });

    expect((await patch({ url: second.url })).status).toBe(422);
    expect((await app.request('GET', endpoint.path, { key: tenant.read })).body.url).toBe(first.url);
    expect((await patch({ url: second.url }, { 'if-match': '"9"' })).status).toBe(412);
    expect(second.received).toHaveLength(1);

    second.behave(confirming);
    expect((await patch({ url: second.url })).body.url).toBe(second.url);
    const request = second.received.at(-1);
    expect(request && second.verifies(request, endpoint.secret, request.envelope.ts)).toBe(true);

    for (const body of [{ url: second.url }, { description: 'CRM' }, { enabled: false }, { enabled: true }])
      expect((await patch(body)).status).toBe(200);
    expect(second.received).toHaveLength(2);
  });

  test('applies to GraphQL with the same errors', async () => {
    const tenant = await app.newTenant({ verifyEndpoints: true });
    const receiver = await receiving(confirming);
    const silent = await receiving();
    const created = await app.graphql(CREATE, { input: { url: receiver.url } }, tenant.write);
    const id = created.body.data?.createWebhookEndpoint?.endpoint?.id;
    expect(id).toEqual(expect.any(Number));
    const refusal = {
      errors: [{ extensions: { code: 'VALIDATION_FAILED', details: [{ path: 'input.url' }] } }],
    };
    const input = { url: silent.url };
    expect((await app.graphql(CREATE, { input }, tenant.write)).body).toMatchObject(refusal);
    expect((await app.graphql(UPDATE, { id, input }, tenant.write)).body).toMatchObject(refusal);
    expect(await countOf(tenant)).toBe(1);
  });

  test('sends at most ten challenges a minute for a customer', async () => {
    const tenant = await app.newTenant({ verifyEndpoints: true });
    const receiver = await receiving();
    app.clock.advance(60_000 - (app.clock.now().getTime() % 60_000) + 1_000);
    const statuses: number[] = [];
    for (let i = 0; i < 12; i += 1) statuses.push((await create(tenant, receiver.url)).status);
    expect(statuses).toEqual([...Array(10).fill(422), 429, 429]);
    expect(receiver.received).toHaveLength(10);
    const other = await app.newTenant({ verifyEndpoints: true });
    expect((await create(other, receiver.url)).status).toBe(422);
  });

  test('is off by default, an option of a customer, and shown with it', async () => {
    const receiver = await receiving();
    const tenant = await app.newTenant();
    const { id, path } = await createEndpoint(app, tenant, { url: receiver.url });
    expect(id).toEqual(expect.any(Number));
    const body = { url: `${receiver.url}/other` };
    expect((await app.request('PATCH', path, { key: tenant.write, body })).status).toBe(200);
    expect(receiver.received).toEqual([]);

    const names = { orgId: 'org_v', name: 'V' };
    for (const [customerId, verifyEndpoints] of [
      [90_001, true],
      [90_002, undefined],
    ] as const) {
      const input = { ...names, orgId: `org_v${customerId}`, customerId, verifyEndpoints };
      const { body: created } = await app.graphql(CREATE_TENANT, { input }, app.admin);
      expect(created).toEqual({
        data: { createTenant: { customerId, verifyEndpoints: verifyEndpoints ?? false } },
      });
    }
    const headers = { 'x-customer-id': '90001' };
    const refused = await app.graphql(CREATE, { input: { url: receiver.url } }, app.admin, headers);
    expect(refused.body).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] });
    expect(receiver.received).toHaveLength(1);
  });

  test('applies to every customer if the setting requires it', async () => {
    const strict = await startApp({ WEBHOOK_VERIFICATION: 'required' });
    try {
      const tenant = await strict.newTenant();
      const receiver = await receiving();
      const post = () =>
        strict.request('POST', endpointsPath(tenant.customerId), {
          key: tenant.write,
          body: { url: receiver.url },
        });
      expect((await post()).status).toBe(422);
      receiver.behave(confirming);
      expect((await post()).status).toBe(201);
    } finally {
      await strict.stop();
    }
  });
});
