import { createPublicKey, type KeyObject, randomBytes, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyWebhook } from '../../packages/client/src/index.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { runCommand } from '../support/command.ts';
import { freshDatabase } from '../support/databases.ts';
import type { Received } from '../support/receiver.ts';
import { appOfTest } from '../support/test-scoped.ts';
import { createEndpoint, listening, postConversion, type TestEndpoint } from './support.ts';

const KEYS = '/.well-known/webhook-keys.json';
let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const keyOf = (publicKey: string): KeyObject =>
  createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey.slice(5), 'base64').toString('base64url') },
    format: 'jwk',
  });

/** The signatures of a delivery by Standard Webhooks, and whether a key verifies one of them. */
function verifies(publicKey: string, { headers, body }: Received): boolean {
  const signed = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
  return String(headers['webhook-signature'])
    .split(' ')
    .some(
      (signature) =>
        signature.startsWith('v1a,') &&
        verify(null, signed, keyOf(publicKey), Buffer.from(signature.slice(4), 'base64')),
    );
}

const publicKeyOf = async (tenant: TestTenant, { path }: TestEndpoint): Promise<string | null> =>
  (await app.request('GET', path, { key: tenant.read })).body.publicKey as unknown as string | null;

/** The public keys that the service lists, when its list is new. */
async function listedKeys(): Promise<string[]> {
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const { body } = await app.request('GET', KEYS);
  return (body.keys as unknown as { publicKey: string }[]).map(({ publicKey }) => publicKey);
}

describe('an endpoint that signs with Ed25519', () => {
  test('has a public key that verifies webhook-signature, and still its secret for X-SVC-Signature', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200, { signing: 'ed25519' });
    const publicKey = await publicKeyOf(tenant, endpoint);
    expect(publicKey).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
    await postConversion(app, tenant, { goal: 'démo_✓' });
    const [request] = await receiver.waitFor(1);
    if (!request || !publicKey) throw new Error('no delivery');
    expect(request.headers['webhook-signature']).toMatch(/^v1a,[A-Za-z0-9+/]{86}==$/);
    expect(request.headers['x-svc-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    expect(verifies(publicKey, request)).toBe(true);
    expect(receiver.verifies(request, endpoint.secret)).toBe(true);
    for (const secret of [publicKey, endpoint.secret])
      expect(await verifyWebhook({ payload: request.body, headers: request.headers, secret })).toMatchObject({
        event: 'conversion.recorded',
        id: secret === publicKey ? request.headers['webhook-id'] : null,
      });
  });

  test('overlaps two key pairs when it is rotated, and keeps one after it', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200, { signing: 'ed25519' });
    const deliver = async () => {
      // The delivery may arrive before the response.
      const count = receiver.received.length + 1;
      await postConversion(app, tenant);
      return (await receiver.waitFor(count)).at(-1) as Received;
    };
    const first = String(await publicKeyOf(tenant, endpoint));
    const { body } = await app.request('POST', `${endpoint.path}/rotate-secret`, {
      key: tenant.write,
      body: { overlapSeconds: 3_600 },
    });
    const second = String(body.publicKey);
    expect(second).not.toBe(first);
    expect(await publicKeyOf(tenant, endpoint)).toBe(second);
    const during = await deliver();
    expect([first, second].map((key) => verifies(key, during))).toEqual([true, true]);
    const listed = await listedKeys();
    expect(listed).toEqual(expect.arrayContaining([first, second]));

    app.clock.advance(3_605_000);
    const after = await deliver();
    expect([first, second].map((key) => verifies(key, after))).toEqual([false, true]);
    const later = await listedKeys();
    expect([later.includes(first), later.includes(second)]).toEqual([false, true]);
  });

  test('is made by PATCH, and null restores hmac', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    const patch = (signing: string | null) =>
      app.request('PATCH', endpoint.path, { key: tenant.write, body: { signing } });
    const changed = await patch('ed25519');
    expect(changed.body).toMatchObject({ signing: 'ed25519', publicKey: expect.stringMatching(/^whpk_/) });
    // The same signing keeps the key pair.
    expect((await patch('ed25519')).body.publicKey).toBe(changed.body.publicKey);
    expect((await patch(null)).body).toMatchObject({ signing: 'hmac', publicKey: null });
    await postConversion(app, tenant);
    const [request] = await receiver.waitFor(1);
    expect(request?.headers['webhook-signature']).toMatch(/^v1,/);
    expect((await patch('rsa')).status).toBe(422);
  });

  test('exists in GraphQL as well', async () => {
    const tenant = await app.newTenant();
    const CREATE = `mutation ($input: CreateWebhookEndpointInput!) {
      createWebhookEndpoint(input: $input) { endpoint { id signing publicKey } }
    }`;
    const input = { url: 'https://receiver.example.com', signing: 'ed25519' };
    const { endpoint } =
      (await app.graphql(CREATE, { input }, tenant.write)).body.data?.createWebhookEndpoint ?? {};
    expect(endpoint).toMatchObject({ signing: 'ed25519', publicKey: expect.stringMatching(/^whpk_/) });
    const ROTATE = 'mutation ($id: Int!) { rotateWebhookSecret(id: $id) { publicKey } }';
    const rotated = (await app.graphql(ROTATE, { id: endpoint?.id }, tenant.write)).body.data
      ?.rotateWebhookSecret;
    expect(rotated?.publicKey).toMatch(/^whpk_/);
    expect(rotated?.publicKey).not.toBe(endpoint?.publicKey);
  });
});

describe('the list of public keys', () => {
  test('needs no key, names keys alone, and may be cached for a minute', async () => {
    const { tenant, endpoint } = await listening(app, 200, { signing: 'ed25519' });
    const publicKey = await publicKeyOf(tenant, endpoint);
    expect(await listedKeys()).toContain(publicKey);
    const { status, headers, body } = await app.request('GET', KEYS);
    expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=60']);
    const keys = body.keys as unknown as { id: string; publicKey: string }[];
    expect(Object.keys(body)).toEqual(['keys']);
    for (const key of keys)
      expect(key).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        publicKey: expect.stringMatching(/^whpk_/),
      });
    expect(keys.map(({ id }) => id)).toEqual(keys.map(({ id }) => id).sort());
    const etag = String(headers.get('etag'));
    expect((await app.request('GET', KEYS, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  test('drops the key of a deleted endpoint', async () => {
    const tenant = await app.newTenant();
    const endpoint = await createEndpoint(app, tenant, { url: 'https://r.example.com', signing: 'ed25519' });
    const publicKey = await publicKeyOf(tenant, endpoint);
    expect(await listedKeys()).toContain(publicKey);
    await app.request('DELETE', endpoint.path, { key: tenant.write });
    expect(await listedKeys()).not.toContain(publicKey);
  });

  test('is limited per client address', async () => {
    const limited = await appOfTest({ RATE_LIMIT: '60000/min' });
    const statuses = await Promise.all(
      Array.from({ length: 301 }, async () => (await limited.request('GET', KEYS)).status),
    );
    expect([
      statuses.filter((status) => status === 200).length,
      statuses.filter((status) => status === 429).length,
    ]).toEqual([300, 1]);
  });
});

test('private keys are encrypted at rest, bound to their endpoint, and re-encrypted by secrets rotate', async () => {
  const [older, newer] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  const MONGODB_URI = freshDatabase();
  const before = await appOfTest({ MONGODB_URI, CONNECTOR_ENCRYPTION_KEY: older });
  const { tenant, endpoint, receiver } = await listening(before, 200, { signing: 'ed25519' });
  await before.request('POST', `${endpoint.path}/rotate-secret`, {
    key: tenant.write,
    body: { overlapSeconds: 600_000 },
  });
  const stored = await before.models.Endpoint.findOne({ id: endpoint.id }).lean();
  const ciphertexts = [
    stored?.secret,
    stored?.privateKey,
    stored?.previous?.secret,
    stored?.previous?.privateKey,
  ];
  for (const ciphertext of ciphertexts) expect(ciphertext).toMatch(/^v1\./);
  expect(JSON.stringify(stored)).not.toContain('whsk_');
  await before.stop();

  const env = { MONGODB_URI, CONNECTOR_ENCRYPTION_KEY: `${newer},${older}` };
  const rotate = async () => JSON.parse((await runCommand(['secrets', 'rotate', '--json'], env)).stdout);
  // With the keys of the audit logs, the customer's and the service's.
  expect(await rotate()).toMatchObject({ checked: 6, reencrypted: 6 });
  const after = await appOfTest({ MONGODB_URI, CONNECTOR_ENCRYPTION_KEY: newer });
  await postConversion(after, tenant);
  const [request] = await receiver.waitFor(1);
  const { publicKey, previous } = stored ?? {};
  expect([publicKey, previous?.publicKey].map((key) => request && verifies(String(key), request))).toEqual([
    true,
    true,
  ]);
});
