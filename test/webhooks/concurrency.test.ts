import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { listening, postConversion } from './support.ts';

const EVENTS = 150;
let app: TestApp;

beforeAll(async () => {
  // A success within a fifth of it lets the number of concurrent attempts grow.
  app = await startApp({ WEBHOOK_TIMEOUT: '12s' });
});
afterAll(() => app.stop());

describe('concurrent attempts', () => {
  test('grow to 16 at most for a responsive endpoint', async () => {
    const { tenant, receiver } = await listening(app, { status: 200, delayMs: 1_000 });
    await Promise.all(Array.from({ length: EVENTS }, () => postConversion(app, tenant)));
    await receiver.waitFor(EVENTS);
    expect(receiver.peak()).toBeLessThanOrEqual(16);
    expect(receiver.peak()).toBeGreaterThan(12);
    const ids = receiver.received.map(({ headers }) => headers['x-svc-delivery-id']);
    expect(new Set(ids).size).toBe(EVENTS);
  });

  test('are reduced for a failing endpoint', async () => {
    const { tenant, endpoint, receiver } = await listening(app, { status: 500, delayMs: 30 });
    // On a slow machine these attempts last longer than the ten seconds after which the circuit opens.
    const failingSince = new Date(app.clock.now().getTime() + 24 * 60 * 60_000);
    await app.models.Endpoint.updateOne({ id: endpoint.id }, { $set: { failingSince } });
    await Promise.all(Array.from({ length: 40 }, () => postConversion(app, tenant)));
    await receiver.waitFor(80);
    expect(receiver.peak()).toBeLessThanOrEqual(4);
  });
});
