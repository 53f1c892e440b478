import { execFileSync } from 'node:child_process';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyWebhook } from '../../packages/client/src/index.ts';
import { verifyEd25519Signature, verifySignature } from '../../src/features/webhooks/signature/verify.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { HAS_PYTHON_CRYPTOGRAPHY } from '../support/python.ts';
import type { Received, Receiver } from '../support/receiver.ts';
import { createEndpoint, endpointsPath, listening, postConversion, type TestEndpoint } from './support.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const DAY_SECONDS = 86_400;

/** Rotates over REST; returns the new secret. */
async function rotate(tenant: TestTenant, { path }: TestEndpoint, overlapSeconds?: number): Promise<string> {
  const body = overlapSeconds === undefined ? undefined : { overlapSeconds };
  const answer = await app.request('POST', `${path}/rotate-secret`, { key: tenant.write, body });
  expect(answer.status).toBe(200);
  const { previousSecretExpiresAt } = answer.body;
  const expected = overlapSeconds
    ? new Date(app.clock.now().getTime() + overlapSeconds * 1000).toISOString()
    : null;
  if (expected === null) expect(previousSecretExpiresAt).toBeNull();
  else
    expect(Math.abs(Date.parse(String(previousSecretExpiresAt)) - Date.parse(expected))).toBeLessThan(5_000);
  return String(answer.body.secret);
}

/** Publishes an event and returns its delivery. */
async function deliver(tenant: TestTenant, receiver: Receiver): Promise<Received> {
  // The delivery may arrive before the response.
  const count = receiver.received.length + 1;
  await postConversion(app, tenant);
  return (await receiver.waitFor(count)).at(-1) as Received;
}

/** Whether a function of `docs/verify.py` accepts what it is called with. */
function pythonAccepts(name: string, ...args: unknown[]): boolean {
  const program = `
import json, sys
sys.path.insert(0, sys.argv[1])
import verify
print(getattr(verify, sys.argv[2])(*json.load(sys.stdin)).valid)`;
  const docs = new URL('../../docs', import.meta.url).pathname;
  const options = { input: JSON.stringify(args), encoding: 'utf8' } as const;
  return execFileSync('python3', ['-B', '-c', program, docs, name], options).trim() === 'True';
}

const TOLERANCE_SECONDS = 300;

const clientAccepts = (secret: string, { body }: Received, headers: Received['headers']): Promise<boolean> =>
  verifyWebhook({ payload: body, headers, secret, toleranceSeconds: Number.MAX_SAFE_INTEGER }).then(
    () => true,
    () => false,
  );

/** Whether each published verifier, and the standard library, accepts a delivery under a secret. */
async function verdicts(secret: string, request: Received): Promise<boolean[]> {
  const now = Number(request.headers['x-svc-timestamp']);
  const accepts = (verify: () => unknown): boolean => {
    try {
      verify();
      return true;
    } catch {
      return false;
    }
  };
  const { 'webhook-signature': _, ...svcOnly } = request.headers;
  const header = String(request.headers['x-svc-signature']);
  return [
    verifySignature({ secret, header, rawBody: request.body, now }).valid,
    pythonAccepts('verify_signature', secret, header, request.body, TOLERANCE_SECONDS, now),
    await clientAccepts(secret, request, request.headers),
    await clientAccepts(secret, request, svcOnly),
    // The library has a tolerance of its own, and the clock of the test is ahead.
    accepts(() => {
      const at = new Date(now * 1000);
      const expected = new Webhook(secret).sign(String(request.headers['webhook-id']), at, request.body);
      if (!String(request.headers['webhook-signature']).split(' ').includes(expected)) throw new Error();
    }),
  ];
}

const [ALL, NONE] = [Array(5).fill(true), Array(5).fill(false)];

/** Deliveries of an endpoint with Ed25519 before, during and after an overlap of its first key pair and its second. */
async function overlapOfKeyPairs(): Promise<{ publicKeys: string[]; deliveries: Received[] }> {
  const { tenant, endpoint, receiver } = await listening(app, 200, { signing: 'ed25519' });
  const publicKey = async () =>
    String((await app.request('GET', endpoint.path, { key: tenant.read })).body.publicKey);
  const first = await publicKey();
  const before = await deliver(tenant, receiver);
  await rotate(tenant, endpoint, DAY_SECONDS);
  const during = await deliver(tenant, receiver);
  app.clock.advance((DAY_SECONDS + 5) * 1000);
  const after = await deliver(tenant, receiver);
  return { publicKeys: [first, await publicKey()], deliveries: [before, during, after] };
}

type Accepts = (publicKey: string, delivery: Received) => boolean | Promise<boolean>;

/** Expects a verifier to accept each delivery under the public keys that signed it alone. */
async function expectVerified(accepts: Accepts): Promise<void> {
  const { publicKeys, deliveries } = await overlapOfKeyPairs();
  const results = await Promise.all(
    deliveries.map((delivery) => Promise.all(publicKeys.map((publicKey) => accepts(publicKey, delivery)))),
  );
  expect(results).toEqual([
    [true, false],
    [true, true],
    [false, true],
  ]);
}

describe('an overlap of two secrets', () => {
  test('signs with both until it ends, and with the new one alone before and after', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    const before = await deliver(tenant, receiver);
    expect(before.headers['x-svc-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    expect(
      new Webhook(endpoint.secret).verify(before.body, before.headers as Record<string, string>),
    ).toEqual(JSON.parse(before.body));

    const renewed = await rotate(tenant, endpoint, DAY_SECONDS);
    const during = await deliver(tenant, receiver);
    expect(during.headers['x-svc-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    expect(String(during.headers['webhook-signature']).split(' ')).toEqual([
      expect.stringMatching(/^v1,/),
      expect.stringMatching(/^v1,/),
    ]);
    for (const secret of [renewed, endpoint.secret])
      expect(new Webhook(secret).verify(during.body, during.headers as Record<string, string>)).toEqual(
        JSON.parse(during.body),
      );

    app.clock.advance((DAY_SECONDS + 5) * 1000);
    const after = await deliver(tenant, receiver);
    expect(after.headers['x-svc-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    const results = await Promise.all(
      [before, during, after].map((request) =>
        Promise.all([endpoint.secret, renewed].map((secret) => verdicts(secret, request))),
      ),
    );
    expect(results).toEqual([
      [ALL, NONE],
      [ALL, ALL],
      [NONE, ALL],
    ]);
  });

  test('begins without a body and without a field as none', async () => {
    const tenant = await app.newTenant();
    const endpoint = await createEndpoint(app, tenant, { url: 'https://receiver.example.com' });
    await rotate(tenant, endpoint);
    await rotate(tenant, endpoint, 0);
    const answer = await app.request('POST', `${endpoint.path}/rotate-secret`, {
      key: tenant.write,
      body: {},
    });
    expect([answer.status, answer.body.previousSecretExpiresAt]).toEqual([200, null]);
  });

  test.each([-1, 604_801, 1.5, '60', true])('of %j seconds is a 422', async (overlapSeconds) => {
    const tenant = await app.newTenant();
    const endpoint = await createEndpoint(app, tenant, { url: 'https://receiver.example.com' });
    const { status, body } = await app.request('POST', `${endpoint.path}/rotate-secret`, {
      key: tenant.write,
      body: { overlapSeconds },
    });
    expect([status, body.error?.details?.[0]?.path]).toEqual([422, 'overlapSeconds']);
  });

  test('keeps the newest two secrets at a second rotation, and ends at one without an overlap', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    const second = await rotate(tenant, endpoint, DAY_SECONDS);
    const third = await rotate(tenant, endpoint, 60);
    await postConversion(app, tenant);
    const [overlapping] = await receiver.waitFor(1);
    const fourth = await rotate(tenant, endpoint);
    await postConversion(app, tenant);
    const [, alone] = await receiver.waitFor(2);
    const signers = (request: Received | undefined) =>
      [endpoint.secret, second, third, fourth].map((secret) => {
        const now = Number(request?.headers['x-svc-timestamp']);
        return request && receiver.verifies(request, secret, now);
      });
    expect([signers(overlapping), signers(alone)]).toEqual([
      [false, true, true, false],
      [false, false, false, true],
    ]);
    const { body } = await app.request('GET', endpoint.path, { key: tenant.read });
    expect(body.previousSecretExpiresAt).toBeNull();
  });

  test('keeps the newest two secrets at concurrent rotations', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    const rotated = await Promise.all(Array.from({ length: 5 }, () => rotate(tenant, endpoint, DAY_SECONDS)));
    await postConversion(app, tenant);
    const [request] = await receiver.waitFor(1);
    const now = Number(request?.headers['x-svc-timestamp']);
    const signers = [endpoint.secret, ...rotated].filter(
      (secret) => request && receiver.verifies(request, secret, now),
    );
    expect(signers).toHaveLength(2);
    expect(signers).not.toContain(endpoint.secret);
  });

  test('is the argument of the mutation, and hidden from other tenants', async () => {
    const [tenant, other] = [await app.newTenant(), await app.newTenant()];
    const { id } = await createEndpoint(app, tenant, { url: 'https://receiver.example.com' });
    const ROTATE = `mutation ($id: Int!, $overlapSeconds: Int) {
      rotateWebhookSecret(id: $id, overlapSeconds: $overlapSeconds) { secret previousSecretExpiresAt }
    }`;
    const variables = { id, overlapSeconds: 3_600 };
    const { body } = await app.graphql(ROTATE, variables, tenant.write);
    const { previousSecretExpiresAt } = body.data?.rotateWebhookSecret ?? {};
    const READ =
      'query ($id: Int!) { webhookEndpoint(id: $id) { signing publicKey previousSecretExpiresAt } }';
    expect((await app.graphql(READ, { id }, tenant.read)).body.data?.webhookEndpoint).toEqual({
      signing: 'hmac',
      publicKey: null,
      previousSecretExpiresAt,
    });
    expect(Date.parse(String(previousSecretExpiresAt))).toBeGreaterThan(app.clock.now().getTime());
    expect((await app.graphql(ROTATE, variables, other.write)).body).toMatchObject({
      errors: [{ extensions: { code: 'NOT_FOUND' } }],
    });
    const path = `${endpointsPath(other.customerId)}/${id}/rotate-secret`;
    const stranger = { key: other.write, body: { overlapSeconds: 60 } };
    expect((await app.request('POST', path, stranger)).status).toBe(404);
  });
});

describe('an overlap of two key pairs is verified', () => {
  test('by the client', () =>
    expectVerified((publicKey, delivery) => clientAccepts(publicKey, delivery, delivery.headers)));

  test('by the TypeScript to copy', () =>
    expectVerified(
      (publicKey, { headers, body: rawBody }) =>
        verifyEd25519Signature({
          publicKey,
          id: String(headers['webhook-id']),
          timestamp: String(headers['webhook-timestamp']),
          signature: String(headers['webhook-signature']),
          rawBody,
          now: Number(headers['webhook-timestamp']),
        }).valid,
    ));

  test.skipIf(!HAS_PYTHON_CRYPTOGRAPHY)('by docs/verify.py', () =>
    expectVerified((publicKey, { headers, body }) => {
      const { 'webhook-id': id, 'webhook-timestamp': t, 'webhook-signature': signature } = headers;
      const own = [TOLERANCE_SECONDS, Number(t)];
      return pythonAccepts('verify_ed25519_signature', publicKey, id, t, signature, body, ...own);
    }),
  );
});
