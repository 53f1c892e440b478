import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import { createEndpoint, deliveryLike, listening, postConversion, scheduled } from './support.ts';

const URL = 'https://receiver.example.com/hooks';
const DELETE = 'mutation ($id: Int!) { deleteWebhookEndpoint(id: $id) { id deleted } }';
const DELIVERY =
  'query ($id: ID!) { webhookDelivery(id: $id) { status nextRetryAt attempts { number error } } }';
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const remove = (tenant: TestTenant, { path }: { path: string }) =>
  app.request('DELETE', path, { key: tenant.write });

/** A delivery as it is kept beyond its endpoint. */
const delivery = async (tenant: TestTenant, id: string) =>
  (await app.graphql(DELIVERY, { id }, tenant.read)).body.data?.webhookDelivery;

/** A delivery whose endpoint is deleted before the receiver responds to its first attempt. */
async function deletedDuringAttempt(status: number) {
  const deleted = Promise.withResolvers<void>();
  const behaviour = { status, until: deleted.promise };
  const { tenant, endpoint, receiver } = await listening(app, behaviour, { timeoutSeconds: 30 });
  await postConversion(app, tenant);
  await receiver.waitFor(1);
  const { id } = await deliveryLike(app, tenant, endpoint, { status: 'pending' });
  await remove(tenant, endpoint);
  deleted.resolve();
  return { tenant, receiver, id };
}

describe('deleting a webhook endpoint', () => {
  test('requires authentication', async () => {
    const tenant = await app.newTenant();
    const { id, path } = await createEndpoint(app, tenant, { url: URL });
    await expectProtected(app, { method: 'DELETE', path, scope: 'write' }, tenant);
    await expectProtectedGraphQL(app, DELETE, { id }, [tenant.read]);
    expect((await app.request('GET', path, { key: tenant.read })).status).toBe(200);
  });

  test('returns the deleted endpoint, which no longer exists then', async () => {
    const tenant = await app.newTenant();
    const endpoint = await createEndpoint(app, tenant, { url: URL });
    const { status, body } = await remove(tenant, endpoint);
    expect([status, body]).toEqual([200, { id: endpoint.id, deleted: true }]);
    expect((await app.request('GET', endpoint.path, { key: tenant.read })).status).toBe(404);
    expect((await app.request('GET', `${endpoint.path}/deliveries`, { key: tenant.read })).status).toBe(404);
    expect((await remove(tenant, endpoint)).status).toBe(404);
  });

  test('works over GraphQL', async () => {
    const tenant = await app.newTenant();
    const { id } = await createEndpoint(app, tenant, { url: URL });
    const { body } = await app.graphql(DELETE, { id }, tenant.write);
    expect(body).toEqual({ data: { deleteWebhookEndpoint: { id, deleted: true } } });
    const again = await app.graphql(DELETE, { id }, tenant.write);
    expect(again.body).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
  });

  test('cancels pending deliveries and keeps terminal ones', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    await postConversion(app, tenant);
    const succeeded = await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    receiver.behave(500);
    await postConversion(app, tenant);
    const waiting = await scheduled(app, tenant, endpoint, 2);
    await remove(tenant, endpoint);
    expect(await delivery(tenant, waiting.id)).toMatchObject({ status: 'cancelled', nextRetryAt: null });
    expect(await delivery(tenant, succeeded.id)).toMatchObject({ status: 'succeeded' });
    app.clock.advance(24 * 60 * 60_000);
    // Longer than the interval in which the poller claims due deliveries: no further attempt follows.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(receiver.received).toHaveLength(3);
  });

  test('completes an attempt in progress, without a retry when it fails', async () => {
    const { tenant, receiver, id } = await deletedDuringAttempt(500);
    const ended = await eventually(async () => {
      const found = await delivery(tenant, id);
      return String(found?.status) === 'cancelled' ? found : null;
    });
    expect(ended).toEqual({
      status: 'cancelled',
      nextRetryAt: null,
      attempts: [{ number: 1, error: 'http_500' }],
    });
    // Longer than the interval in which the poller claims due deliveries: no further attempt follows.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(receiver.received).toHaveLength(1);
  });

  test('completes an attempt in progress that succeeds', async () => {
    const { tenant, id } = await deletedDuringAttempt(200);
    await eventually(async () => String((await delivery(tenant, id))?.status) === 'succeeded');
  });
});
