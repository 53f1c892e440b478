import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { modelsOf } from '../../src/database/models.ts';
import { outboxEventStore } from '../../src/features/outbox/outbox-event.store.ts';
import { NO_ENCRYPTION } from '../../src/features/privacy/field-encryption.ts';
import { queueStore } from '../../src/features/webhooks/delivery/queue.store.ts';
import { createFanOutRepair } from '../../src/features/webhooks/delivery/sweep/repair.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { createCheckpoint } from '../../src/platform/mongo/checkpoint.ts';
import { newObjectId } from '../../src/platform/mongo/object-id.ts';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { runJob } from '../support/jobs.ts';
import { startTestMongo, type TestMongo } from '../support/mongo.ts';
import { engagement, type ServiceProcess, sharedDataDir, startProcess } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { deliveriesOf, listening, postConversion } from './support.ts';

const CUSTOMER = 7;

describe('the inserts of an event and its deliveries', () => {
  let mongo: TestMongo;
  let dataDir: Awaited<ReturnType<typeof sharedDataDir>>;
  let connection: mongoose.Connection;
  let models: ReturnType<typeof modelsOf>;
  let receiver: Receiver;
  let service: ServiceProcess;
  let key: string;

  beforeAll(async () => {
    mongo = await startTestMongo({ failpoints: true, database: 'publication' });
    dataDir = await sharedDataDir();
    connection = await mongoose.createConnection(mongo.uri, { autoCreate: false }).asPromise();
    models = modelsOf(connection);
    receiver = await startReceiver(200);
    service = await start();
    const options = ['--customer', String(CUSTOMER), '--scope', 'write'];
    key = (await engagement<{ key: string }>(dataDir.path, mongo.uri, 'key', 'create', ...options)).key;
    await post(`/api/v1/customers/${CUSTOMER}/webhook-endpoints`, { url: receiver.url });
  });
  afterAll(async () => {
    await connection?.close();
    await receiver?.stop();
    await dataDir?.[Symbol.asyncDispose]();
    await mongo?.stop();
  });
  beforeEach(async () => {
    if (service.child.exitCode !== null || service.child.signalCode !== null) service = await start();
    receiver.received.length = 0;
    await postEvent('v_0');
    await receiver.waitFor(1);
    await models.Event.deleteMany();
    await models.Delivery.deleteMany();
    receiver.received.length = 0;
  });
  afterEach(async () => {
    await mongo.failCommands('off');
    await service.end('SIGKILL');
  });

  const start = () => startProcess(dataDir.path, { mongodbUri: mongo.uri });

  async function post(path: string, body: unknown): Promise<number> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return (await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) })).status;
  }
  const postEvent = (visitorId: string) =>
    post('/v1/events', { type: 'conversion', goal: 'signup', visitor_id: visitorId });

  /** Kills the service once a request has inserted the one and not the other. */
  async function killWhileRefused(collection: string, isInserted: () => Promise<unknown>): Promise<void> {
    await mongo.failCommands({ commands: ['insert'], collection });
    const answer = postEvent('v_1').catch(() => 'no response');
    await eventually(isInserted);
    await service.end('SIGKILL');
    expect(await answer).toBe('no response');
    await mongo.failCommands('off');
  }

  /** Runs the repair as if two minutes had passed. */
  const repair = () =>
    createFanOutRepair({
      events: outboxEventStore(models, NO_ENCRYPTION),
      queue: queueStore({
        Delivery: models.Delivery,
        events: outboxEventStore(models, NO_ENCRYPTION),
        encryption: NO_ENCRYPTION,
      }),
      checkpoint: createCheckpoint(models.Checkpoint, 'test.repair'),
      clock: { now: () => new Date(Date.now() + 120_000) },
      log: createLogger('silent'),
    })();

  test.each(['webhookEvents', 'webhookDeliveries'])(
    'inserts into %s whose connection closes again and again are repeated: a 201 means that all is stored',
    async (collection) => {
      await mongo.failCommands({ commands: ['insert'], collection });
      const response = postEvent('v_1');
      const early = await Promise.race([response, sleep(2_000, 'waiting')]);
      await mongo.failCommands('off');
      expect(early).toBe('waiting');
      expect(await response).toBe(201);
      expect(await models.Event.countDocuments()).toBe(1);
      expect(await models.Delivery.countDocuments()).toBe(1);
    },
  );

  test('inserts that last half a minute end with 503, before other processes take them for interrupted', async () => {
    await mongo.failCommands({ commands: ['insert'], collection: 'webhookEvents' });
    const response = postEvent('v_1');
    const early = await Promise.race([response, sleep(29_000, 'waiting')]);
    expect(early).toBe('waiting');
    expect(await response).toBe(503);
    await mongo.failCommands('off');
  });

  test('a kill that leaves out the deliveries: the repair inserts them, and they are sent', async () => {
    await killWhileRefused('webhookDeliveries', () => models.Event.exists({}));
    expect(await models.Delivery.countDocuments()).toBe(0);
    expect(await repair()).toBe(1);
    expect(await repair()).toBe(0);
    service = await start();
    await receiver.waitFor(1);
    const [event] = await models.Event.find().lean();
    await eventually(() => models.Delivery.exists({ status: 'succeeded' }));
    expect(await models.Delivery.find().lean()).toMatchObject([
      { _id: event?.deliveries?.[0]?._id, eventId: event?._id, customerId: CUSTOMER, attempt: 1 },
    ]);
  });

  test('a kill that leaves out the event: its delivery is not sent', async () => {
    await killWhileRefused('webhookEvents', () => models.Delivery.exists({}));
    expect(await models.Event.countDocuments()).toBe(0);
    await models.Delivery.updateMany({}, { $set: { dueAt: new Date() }, $unset: { lease: '' } });
    service = await start();
    // The killed process may hold the lock of the claims for another 10 s.
    await eventually(
      () => models.Delivery.exists({ dueAt: { $gt: new Date() }, lease: { $exists: false } }),
      60_000,
    );
    expect(await repair()).toBe(0);
    expect(receiver.received).toEqual([]);
  });
});

describe('a delivery without an event', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app.stop());

  /** Fields of a delivery that was created at `now` and is due. */
  const due = (now: Date) => ({
    status: 'pending' as const,
    attempt: 0,
    attempts: [],
    lastAttemptAt: null,
    createdAt: now,
    dueAt: now,
  });

  test('is removed after a minute, and nothing is sent', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    await postConversion(app, tenant);
    await eventually(
      async () => (await deliveriesOf(app, tenant, endpoint, '?status=succeeded')).length === 1,
    );
    const stored = await app.models.Delivery.findOne({ endpointId: endpoint.id }).lean();
    const now = app.clock.now();
    const _id = newObjectId(now);
    await app.models.Delivery.collection.insertOne({
      ...stored,
      _id,
      eventId: newObjectId(now),
      ...due(now),
    } as never);
    await runJob(app, 'webhooks.claim');
    const postponed = () => app.models.Delivery.findOne({ _id, status: 'pending', attempt: 0 }).lean();
    expect(await postponed()).not.toBeNull();
    app.clock.advance(61_000);
    await runJob(app, 'webhooks.claim');
    await eventually(async () => (await app.models.Delivery.exists({ _id })) === null);
    expect(receiver.received).toHaveLength(1);
  });

  test('waits for its event', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    const [delivery] = await deliveriesOf(app, tenant, endpoint);
    const event = await app.models.Event.findByIdAndDelete(delivery?.eventId).lean();
    await app.models.Delivery.updateOne(
      { _id: delivery?.id },
      { $set: due(app.clock.now()), $unset: { lease: '', finishedAt: '' } },
    );
    await runJob(app, 'webhooks.claim');
    expect(receiver.received).toHaveLength(1);
    await app.models.Event.collection.insertOne(event as never);
    app.clock.advance(2_000);
    await runJob(app, 'webhooks.claim');
    await receiver.waitFor(2);
  });
});
