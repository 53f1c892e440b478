import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually, type TestTenant } from '../support/app.ts';
import { startAppWithFailpoints } from '../support/app-with-failpoints.ts';
import { deliveriesOf, listening, postConversion, receiving, type TestEndpoint } from './support.ts';

/** Longer than the interval at which counted failures are written. */
const FLUSHED_MS = 3_000;
/** Settings of an endpoint that a test changes while an attempt is in flight. */
const SLOW = { timeoutSeconds: 30 };
const DAY_MS = 24 * 60 * 60_000;

const { app, mongo } = await startAppWithFailpoints();

const moveTo = (tenant: TestTenant, { path }: TestEndpoint, url: string) =>
  app.request('PATCH', path, { key: tenant.write, body: { url } });

const stored = async ({ id }: TestEndpoint) => app.models.Endpoint.findOne({ id }).lean();

/** Stores that the endpoint has failed for six days. */
const failing = ({ id }: TestEndpoint, failures: number) =>
  app.models.Endpoint.updateOne(
    { id },
    { $set: { failures, failingSince: new Date(app.clock.now().getTime() - 6 * DAY_MS) } },
  );

const succeeded = (tenant: TestTenant, endpoint: TestEndpoint, count: number) =>
  eventually(async () => (await deliveriesOf(app, tenant, endpoint, '?status=succeeded')).length === count);

describe('an attempt whose endpoint got another address while it was in flight', () => {
  test('does not disable it with a 410, and cancels nothing', async () => {
    const gate = Promise.withResolvers<void>();
    const gone = { status: 410, until: gate.promise };
    const { tenant, endpoint, receiver } = await listening(app, gone, SLOW);
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    const moved = await receiving({ status: 200, delayMs: 3_000 });
    await moveTo(tenant, endpoint, moved.url);
    await Promise.all([1, 2, 3].map(() => postConversion(app, tenant)));
    gate.resolve();
    await succeeded(tenant, endpoint, 4);
    expect(await stored(endpoint)).toMatchObject({ enabled: true, disabledReason: null });
    expect([receiver.received.length, moved.received.length]).toEqual([1, 4]);
  });

  test('does not add its failure to those of the new one', async () => {
    const gate = Promise.withResolvers<void>();
    const failure = { status: 500, until: gate.promise };
    const { tenant, endpoint, receiver } = await listening(app, failure, SLOW);
    await failing(endpoint, 99);
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    const moved = await receiving();
    await moveTo(tenant, endpoint, moved.url);
    expect(await stored(endpoint)).toMatchObject({ failures: 0, failingSince: null });
    gate.resolve();
    await succeeded(tenant, endpoint, 1);
    await sleep(FLUSHED_MS);
    expect(await stored(endpoint)).toMatchObject({ enabled: true, failures: 0, failingSince: null });
  });

  test('does not reset the failures of the new one with its success', async () => {
    const gate = Promise.withResolvers<void>();
    const success = { status: 200, until: gate.promise };
    const { tenant, endpoint, receiver } = await listening(app, success, SLOW);
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    await moveTo(tenant, endpoint, 'https://receiver.example.com');
    await failing(endpoint, 50);
    gate.resolve();
    await succeeded(tenant, endpoint, 1);
    await sleep(FLUSHED_MS);
    expect(await stored(endpoint)).toMatchObject({ failures: 50 });
  });
});

test('a 410 to a request that a former secret has signed does not disable the endpoint', async () => {
  const gate = Promise.withResolvers<void>();
  const gone = { status: 410, until: gate.promise };
  const { tenant, endpoint, receiver } = await listening(
    app,
    (_request, index) => (index === 0 ? gone : 200),
    SLOW,
  );
  await postConversion(app, tenant);
  await receiver.waitFor(1);
  await app.request('POST', `${endpoint.path}/rotate-secret`, { key: tenant.write });
  gate.resolve();
  await succeeded(tenant, endpoint, 1);
  expect(await stored(endpoint)).toMatchObject({ enabled: true });
});

test('another description is no other target: a 410 disables the endpoint', async () => {
  const gate = Promise.withResolvers<void>();
  const gone = { status: 410, until: gate.promise };
  const { tenant, endpoint, receiver } = await listening(app, gone, SLOW);
  await postConversion(app, tenant);
  await receiver.waitFor(1);
  await app.request('PATCH', endpoint.path, { key: tenant.write, body: { description: 'CRM' } });
  gate.resolve();
  await eventually(async () => (await stored(endpoint))?.disabledReason === 'gone');
});

describe('while the database refuses writes of endpoints', () => {
  const refuse = (command: string) =>
    mongo.failCommands({ commands: [command], collection: 'webhookEndpoints' });
  // A test may fail while commands do.
  afterEach(() => mongo.failCommands('off'));

  test('counted failures are kept, and written later', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500);
    await refuse('findAndModify');
    await postConversion(app, tenant);
    await receiver.waitFor(2);
    await sleep(FLUSHED_MS);
    await mongo.failCommands('off');
    await eventually(async () => (await stored(endpoint))?.failures === 2);
  });

  test('an endpoint that is to be disabled is disabled later', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500);
    await failing(endpoint, 98);
    await refuse('update');
    await postConversion(app, tenant);
    await receiver.waitFor(2);
    await eventually(async () => (await stored(endpoint))?.failures === 100);
    await sleep(FLUSHED_MS);
    await mongo.failCommands('off');
    await eventually(async () => (await stored(endpoint))?.disabledReason === 'failing');
    expect(receiver.received).toHaveLength(2);
  });

  test('a disabled endpoint is no longer written if its backlog could not be cancelled', async () => {
    const { tenant, endpoint } = await listening(app, 500);
    await failing(endpoint, 98);
    await mongo.failCommands({ commands: ['find'], collection: 'webhookDeliveries' });
    await postConversion(app, tenant);
    await eventually(async () => (await stored(endpoint))?.disabledReason === 'failing', 20_000);
    await sleep(FLUSHED_MS);
    await mongo.failCommands('off');
    await sleep(FLUSHED_MS);
    await app.models.Endpoint.updateOne({ id: endpoint.id }, { $set: { failingSince: null } });
    await sleep(FLUSHED_MS);
    expect(await stored(endpoint)).toMatchObject({ enabled: false, failingSince: null });
  });
});
