import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Models, modelsOf } from '../../src/database/models.ts';
import { outboxEventStore } from '../../src/features/outbox/outbox-event.store.ts';
import { NO_ENCRYPTION } from '../../src/features/privacy/field-encryption.ts';
import type { DeliveryDoc } from '../../src/features/webhooks/delivery/delivery.model.ts';
import { orderStore } from '../../src/features/webhooks/delivery/order.store.ts';
import { queueStore } from '../../src/features/webhooks/delivery/queue.store.ts';
import { settleUpdate } from '../../src/features/webhooks/delivery/state-updates.ts';
import { newObjectId } from '../../src/platform/mongo/object-id.ts';
import { eventually, startApp } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { runJob } from '../support/jobs.ts';
import { deliveriesOf, listening } from './support.ts';

const NOW = new Date('2026-01-31T09:30:00Z');
const LEASE = { token: 'token', expiresAt: new Date('2026-01-31T09:30:15Z') };
let connection: mongoose.Connection;
let models: Models;

beforeAll(async () => {
  connection = await mongoose.createConnection(freshDatabase()).asPromise();
  models = modelsOf(connection);
});
afterAll(async () => {
  await connection.close();
});

/** A delivery whose process died during its fifth attempt. @param error of the fourth attempt */
const exhausted = (error: string | null): DeliveryDoc => ({
  _id: newObjectId(NOW),
  customerId: 1,
  endpointId: 1,
  eventId: newObjectId(NOW),
  event: 'conversation.started',
  status: 'retrying',
  attempt: 5,
  lane: 'scheduled',
  dueAt: NOW,
  lease: 'dead',
  nextRetryAt: NOW,
  createdAt: NOW,
  lastAttemptAt: NOW,
  responseStatus: null,
  error,
  durationMs: 5,
  attempts: [],
});

const newQueue = () =>
  queueStore({
    Delivery: models.Delivery,
    events: outboxEventStore(models, NO_ENCRYPTION),
    encryption: NO_ENCRYPTION,
  });

test('exhausted deliveries that are claimed together keep their own errors', async () => {
  const queue = newQueue();
  const deliveries = ['http_500', 'timeout', null].map(exhausted);
  await models.Delivery.insertMany(deliveries);
  const quotas = [{ customerId: 1, endpointId: 1, slots: deliveries.length }];
  const candidates = await queue.candidates('scheduled', quotas, NOW);
  expect(candidates).toHaveLength(deliveries.length);
  expect(await queue.claim(candidates, LEASE, { now: NOW })).toEqual([]);
  const failed = await models.Delivery.find().sort({ error: 1 }).lean<DeliveryDoc[]>();
  expect(failed.map(({ status, error }) => [status, error])).toEqual([
    ['failed', 'http_500'],
    ['failed', 'interrupted'],
    ['failed', 'timeout'],
  ]);
});

test.each([
  ['after a claim', false],
  ['beside a claim', true],
])('a delivery that returns to the queue %s is not passed over', async (_when, isBeside) => {
  const queue = newQueue();
  const endpointId = isBeside ? 3 : 2;
  const at = (second: number) => new Date(NOW.getTime() - 60_000 + second * 1_000);
  const [returned, ...others] = [1, 2, 3, 4].map((second) => ({
    ...{ ...exhausted(null), endpointId, attempt: 1, lane: 'inline' as const },
    ...{ status: 'pending' as const, dueAt: at(second) },
  }));
  if (!returned) throw new Error('None');
  const { _id: id, customerId } = returned;
  await models.Delivery.insertMany([...others, { ...returned, lease: 'held', dueAt: LEASE.expiresAt }]);
  const read = async (slots: number) =>
    (await queue.candidates('inline', [{ customerId, endpointId, slots }], NOW)).map(({ _id }) => _id);
  expect(await read(2)).toEqual(others.slice(0, 2).map(({ _id }) => _id));
  const result = { at: NOW, responseStatus: 500, responseBody: null, error: 'http_500', durationMs: 1 };
  const update = settleUpdate(
    { outcome: 'resume', at: at(1), lane: 'inline' },
    { result: { ...result, retryAfter: undefined }, manual: true, request: 1, now: NOW, lease: LEASE },
  );
  const claiming = isBeside ? read(1) : null;
  expect(await queue.apply([{ id, customerId, endpointId, token: 'held', update }])).toBe(1);
  await claiming;
  expect(await read(1)).toEqual([id]);
});

test.each([1, 2])(
  '%i results that were logged as late ones are not logged again under their lease',
  async (count) => {
    const queue = newQueue();
    const deliveries = Array.from({ length: count }, (_, index) => ({
      ...exhausted(null),
      ...{ endpointId: 10 + index, attempt: 1, lease: 'held', dueAt: LEASE.expiresAt },
    }));
    await models.Delivery.insertMany(deliveries);
    const updates = deliveries.map(({ _id: id, customerId, endpointId }, index) => {
      const result = { at: NOW, responseStatus: 500, responseBody: null, error: 'http_500', durationMs: 1 };
      const update = settleUpdate(
        { outcome: 'failed' },
        {
          result: { ...result, retryAfter: undefined },
          manual: false,
          request: index,
          now: NOW,
          lease: LEASE,
        },
      );
      return { id, customerId, endpointId, token: 'held', update };
    });
    await queue.recordLate(updates);
    expect(await queue.apply(updates)).toBe(0);
    const stored = await models.Delivery.find({ _id: deliveries.map(({ _id }) => _id) }).lean<
      DeliveryDoc[]
    >();
    expect(stored.map(({ attempts, lease }) => [attempts.length, lease])).toEqual(
      deliveries.map(() => [1, 'held']),
    );
  },
);

test('as many deliveries again as there are slots are claimed ahead, and each is sent once', async () => {
  const app = await startApp({
    WEBHOOK_CONCURRENCY: '4',
    WEBHOOK_CONCURRENCY_PER_ENDPOINT: '4',
    WEBHOOK_CONCURRENCY_PER_TENANT: '4',
  });
  onTestFinished(() => app.stop());
  const { tenant, endpoint, receiver } = await listening(app, { status: 200, delayMs: 1_500 });
  const count = 20;
  const due = Array.from({ length: count }, () => {
    const { lease: _lease, ...delivery } = exhausted(null);
    const { customerId } = tenant;
    const now = app.clock.now();
    const event = { _id: delivery.eventId, customerId, event: delivery.event, payload: '{}', createdAt: now };
    return {
      event,
      delivery: {
        ...delivery,
        customerId,
        endpointId: endpoint.id,
        status: 'pending',
        attempt: 0,
        lane: 'inline',
        dueAt: now,
      },
    };
  });
  await app.models.Event.insertMany(due.map(({ event }) => event));
  await app.models.Delivery.insertMany(due.map(({ delivery }) => delivery));
  const claimed = runJob(app, 'webhooks.claim');
  const { customerId } = tenant;
  await eventually(
    async () => (await app.models.Delivery.countDocuments({ customerId, lease: { $exists: true } })) === 8,
  );
  expect(receiver.peak()).toBeLessThanOrEqual(4);
  receiver.behave(200);
  await claimed;
  await eventually(async () => {
    const deliveries = await deliveriesOf(app, tenant, endpoint, '?limit=50');
    return deliveries.every(({ status, attempt }) => status === 'succeeded' && attempt === 1);
  });
  const ids = receiver.received.map(({ headers }) => headers['x-svc-delivery-id']);
  expect([ids.length, new Set(ids).size]).toEqual([count, count]);
  expect(receiver.peak()).toBeLessThanOrEqual(4);
});

test('a delivery that another process has held since it was read is not claimed', async () => {
  const queue = newQueue();
  const delivery = { ...exhausted(null), endpointId: 4, attempt: 1 };
  await models.Delivery.create(delivery);
  const candidates = await queue.candidates('scheduled', [{ customerId: 1, endpointId: 4, slots: 1 }], NOW);
  await orderStore(models).hold(candidates, NOW);
  expect(await queue.claim(candidates, LEASE, { now: NOW })).toEqual([]);
  expect(await models.Delivery.findById(delivery._id).lean()).toMatchObject({ lane: 'held' });
  expect(await models.Delivery.exists({ _id: delivery._id, lease: { $exists: true } })).toBeNull();
});

test('a held delivery with an expired lease, as an earlier build could leave it, is due again', async () => {
  const order = orderStore(models);
  const delivery = {
    ...{ ...exhausted(null), endpointId: 5, attempt: 1, conversationId: 'c' },
    lane: 'held' as const,
  };
  await models.Delivery.create(delivery);
  const heads = await order.heads({ customerId: 1, endpointId: 5 }, { ids: ['c'] });
  expect(await order.unhold(heads, new Date(NOW.getTime() - 1))).toBe(0);
  expect(await order.unhold(heads, NOW)).toBe(1);
  expect(await models.Delivery.exists({ _id: delivery._id, lane: 'held' })).toBeNull();
  expect(await models.Delivery.exists({ _id: delivery._id, lease: { $exists: true } })).toBeNull();
});
