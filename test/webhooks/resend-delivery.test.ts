import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import {
  createEndpoint,
  deliveryLike,
  listening,
  missEvents,
  postConversion,
  scheduled,
  setEnabled,
  type TestEndpoint,
} from './support.ts';

const RESEND = 'mutation ($id: ID!) { resendWebhookDelivery(id: $id) { id status attempt } }';
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const resend = (tenant: TestTenant, { path }: TestEndpoint, id: string) =>
  app.request('POST', `${path}/deliveries/${id}/resend`, { key: tenant.write });

const detail = async (tenant: TestTenant, { path }: TestEndpoint, id: string) =>
  (await app.request('GET', `${path}/deliveries/${id}`, { key: tenant.read })).body;

/** Waits until a delivery has so many attempts recorded, and gives its detail. */
const afterAttempts = (tenant: TestTenant, endpoint: TestEndpoint, id: string, count: number) =>
  eventually(async () => {
    const body = await detail(tenant, endpoint, id);
    return (body.attempts as unknown as unknown[]).length === count ? body : null;
  });

/** A delivery that has failed for good, of an endpoint that works again. */
async function failed() {
  const { tenant, endpoint, receiver } = await listening(app, 410);
  await postConversion(app, tenant);
  const { id } = await deliveryLike(app, tenant, endpoint, { status: 'failed' });
  await eventually(async () => !(await app.request('GET', endpoint.path, { key: tenant.read })).body.enabled);
  await setEnabled(app, tenant, endpoint, true);
  return { tenant, endpoint, receiver, id };
}

describe('resending a delivery', () => {
  test('requires authentication', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    await missEvents(app, tenant, endpoint, 1);
    const { id } = await deliveryLike(app, tenant, endpoint, { status: 'cancelled' });
    const path = `${endpoint.path}/deliveries/${id}/resend`;
    await expectProtected(app, { method: 'POST', path, scope: 'write' }, tenant);
    await expectProtectedGraphQL(app, RESEND, { id }, [tenant.read]);
    expect(receiver.received).toEqual([]);
  });

  test('returns 404 and changes nothing before the event of the delivery is stored', async () => {
    const { tenant, endpoint, id } = await failed();
    const event = await app.models.Event.findOneAndDelete({ customerId: tenant.customerId }).lean();
    const fields = { status: 'pending', attempt: 0, lastAttemptAt: null, dueAt: new Date(2 ** 42) };
    await app.models.Delivery.updateOne({ _id: id }, { $set: fields, $unset: { finishedAt: '' } });
    expect((await resend(tenant, endpoint, id)).status).toBe(404);
    await app.models.Event.collection.insertOne(event as never);
    expect(await detail(tenant, endpoint, id)).toMatchObject({ status: 'pending' });
  });

  test('returns 202, and marks a failed delivery as succeeded by an uncounted attempt', async () => {
    const { tenant, endpoint, receiver, id } = await failed();
    receiver.behave(200);
    const { status, body } = await resend(tenant, endpoint, id);
    expect(status).toBe(202);
    expect(body).toMatchObject({ id, endpointId: endpoint.id, status: 'failed', attempt: 1 });
    expect(body).not.toHaveProperty('payload');
    expect(await afterAttempts(tenant, endpoint, id, 2)).toMatchObject({
      status: 'succeeded',
      attempt: 1,
      error: null,
      attempts: [
        { number: 1, manual: false, error: 'http_410' },
        { number: 2, manual: true, responseStatus: 200 },
      ],
    });
    expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body);
    expect(receiver.received[1]?.headers['x-svc-delivery-id']).toBe(id);
  });

  test('makes one attempt, and leaves a failed delivery failed when it fails', async () => {
    const { tenant, endpoint, receiver, id } = await failed();
    receiver.behave(500);
    await resend(tenant, endpoint, id);
    const body = await afterAttempts(tenant, endpoint, id, 2);
    expect(body).toMatchObject({ status: 'failed', attempt: 1, nextRetryAt: null, error: 'http_500' });
    // Longer than the interval in which the poller claims due deliveries: no further attempt follows.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(receiver.received).toHaveLength(2);
  });

  test('leaves status and schedule of a retrying delivery unchanged when it fails', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500);
    await postConversion(app, tenant);
    const before = await scheduled(app, tenant, endpoint, 2);
    expect((await resend(tenant, endpoint, before.id)).status).toBe(202);
    const after = await afterAttempts(tenant, endpoint, before.id, 3);
    expect(after).toMatchObject({ status: 'retrying', attempt: 2, nextRetryAt: before.nextRetryAt });
    receiver.behave(200);
    await resend(tenant, endpoint, before.id);
    expect(await afterAttempts(tenant, endpoint, before.id, 4)).toMatchObject({
      status: 'succeeded',
      attempt: 2,
      nextRetryAt: null,
    });
  });

  test('sends cancelled and succeeded ones as well, over GraphQL too', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    await missEvents(app, tenant, endpoint, 1);
    const { id } = await deliveryLike(app, tenant, endpoint, { status: 'cancelled' });
    const { body } = await app.graphql(RESEND, { id }, tenant.write);
    expect(body).toEqual({ data: { resendWebhookDelivery: { id, status: 'cancelled', attempt: 0 } } });
    await afterAttempts(tenant, endpoint, id, 1);
    receiver.behave(500);
    await resend(tenant, endpoint, id);
    expect(await afterAttempts(tenant, endpoint, id, 2)).toMatchObject({ status: 'succeeded', attempt: 0 });
  });

  test('is a 409 while an attempt is in progress, including a resend', async () => {
    const [refused, resent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { tenant, endpoint, receiver } = await listening(
      app,
      (_request, index) => ({ status: 200, until: (index === 0 ? refused : resent).promise }),
      { timeoutSeconds: 30 },
    );
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    const { id } = await deliveryLike(app, tenant, endpoint, { status: 'pending' });
    expect(await resend(tenant, endpoint, id)).toMatchObject({
      status: 409,
      body: { error: { code: 'CONFLICT' } },
    });
    refused.resolve();
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    const twins = await Promise.all([1, 2, 3].map(() => resend(tenant, endpoint, id)));
    resent.resolve();
    expect(twins.map(({ status }) => status).toSorted()).toEqual([202, 409, 409]);
    await afterAttempts(tenant, endpoint, id, 2);
    expect(receiver.received).toHaveLength(2);
  });

  test('is a 409 while the endpoint is disabled', async () => {
    const { tenant, endpoint } = await listening(app);
    await missEvents(app, tenant, endpoint, 1);
    const { id } = await deliveryLike(app, tenant, endpoint, { status: 'cancelled' });
    await setEnabled(app, tenant, endpoint, false);
    expect((await resend(tenant, endpoint, id)).status).toBe(409);
    const { body } = await app.graphql(RESEND, { id }, tenant.write);
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'CONFLICT' } }] });
  });

  test('that is pending when its endpoint is disabled leaves the delivery unchanged', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    await postConversion(app, tenant);
    const { id } = await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    receiver.behave('hang');
    await Promise.all(Array.from({ length: 16 }, () => postConversion(app, tenant)));
    expect((await resend(tenant, endpoint, id)).status).toBe(202);
    await setEnabled(app, tenant, endpoint, false);
    await eventually(async () => {
      const stored = await app.models.Delivery.findById(id).lean();
      return stored?.manual === undefined && stored?.dueAt === undefined;
    });
    expect(await detail(tenant, endpoint, id)).toMatchObject({ status: 'succeeded', attempt: 1 });
  });

  test("returns 404 for an unknown delivery, and for another endpoint's or tenant's", async () => {
    const { tenant, endpoint } = await listening(app);
    await missEvents(app, tenant, endpoint, 1);
    const { id } = await deliveryLike(app, tenant, endpoint, { status: 'cancelled' });
    const sibling = await createEndpoint(app, tenant, { url: 'https://receiver.example.com' });
    const stranger = await app.newTenant();
    expect((await resend(tenant, sibling, id)).status).toBe(404);
    expect((await resend(tenant, endpoint, '0'.repeat(24))).status).toBe(404);
    expect((await resend(tenant, endpoint, 'nope')).status).toBe(404);
    const { body } = await app.graphql(RESEND, { id }, stranger.write);
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
  });
});
