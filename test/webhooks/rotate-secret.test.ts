import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import { advanceTo, createEndpoint, endpointsPath, listening, postConversion, scheduled } from './support.ts';

const ROTATE = 'mutation ($id: Int!) { rotateWebhookSecret(id: $id) { id secret } }';
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** Rotates, and gives the new secret. */
async function rotate(tenant: TestTenant, { id, path }: { id: number; path: string }): Promise<string> {
  const { status, body } = await app.request('POST', `${path}/rotate-secret`, { key: tenant.write });
  const secret = expect.stringMatching(/^whsec_[A-Za-z0-9+/]+=*$/);
  expect([status, body]).toEqual([200, { id, secret, publicKey: null, previousSecretExpiresAt: null }]);
  return String(body.secret);
}

describe('rotating the secret of a webhook endpoint', () => {
  test('requires authentication', async () => {
    const tenant = await app.newTenant();
    const { id, path } = await createEndpoint(app, tenant, { url: 'https://receiver.example.com' });
    await expectProtected(app, { method: 'POST', path: `${path}/rotate-secret`, scope: 'write' }, tenant);
    await expectProtectedGraphQL(app, ROTATE, { id }, [tenant.read]);
  });

  test('returns a different secret each time, only once', async () => {
    const tenant = await app.newTenant();
    const endpoint = await createEndpoint(app, tenant, { url: 'https://receiver.example.com' });
    const { body } = await app.graphql(ROTATE, { id: endpoint.id }, tenant.write);
    const secrets = [
      endpoint.secret,
      await rotate(tenant, endpoint),
      await rotate(tenant, endpoint),
      String(body.data?.rotateWebhookSecret?.secret),
    ];
    expect(new Set(secrets).size).toBe(4);
    expect((await app.request('GET', endpoint.path, { key: tenant.read })).body).not.toHaveProperty('secret');
  });

  test('signs every later delivery with the new secret alone', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    const renewed = await rotate(tenant, endpoint);
    await Promise.all(Array.from({ length: 20 }, () => postConversion(app, tenant)));
    const [before, ...after] = await receiver.waitFor(21);
    expect(before && receiver.verifies(before, endpoint.secret)).toBe(true);
    expect(after.every((request) => receiver.verifies(request, renewed))).toBe(true);
    expect(after.some((request) => receiver.verifies(request, endpoint.secret))).toBe(false);
  });

  test('signs attempt 2 with a secret rotated during attempt 1, and later retries too', async () => {
    const rotated = Promise.withResolvers<void>();
    const behaviour = { status: 500, until: rotated.promise };
    const { tenant, endpoint, receiver } = await listening(app, behaviour, { timeoutSeconds: 30 });
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    const second = await rotate(tenant, endpoint);
    rotated.resolve();
    await receiver.waitFor(2);
    const waiting = await scheduled(app, tenant, endpoint, 2);
    const third = await rotate(tenant, endpoint);
    advanceTo(app, waiting);
    const requests = await receiver.waitFor(3);
    const secrets = [endpoint.secret, second, third];
    const verified = requests.map((request) => {
      // The receiver's clock is the real one, the service's is ahead of it.
      const t = Number(request.headers['x-svc-timestamp']);
      return secrets.map((secret) => receiver.verifies(request, secret, t));
    });
    expect(verified).toEqual([
      [true, false, false],
      [false, true, false],
      [false, false, true],
    ]);
  });

  test("returns 404 for another tenant's", async () => {
    const [tenant, other] = [await app.newTenant(), await app.newTenant()];
    const { id } = await createEndpoint(app, other, { url: 'https://receiver.example.com' });
    const path = `${endpointsPath(tenant.customerId)}/${id}/rotate-secret`;
    expect((await app.request('POST', path, { key: tenant.write })).status).toBe(404);
    expect((await app.graphql(ROTATE, { id }, tenant.write)).body).toMatchObject({
      errors: [{ extensions: { code: 'NOT_FOUND' } }],
    });
  });
});
