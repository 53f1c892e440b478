import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { runCommand } from '../support/command.ts';
import { freshDatabase } from '../support/databases.ts';
import { appOfTest } from '../support/test-scoped.ts';
import { endpointsPath, listening, postConversion, type TestEndpoint } from './support.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const TOKEN = 'Bearer s3cret-token-value';
const HEADERS = { Authorization: TOKEN, 'X-Api-Key': 'k-123456789' };
const MASKED = { Authorization: '***', 'X-Api-Key': '***' };

const patch = (tenant: TestTenant, { path }: TestEndpoint, body: object) =>
  app.request('PATCH', path, { key: tenant.write, body });

describe('custom headers of an endpoint', () => {
  test('are sent with every delivery, beside the headers of the service', async () => {
    const { tenant, receiver } = await listening(app, 200, { headers: HEADERS });
    await postConversion(app, tenant);
    const [request] = await receiver.waitFor(1);
    expect(request?.headers).toMatchObject({
      authorization: TOKEN,
      'x-api-key': 'k-123456789',
      'content-type': 'application/json',
      'user-agent': 'engagement-webhooks/1',
      'webhook-signature': expect.stringMatching(/^v1,/),
    });
  });

  test('are masked in every answer of REST and GraphQL', async () => {
    const tenant = await app.newTenant();
    const created = await app.request('POST', endpointsPath(tenant.customerId), {
      key: tenant.write,
      body: { url: 'https://r.example.com', headers: HEADERS },
    });
    const id = Number(created.body.endpoint?.id);
    const path = `${endpointsPath(tenant.customerId)}/${id}`;
    const CREATE = `mutation ($input: CreateWebhookEndpointInput!) {
      createWebhookEndpoint(input: $input) { endpoint { headers } }
    }`;
    const READ =
      'query ($id: Int!) { webhookEndpoint(id: $id) { headers } webhookEndpoints { edges { node { headers } } } }';
    const answers = [
      created,
      await app.request('GET', path, { key: tenant.read }),
      await app.request('GET', endpointsPath(tenant.customerId), { key: tenant.read }),
      await app.request('PATCH', path, { key: tenant.write, body: { description: 'renamed' } }),
      await app.graphql(CREATE, { input: { url: 'https://r.example.com', headers: HEADERS } }, tenant.write),
      await app.graphql(READ, { id }, tenant.read),
    ];
    for (const { body } of answers) {
      const text = JSON.stringify(body);
      expect(text).toContain(JSON.stringify(MASKED));
      for (const value of Object.values(HEADERS)) expect(text).not.toContain(value);
    }
  });

  test('are replaced as a whole by PATCH; a masked value keeps the stored one', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200, { headers: HEADERS });
    const changed = await patch(tenant, endpoint, { headers: { 'x-api-key': '***', 'X-New': 'new' } });
    expect(changed.body.headers).toEqual({ 'x-api-key': '***', 'X-New': '***' });
    await postConversion(app, tenant);
    const [first] = await receiver.waitFor(1);
    expect(first?.headers).toMatchObject({ 'x-api-key': 'k-123456789', 'x-new': 'new' });
    expect(first?.headers).not.toHaveProperty('authorization');

    expect((await patch(tenant, endpoint, { description: 'kept' })).body.headers).toEqual(
      changed.body.headers,
    );
    expect((await patch(tenant, endpoint, { headers: null })).body.headers).toEqual({});
    await postConversion(app, tenant);
    const [, second] = await receiver.waitFor(2);
    expect(second?.headers).not.toHaveProperty('x-new');
  });

  test('with a masked value that stands for none are a 422, and nothing changes', async () => {
    const { tenant, endpoint } = await listening(app, 200, { headers: { 'X-Api-Key': 'k' } });
    const refused = await patch(tenant, endpoint, { headers: { 'X-Other': '***' } });
    expect([refused.status, refused.body.error?.details?.[0]?.path]).toEqual([422, 'headers.X-Other']);
    const creation = await app.request('POST', endpointsPath(tenant.customerId), {
      key: tenant.write,
      body: { url: 'https://r.example.com', headers: { 'X-Api-Key': '***' } },
    });
    expect(creation.status).toBe(422);
    const { body } = await app.request('GET', endpoint.path, { key: tenant.read });
    expect(body.headers).toEqual({ 'X-Api-Key': '***' });
  });

  const many = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`X-${i}`, 'v']));
  test.each<[string, unknown]>([
    ['a reserved name', { Host: 'other.example' }],
    ['a name that frames the request', { 'Transfer-Encoding': 'chunked' }],
    ['a content header', { 'content-length': '0' }],
    ['a connection header', { Connection: 'close' }],
    ['the user agent', { 'User-Agent': 'me' }],
    ['a header of Standard Webhooks', { 'Webhook-Signature': 'v1,x' }],
    ['a header of the service', { 'X-SVC-Anything': 'x' }],
    ['a name that is no token', { 'X Y': 'v' }],
    ['a name with a line break', { 'X-A\r\nHost': 'v' }],
    ['an empty name', { '': 'v' }],
    ['a value with a line break', { 'X-A': 'v\r\nHost: x' }],
    ['a value outside ASCII', { 'X-A': 'é' }],
    ['an empty value', { 'X-A': '' }],
    ['a value that is no text', { 'X-A': 5 }],
    ['a value that is too long', { 'X-A': 'v'.repeat(4_097) }],
    ['values that are too long together', { 'X-A': 'v'.repeat(4_000), 'X-B': 'v'.repeat(4_000) }],
    ['one name in two spellings', { 'X-A': 'v', 'x-a': 'w' }],
    ['more than ten', many],
    ['a list', ['X-A: v']],
    ['a text', 'X-A: v'],
  ])('with %s are a 422', async (_, headers) => {
    const tenant = await app.newTenant();
    const { status, body } = await app.request('POST', endpointsPath(tenant.customerId), {
      key: tenant.write,
      body: { url: 'https://r.example.com', headers },
    });
    expect(status).toBe(422);
    expect(String(body.error?.details?.[0]?.path)).toMatch(/^headers/);
    const input = { url: 'https://r.example.com', headers };
    const CREATE =
      'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { secret } }';
    const inGraphQL = await app.graphql(CREATE, { input }, tenant.write);
    expect(inGraphQL.body).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] });
  });

  test('name a reserved header in the path of the issue', async () => {
    const tenant = await app.newTenant();
    const { body } = await app.request('POST', endpointsPath(tenant.customerId), {
      key: tenant.write,
      body: { url: 'https://r.example.com', headers: { 'X-A': 'v', 'X-SVC-Signature': 'x' } },
    });
    expect(body.error?.details).toMatchObject([{ path: 'headers.X-SVC-Signature' }]);
  });

  test('with the name of a member of every object are headers like others', async () => {
    const headers = JSON.parse('{ "__proto__": "a", "constructor": "b" }') as object;
    const { tenant, endpoint, receiver } = await listening(app, 200, { headers });
    const { body } = await app.request('GET', endpoint.path, { key: tenant.read });
    expect(Object.entries(body.headers as object)).toEqual([
      ['__proto__', '***'],
      ['constructor', '***'],
    ]);
    await postConversion(app, tenant);
    const [request] = await receiver.waitFor(1);
    expect(request?.headers.constructor).toBe('b');
  });

  test('reset the failures of the endpoint, whose receiver may have refused it for them', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500);
    await postConversion(app, tenant);
    await receiver.waitFor(2);
    const before = await app.models.Endpoint.findOne({ id: endpoint.id }).lean();
    await patch(tenant, endpoint, { headers: HEADERS });
    const after = await app.models.Endpoint.findOne({ id: endpoint.id }).lean();
    expect(after?.targetToken).not.toBe(before?.targetToken);
    expect(after?.failures).toBe(0);
    // The same headers are no change.
    await patch(tenant, endpoint, { headers: MASKED });
    expect((await app.models.Endpoint.findOne({ id: endpoint.id }).lean())?.targetToken).toBe(
      after?.targetToken,
    );
  });

  test('of another tenant are not reachable', async () => {
    const { endpoint } = await listening(app, 200, { headers: HEADERS });
    const other = await app.newTenant();
    const path = `${endpointsPath(other.customerId)}/${endpoint.id}`;
    expect((await app.request('PATCH', path, { key: other.write, body: { headers: {} } })).status).toBe(404);
  });
});

test('values are encrypted at rest and re-encrypted by secrets rotate', async () => {
  const [older, newer] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const MONGODB_URI = freshDatabase();
  const before = await appOfTest({ MONGODB_URI, CONNECTOR_ENCRYPTION_KEY: older });
  const { tenant, endpoint, receiver } = await listening(before, 200, { headers: HEADERS });
  const stored = await before.models.Endpoint.findOne({ id: endpoint.id }).lean();
  for (const value of Object.values(HEADERS)) expect(JSON.stringify(stored)).not.toContain(value);
  await before.stop();
  const env = { MONGODB_URI, CONNECTOR_ENCRYPTION_KEY: `${newer},${older}` };
  const rotated = await runCommand(['secrets', 'rotate', '--json'], env);
  // With the keys of the audit logs, the customer's and the service's.
  expect(JSON.parse(rotated.stdout)).toMatchObject({ checked: 4, reencrypted: 4 });
  const after = await appOfTest({ MONGODB_URI, CONNECTOR_ENCRYPTION_KEY: newer });
  await postConversion(after, tenant);
  const [request] = await receiver.waitFor(1);
  expect(request?.headers).toMatchObject({ authorization: TOKEN });
});
