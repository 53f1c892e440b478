import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { expectProtected } from '../support/protection.ts';
import {
  advanceTo,
  deliveriesOf,
  deliveryLike,
  listening,
  postConversion,
  scheduled,
  setEnabled,
} from './support.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('disabling an endpoint', () => {
  test('requires authentication', async () => {
    const { tenant, endpoint } = await listening(app);
    const body = { enabled: false };
    await expectProtected(app, { method: 'PATCH', path: endpoint.path, body, scope: 'write' }, tenant);
  });

  test('cancels pending deliveries, whether retries or first attempts, and keeps succeeded ones', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200, { timeoutSeconds: 30 });
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    receiver.behave(500);
    await postConversion(app, tenant);
    const waiting = await scheduled(app, tenant, endpoint, 2);
    const disabled = Promise.withResolvers<void>();
    receiver.behave({ status: 200, until: disabled.promise });
    await Promise.all(Array.from({ length: 20 }, () => postConversion(app, tenant)));
    await setEnabled(app, tenant, endpoint, false);
    disabled.resolve();
    await eventually(async () => (await deliveriesOf(app, tenant, endpoint, '?status=pending')).length === 0);
    const deliveries = await deliveriesOf(app, tenant, endpoint);
    expect(deliveries.find(({ id }) => id === waiting.id)).toMatchObject({
      status: 'cancelled',
      nextRetryAt: null,
    });
    const count = (status: string) => deliveries.filter((delivery) => delivery.status === status).length;
    expect(count('succeeded') + count('cancelled')).toBe(22);
    expect(count('cancelled')).toBeGreaterThan(5);
    const sent = receiver.received.length;
    await setEnabled(app, tenant, endpoint, true);
    app.clock.advance(24 * 60 * 60_000);
    // Longer than the interval in which the poller claims due deliveries: no further attempt follows.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(receiver.received).toHaveLength(sent);
  });

  test('records deliveries accepted meanwhile as cancelled', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    await setEnabled(app, tenant, endpoint, false);
    await postConversion(app, tenant);
    expect(await deliveriesOf(app, tenant, endpoint)).toMatchObject([
      { status: 'cancelled', attempt: 0, nextRetryAt: null, error: null, lastAttemptAt: null },
    ]);
    await setEnabled(app, tenant, endpoint, true);
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    expect(await deliveriesOf(app, tenant, endpoint, '?status=cancelled')).toHaveLength(1);
  });

  test('records a later attempt in progress, without a retry', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500, { timeoutSeconds: 30 });
    await postConversion(app, tenant);
    const waiting = await scheduled(app, tenant, endpoint, 2);
    const disabled = Promise.withResolvers<void>();
    receiver.behave({ status: 503, until: disabled.promise });
    advanceTo(app, waiting);
    await receiver.waitFor(3);
    await setEnabled(app, tenant, endpoint, false);
    disabled.resolve();
    const { id } = await deliveryLike(app, tenant, endpoint, { status: 'cancelled', error: 'http_503' });
    const { body } = await app.request('GET', `${endpoint.path}/deliveries/${id}`, { key: tenant.read });
    expect(body).toMatchObject({
      status: 'cancelled',
      attempt: 3,
      nextRetryAt: null,
      error: 'http_503',
      attempts: [{ number: 1 }, { number: 2 }, { number: 3, error: 'http_503' }],
    });
  });

  test('by 410 Gone fails every delivery that received it', async () => {
    const all = Promise.withResolvers<void>();
    const { tenant, endpoint, receiver } = await listening(
      app,
      (_request, index) => ({ status: 410, until: all.promise, delayMs: 200 * index }),
      { timeoutSeconds: 30 },
    );
    await Promise.all([1, 2, 3].map(() => postConversion(app, tenant)));
    await receiver.waitFor(3);
    all.resolve();
    await eventually(async () => (await deliveriesOf(app, tenant, endpoint, '?status=failed')).length === 3);
    const { body } = await app.request('GET', endpoint.path, { key: tenant.read });
    expect(body).toMatchObject({ enabled: false, disabledReason: 'gone' });
  });
});
