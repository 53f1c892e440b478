import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import {
  createEndpoint,
  deliveryLike,
  endpointsPath,
  listening,
  postConversion,
  receiving,
} from './support.ts';

const UPDATE = `mutation ($id: Int!, $input: UpdateWebhookEndpointInput!) {
  updateWebhookEndpoint(id: $id, input: $input) { timeoutSeconds }
}`;
let app: TestApp;

beforeAll(async () => {
  app = await startApp({ WEBHOOK_TIMEOUT: '2s' });
});
afterAll(() => app.stop());

describe('the timeout of an endpoint', () => {
  test('is that of the service unless it is set, and again after null', async () => {
    const { tenant, endpoint } = await listening(app);
    const patch = async (timeoutSeconds: unknown) => {
      const body = { timeoutSeconds };
      return (await app.request('PATCH', endpoint.path, { key: tenant.write, body })).body.timeoutSeconds;
    };
    const { body } = await app.request('GET', endpoint.path, { key: tenant.read });
    expect(body.timeoutSeconds).toBe(2);
    expect(await patch(30)).toBe(30);
    expect(await patch(null)).toBe(2);
    const input = { timeoutSeconds: 7 };
    const { body: updated } = await app.graphql(UPDATE, { id: endpoint.id, input }, tenant.write);
    expect(updated).toEqual({ data: { updateWebhookEndpoint: { timeoutSeconds: 7 } } });
  });

  test('lets a slow receiver respond, under a lease that lasts as long', async () => {
    // The usual lease lasts 9 s.
    const slow = { status: 200, delayMs: 9_500 };
    const { tenant, endpoint, receiver } = await listening(app, slow, { timeoutSeconds: 30 });
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    const { dueAt } = (await app.models.Delivery.findOne({ endpointId: endpoint.id }).lean()) ?? {};
    expect(Number(dueAt) - app.clock.now().getTime()).toBeGreaterThan(30_000);
    const delivered = await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    expect(delivered).toMatchObject({ attempt: 1, error: null });
    expect(receiver.received).toHaveLength(1);
  });

  test('is shorter than that of the service where it is set so', async () => {
    const patient = await startApp({ WEBHOOK_TIMEOUT: '10s' });
    try {
      const { tenant, endpoint } = await listening(patient, 'hang', { timeoutSeconds: 1 });
      await postConversion(patient, tenant);
      const failed = await deliveryLike(patient, tenant, endpoint, { status: 'retrying', error: 'timeout' });
      expect(failed.attempt).toBe(2);
    } finally {
      await patient.stop();
    }
  });

  test('does not delay another endpoint of the customer', async () => {
    const { tenant } = await listening(app, 'hang', { timeoutSeconds: 30 });
    const healthy = await receiving();
    await createEndpoint(app, tenant, { url: healthy.url });
    await Promise.all(Array.from({ length: 40 }, () => postConversion(app, tenant)));
    // Before the attempts that hang time out.
    await healthy.waitFor(40, 25_000);
  });

  test.each([0, 31, 2.5, '10', true])('cannot be %s', async (timeoutSeconds) => {
    const tenant = await app.newTenant();
    const body = { url: 'https://receiver.example.com', timeoutSeconds };
    const refused = await app.request('POST', endpointsPath(tenant.customerId), { key: tenant.write, body });
    expect(refused).toMatchObject({
      status: 422,
      body: { error: { code: 'VALIDATION_FAILED', details: [{ path: 'timeoutSeconds' }] } },
    });
  });
});
