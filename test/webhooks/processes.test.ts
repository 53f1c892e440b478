import { describe, expect, test } from 'vitest';
import { eventually } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { sizeOf } from '../support/full-size.ts';
import { appOfTest, dataDirOfTest, processOfTest } from '../support/test-scoped.ts';
import { createEndpoint, deliveriesOf, postConversion, receiving } from './support.ts';

const DELIVERIES = sizeOf({ small: 2_000, full: 5_000 });

describe('two workers on one database', () => {
  test(`send each of ${DELIVERIES} deliveries once`, { timeout: 300_000 }, async () => {
    const mongodbUri = freshDatabase();
    const dataDir = await dataDirOfTest();
    const receiver = await receiving(200);
    const app = await appOfTest({ MONGODB_URI: mongodbUri, DATA_DIR: dataDir, ROLE: 'api' });
    const tenant = await app.newTenant();
    const endpoints = [];
    for (let i = 0; i < 10; i += 1)
      endpoints.push(await createEndpoint(app, tenant, { url: `${receiver.url}/${i}` }));
    // Accepted while every endpoint is off, then recovered: all of them wait in the database for the workers.
    for (const { path } of endpoints)
      await app.request('PATCH', path, { key: tenant.write, body: { enabled: false } });
    const since = new Date(Date.now() - 60_000).toISOString();
    await Promise.all(
      Array.from({ length: DELIVERIES / endpoints.length }, () => postConversion(app, tenant)),
    );
    for (const { path } of endpoints) {
      await app.request('PATCH', path, { key: tenant.write, body: { enabled: true } });
      const { status, body } = await app.request('POST', `${path}/recover`, {
        key: tenant.write,
        body: { since },
      });
      expect([status, body.queued]).toEqual([202, DELIVERIES / endpoints.length]);
    }
    const workers = await Promise.all(
      [1, 2].map(() => processOfTest(dataDir, { mongodbUri, env: { ROLE: 'worker' } })),
    );
    await receiver.waitFor(DELIVERIES, 100_000);
    await eventually(
      async () => (await app.models.Delivery.countDocuments({ status: { $ne: 'succeeded' } })) === 0,
      100_000,
    );
    const ids = receiver.received.map(({ headers }) => headers['x-svc-delivery-id']);
    expect([ids.length, new Set(ids).size]).toEqual([DELIVERIES, DELIVERIES]);
    expect(await Promise.all(workers.map((worker) => worker.end('SIGTERM')))).toEqual([0, 0]);
  });
});

describe('a burst above the capacity of one process', () => {
  test('is delivered once each, whether queued in memory or in the database', async () => {
    const app = await appOfTest();
    const tenant = await app.newTenant();
    const receiver = await receiving({ status: 200, delayMs: 5 });
    await createEndpoint(app, tenant, { url: receiver.url });
    // More than the slots of one process and the deliveries that it claims ahead.
    const events = sizeOf({ small: 1_500, full: 4_000 });
    let sent = 0;
    await Promise.all(
      Array.from({ length: 64 }, async () => {
        while (sent < events) {
          sent += 1;
          await postConversion(app, tenant);
        }
      }),
    );
    await receiver.waitFor(events);
    await eventually(
      async () => (await app.models.Delivery.countDocuments({ status: { $ne: 'succeeded' } })) === 0,
    );
    const ids = receiver.received.map(({ headers }) => headers['x-svc-delivery-id']);
    expect([ids.length, new Set(ids).size]).toEqual([events, events]);
  });
});

describe('an endpoint that never responds, among ten', () => {
  test('does not delay the others, and uses only its own slots', async () => {
    const app = await appOfTest();
    const tenant = await app.newTenant();
    const hanging = await receiving('hang');
    const healthy = await receiving(200);
    const timeoutSeconds = 30;
    const slow = await createEndpoint(app, tenant, { url: hanging.url, timeoutSeconds });
    for (let i = 0; i < 9; i += 1) await createEndpoint(app, tenant, { url: `${healthy.url}/${i}` });
    const events = 60;
    for (let i = 0; i < events; i += 1) await postConversion(app, tenant);
    await healthy.waitFor(9 * events);
    const firstHung = hanging.received[0];
    const lastArrived = healthy.received.at(-1);
    expect((lastArrived?.at ?? Infinity) - (firstHung?.at ?? 0)).toBeLessThan(timeoutSeconds * 1_000);
    expect(hanging.peak()).toBeLessThanOrEqual(16);
    const waiting = await deliveriesOf(app, tenant, slow, '?status=pending');
    expect(waiting.length).toBeGreaterThan(0);
  });
});
