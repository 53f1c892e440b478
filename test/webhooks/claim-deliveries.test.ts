import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Models, modelsOf } from '../../src/database.ts';
import { outboxEventStore } from '../../src/features/outbox/outbox-event.store.ts';
import type { DeliveryDoc } from '../../src/features/webhooks/delivery/delivery.model.ts';
import { queueStore } from '../../src/features/webhooks/delivery/queue.store.ts';
import { newObjectId } from '../../src/platform/mongo/object-id.ts';
import { freshDatabase } from '../support/app.ts';

const NOW = new Date('2026-01-31T09:30:00Z');
const LEASE = { token: 'token', expiresAt: new Date('2026-01-31T09:30:15Z') };
let connection: mongoose.Connection;
let models: Models;

beforeAll(async () => {
  connection = await mongoose.createConnection(freshDatabase()).asPromise();
  models = modelsOf(connection);
});
afterAll(async () => {
  await connection.dropDatabase();
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

test('exhausted deliveries that are claimed together keep their own errors', async () => {
  const queue = queueStore({ Delivery: models.Delivery, events: outboxEventStore(models) });
  const deliveries = ['http_500', 'timeout', null].map(exhausted);
  await models.Delivery.insertMany(deliveries);
  const quotas = [{ customerId: 1, endpointId: 1, slots: deliveries.length }];
  const candidates = await queue.candidates('scheduled', quotas, NOW);
  expect(candidates).toHaveLength(deliveries.length);
  expect(await queue.claim(candidates, LEASE, NOW)).toEqual([]);
  const failed = await models.Delivery.find().sort({ error: 1 }).lean<DeliveryDoc[]>();
  expect(failed.map(({ status, error }) => [status, error])).toEqual([
    ['failed', 'http_500'],
    ['failed', 'interrupted'],
    ['failed', 'timeout'],
  ]);
});
