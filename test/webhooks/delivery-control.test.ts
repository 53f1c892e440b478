import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { advanceTo, deliveryLike, listening, postConversion, scheduled, setEnabled } from './support.ts';

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
    expect(failed).toMatchObject({
      attempt: 1,
      error: 'http_503',
      failureReason: 'stopped_by_receiver',
      nextRetryAt: null,
    });
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

  test.each([
    ['stop', answer(500, 'stop'), 'stopped_by_receiver'],
    ['a 410', 410, 'stopped_by_receiver'],
    ['neither', 500, 'exhausted'],
  ])('with %s at the fifth attempt, the delivery names the reason of its end', async (_, last, expected) => {
    const { tenant, endpoint, receiver } = await listening(app, 500);
    await postConversion(app, tenant);
    for (const attempt of [2, 3, 4]) {
      const waiting = await scheduled(app, tenant, endpoint, attempt);
      expect(waiting.failureReason).toBeNull();
      if (attempt === 4) receiver.behave(last);
      advanceTo(app, waiting);
    }
    const failed = await deliveryLike(app, tenant, endpoint, { status: 'failed' });
    expect(failed).toMatchObject({ attempt: 5, failureReason: expected });
    const READ = 'query ($id: ID!) { webhookDelivery(id: $id) { status failureReason } }';
    expect((await app.graphql(READ, { id: failed.id }, tenant.read)).body.data?.webhookDelivery).toEqual({
      status: 'failed',
      failureReason: expected,
    });

    // A delivery that is sent again has not failed.
    receiver.behave(200);
    await setEnabled(app, tenant, endpoint, true);
    const since = new Date(Date.parse(failed.createdAt) - 1_000).toISOString();
    const recovered = await app.request('POST', `${endpoint.path}/recover`, {
      key: tenant.write,
      body: { since },
    });
    expect(recovered.status).toBeLessThan(300);
    expect(await deliveryLike(app, tenant, endpoint, { status: 'succeeded' })).toMatchObject({
      failureReason: null,
    });
  });

  test.each(['', 'delete', 'stop, disable', 'x'.repeat(4_000)])('ignores %j', async (value) => {
    const { tenant, endpoint } = await listening(app, answer(500, value));
    await postConversion(app, tenant);
    await scheduled(app, tenant, endpoint, 2);
    expect(await endpointOf(tenant, endpoint)).toMatchObject({ enabled: true });
  });
});
