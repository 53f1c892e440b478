import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { type ServiceProcess, sharedDataDir } from '../support/process.ts';
import { appOfTest, processOfTest } from '../support/test-scoped.ts';
import { createEndpoint, deliveryLike, receiving } from './support.ts';

let dataDir: Awaited<ReturnType<typeof sharedDataDir>>;
let mongodbUri: string;
/** Looks at the database and serves the API; makes no attempt of its own. */
let app: TestApp;

beforeAll(async () => {
  mongodbUri = freshDatabase();
  dataDir = await sharedDataDir();
  app = await startApp({ MONGODB_URI: mongodbUri, DATA_DIR: dataDir.path, ROLE: 'api' });
});
afterAll(async () => {
  await app.stop();
  await dataDir[Symbol.asyncDispose]();
});

/** Starts the service, and waits until its worker has run. */
async function start(): Promise<ServiceProcess> {
  const began = Date.now();
  const service = await processOfTest(dataDir.path, { mongodbUri });
  await eventually(async () => {
    const { jobs } = (await (await fetch(`${service.url}/api/health`)).json()) as {
      jobs: { lastRunAt: string | null };
    };
    return Date.parse(jobs.lastRunAt ?? '') > began;
  });
  return service;
}

/** Accepts a conversion in a process, which then makes the first attempt. */
async function accept(service: ServiceProcess, key: string): Promise<number> {
  const { status } = await fetch(`${service.url}/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'conversion', goal: 'signup', visitor_id: 'v_1' }),
  });
  return status;
}

describe('SIGTERM', () => {
  test('stops the process cleanly as soon as it serves requests', async () => {
    const service = await processOfTest(dataDir.path, { mongodbUri });
    expect(await service.end('SIGTERM')).toBe(0);
  });

  test('completes an attempt in progress, records it, and exits with 0', async () => {
    const receiver = await receiving({ status: 200, delayMs: 1_500 });
    const tenant = await app.newTenant();
    const endpoint = await createEndpoint(app, tenant, { url: receiver.url });
    const service = await start();
    expect(await accept(service, tenant.write)).toBe(201);
    await receiver.waitFor(1);
    const asked = performance.now();
    expect(await service.end('SIGTERM')).toBe(0);
    expect(performance.now() - asked).toBeLessThan(10_000);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded', attempt: 1 });
    expect(receiver.received).toHaveLength(1);
    await expect(fetch(service.url)).rejects.toThrow();
  });

  test('passes a second attempt to another process, at once and uncounted', async () => {
    const receiver = await receiving({ status: 500, delayMs: 1_000 });
    const tenant = await app.newTenant();
    const endpoint = await createEndpoint(app, tenant, { url: receiver.url });
    const service = await start();
    expect(await accept(service, tenant.write)).toBe(201);
    await receiver.waitFor(1);
    expect(await service.end('SIGTERM')).toBe(0);
    const stoppedAt = Date.now();
    expect(receiver.received).toHaveLength(1);
    const { id } = await deliveryLike(app, tenant, endpoint, { status: 'retrying', attempt: 1 });
    expect(await app.models.Delivery.findById(id).lean()).not.toHaveProperty('lease');
    const claims = await app.models.Delivery.db.collection('agendaJobs').findOne({ name: 'webhooks.claim' });
    expect(claims?.nextRunAt.getTime()).toBeLessThanOrEqual(stoppedAt);

    receiver.behave(200);
    await appOfTest({ MONGODB_URI: mongodbUri, DATA_DIR: dataDir.path });
    await receiver.waitFor(2);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded', attempt: 2 });
  });
});
