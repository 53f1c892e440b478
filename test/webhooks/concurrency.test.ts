import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { listening, postConversion } from './support.ts';

const EVENTS = 300;
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('concurrent attempts', () => {
  test('grow to 16 at most for a responsive endpoint', async () => {
    const { tenant, receiver } = await listening(app, { status: 200, delayMs: 100 });
    await Promise.all(Array.from({ length: EVENTS }, () => postConversion(app, tenant)));
    await receiver.waitFor(EVENTS);
    expect(receiver.peak()).toBeLessThanOrEqual(16);
    expect(receiver.peak()).toBeGreaterThan(12);
    const ids = receiver.received.map(({ headers }) => headers['x-svc-delivery-id']);
    expect(new Set(ids).size).toBe(EVENTS);
  });

  test('are reduced for a failing endpoint', async () => {
    const { tenant, receiver } = await listening(app, { status: 500, delayMs: 30 });
    await Promise.all(Array.from({ length: 40 }, () => postConversion(app, tenant)));
    await receiver.waitFor(80);
    expect(receiver.peak()).toBeLessThanOrEqual(4);
  });
});
