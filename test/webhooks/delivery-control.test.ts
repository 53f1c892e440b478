import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { advanceTo, deliveryLike, listening, postConversion, scheduled } from './support.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const answer = (status: number, value: string) => ({ status, headers: { 'Webhook-Delivery': value } });

const endpointOf = async (tenant: { read: string }, { path }: { path: string }) =>
  (await app.request('GET', path, { key: tenant.read })).body;

describe('the response header webhook-delivery', () => {
  test.each([
    [200, 'disable', 'succeeded'],
    [204, ' DISABLE ', 'succeeded'],
    [500, 'Disable', 'failed'],
  ])('with %i and %j disables the endpoint; the delivery is %s', async (status, value, expected) => {
    const { tenant, endpoint, receiver } = await listening(app, answer(status, value));
    await postConversion(app, tenant);
    expect(await deliveryLike(app, tenant, endpoint, { status: expected })).toMatchObject({ attempt: 1 });
    await eventually(async () => (await endpointOf(tenant, endpoint)).disabledReason);
    expect(await endpointOf(tenant, endpoint)).toMatchObject({ enabled: false, disabledReason: 'gone' });
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'cancelled' });
    expect(receiver.received).toHaveLength(1);
  });

  test.each(['stop', 'abort-message'])('%s ends the attempts of the delivery alone', async (value) => {
    const { tenant, endpoint, receiver } = await listening(app, answer(503, value));
    await postConversion(app, tenant);
    const failed = await deliveryLike(app, tenant, endpoint, { status: 'failed' });
    expect(failed).toMatchObject({ attempt: 1, error: 'http_503', nextRetryAt: null });
    expect(await endpointOf(tenant, endpoint)).toMatchObject({ enabled: true });
    receiver.behave(200);
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    expect(receiver.received).toHaveLength(2);
  });

  test('stop ends a later attempt as well, and has no effect with a 2xx', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500);
    await postConversion(app, tenant);
    const waiting = await scheduled(app, tenant, endpoint, 2);
    receiver.behave(answer(500, 'stop'));
    advanceTo(app, waiting);
    expect(await deliveryLike(app, tenant, endpoint, { status: 'failed' })).toMatchObject({ attempt: 3 });
    receiver.behave(answer(200, 'stop'));
    await postConversion(app, tenant);
    expect(await deliveryLike(app, tenant, endpoint, { status: 'succeeded' })).toMatchObject({ attempt: 1 });
  });

  test.each(['', 'delete', 'stop, disable', 'x'.repeat(4_000)])('ignores %j', async (value) => {
    const { tenant, endpoint } = await listening(app, answer(500, value));
    await postConversion(app, tenant);
    await scheduled(app, tenant, endpoint, 2);
    expect(await endpointOf(tenant, endpoint)).toMatchObject({ enabled: true });
  });
});
