import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../src/features/tenants/api-key.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { sharedDataDir } from '../support/process.ts';
import { endpointsPath } from '../webhooks/support.ts';

const HOUR = 60 * 60_000;
let app: TestApp;
let tenant: TestTenant;

beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
});
afterAll(() => app.stop());

/** Asks on every surface; the status of each, and that each refusal is the one of the contract. */
async function statuses(headers: Record<string, string>, at: TestApp = app): Promise<number[]> {
  const answers = [
    await at.request('GET', endpointsPath(tenant.customerId), { headers }),
    await at.request('POST', '/v1/events', { headers, body: { type: 'signup', visitor_id: 'v_1' } }),
    await at.request('POST', '/graphql', { headers, body: { query: '{ viewer { scope } }' } }),
  ];
  for (const { status, headers: answered, body } of answers) {
    if (status !== 401) continue;
    // RFC 6750 section 3.1: an error only if the request has a token.
    const hasToken = /^bearer +\S/i.test(headers.authorization ?? '');
    const challenge = hasToken ? 'Bearer error="invalid_token"' : 'Bearer';
    expect(answered.get('www-authenticate')).toBe(challenge);
    const rest = body.error?.code;
    const graphql = (body.errors as unknown as { extensions: { code: string } }[])?.[0]?.extensions.code;
    expect(rest ?? graphql).toBe('UNAUTHENTICATED');
  }
  return answers.map(({ status }) => status);
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const REFUSED = [401, 401, 401];

describe('authentication', () => {
  test('rejects a request without a key on every surface', async () => {
    expect(await statuses({})).toEqual(REFUSED);
    const { status } = await app.request('GET', '/api/v1/event-types', {
      headers: { 'x-api-key': tenant.read },
    });
    expect(status).toBe(401);
  });

  test.each([
    ['another scheme', (key: string) => `Basic ${key}`],
    ['no scheme', (key: string) => key],
    ['an empty key', () => 'Bearer '],
    ['a key cut short', (key: string) => `Bearer ${key.slice(0, -1)}`],
    ['a key with more behind it', (key: string) => `Bearer ${key}x`],
    ['two keys', (key: string) => `Bearer ${key} ${key}`],
    ['another scope letter', (key: string) => `Bearer ${key.replace('eg_w_', 'eg_a_')}`],
    ['an operator', () => 'Bearer {"$gt":""}'],
    ['an unknown key', () => `Bearer ${newApiKey('admin')}`],
  ])('rejects %s', async (_what, authorization) => {
    expect(await statuses({ authorization: authorization(tenant.write) })).toEqual(REFUSED);
  });

  test('accepts a valid key on every surface', async () => {
    expect(await statuses(bearer(tenant.write))).toEqual([200, 201, 200]);
    expect(await statuses({ authorization: `bearer ${tenant.write}` })).toEqual([200, 201, 200]);
  });

  test('rejects a key as soon as it expires', async () => {
    const expiresAt = new Date(app.clock.now().getTime() + HOUR);
    const scope = { scope: 'write', customerId: tenant.customerId } as const;
    const { key } = await app.services.keys.create({ ...scope, expiresAt });
    expect(await statuses(bearer(key))).toEqual([200, 201, 200]);
    app.clock.advance(HOUR);
    expect(await statuses(bearer(key))).toEqual(REFUSED);
  });

  test('stores only the hash and the first characters of a key', async () => {
    const stored = JSON.stringify(await app.models.ApiKey.find().lean());
    for (const key of [app.admin, tenant.read, tenant.write]) {
      expect(stored).not.toContain(key.slice(5));
      expect(stored).toContain(key.slice(0, 9));
    }
  });

  test('rejects a revoked key in another process as soon as the revocation returns', async () => {
    const mongodbUri = freshDatabase();
    await using dataDir = await sharedDataDir();
    const env = { MONGODB_URI: mongodbUri, DATA_DIR: dataDir.path };
    const [here, there] = [await startApp(env), await startApp(env)];
    tenant = await here.newTenant();
    const scope = { scope: 'write', customerId: tenant.customerId } as const;
    for (let i = 0; i < 5; i += 1) {
      const { apiKey, key } = await here.services.keys.create({ ...scope, expiresAt: null });
      expect(await statuses(bearer(key), there)).toEqual([200, 201, 200]);
      const revoke = 'mutation ($id: ID!) { revokeApiKey(id: $id) { revokedAt } }';
      expect((await here.graphql(revoke, { id: apiKey.id }, here.admin)).status).toBe(200);
      expect(await statuses(bearer(key), there)).toEqual(REFUSED);
      expect(await statuses(bearer(key), here)).toEqual(REFUSED);
    }
    await there.stop();
    await here.stop();
  });
});
