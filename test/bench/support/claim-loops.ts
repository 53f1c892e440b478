import { randomUUID } from 'node:crypto';
import { mongo } from 'mongoose';
import { type Database, openDatabase } from '../../../src/database/models.ts';
import { outboxEventStore } from '../../../src/features/outbox/outbox-event.store.ts';
import { NO_ENCRYPTION } from '../../../src/features/privacy/field-encryption.ts';
import type { DeliveryDoc } from '../../../src/features/webhooks/delivery/delivery.model.ts';
import { queueStore } from '../../../src/features/webhooks/delivery/queue.store.ts';
import { createResultWriter } from '../../../src/features/webhooks/delivery/results.ts';
import { settle } from '../../../src/features/webhooks/delivery/state.ts';
import { settleUpdate } from '../../../src/features/webhooks/delivery/state-updates.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { issueLease } from '../../../src/platform/leases/lease.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { answerCalls } from '../../support/child-process.ts';
import { sharedNow } from './time.ts';

interface Options {
  mongodbUri: string;
  /** Deliveries to claim and finish; so many have to be due. */
  count: number;
  /** Deliveries that a claim takes at most. */
  batch: number;
}

/** Duration in milliseconds. */
interface Took {
  ms: number;
}

const LANE = 'inline';
const LEASE_MS = 30_000;
const POLICY = { delays: [300_000, 1_800_000, 7_200_000], random: () => 0.5 } as const;
/** Results that may wait before the next claim, as in the dispatcher. */
const MAX_UNWRITTEN = 2_000;

let database: Promise<Database> | undefined;
let client: Promise<mongo.MongoClient> | undefined;

const result = (at: Date) => ({
  at,
  responseStatus: 200,
  responseBody: '',
  error: null,
  durationMs: 3,
  retryAfter: undefined,
});

/** The service's own queue, as its dispatcher uses it, with nothing sent in between. */
async function service({ mongodbUri, count, batch }: Options): Promise<Took> {
  database ??= openDatabase(mongodbUri);
  const { models } = await database;
  const queue = queueStore({
    Delivery: models.Delivery,
    events: outboxEventStore(models, NO_ENCRYPTION),
    encryption: NO_ENCRYPTION,
  });
  const results = createResultWriter(queue, createLogger('silent'));
  const startedAt = sharedNow();
  let left = count;
  while (left > 0) {
    const now = new Date();
    const due = await queue.endpointsDue({ lane: LANE, now, after: null, limit: batch });
    const slots = Math.ceil(Math.min(batch, left) / due.length);
    const quotas = due.map((endpoint) => ({ ...endpoint, slots }));
    const candidates = (await queue.candidates(LANE, quotas, now)).slice(0, left);
    const claimed = await queue.claim(candidates, issueLease(systemClock, LEASE_MS), { now });
    if (claimed.length === 0) throw new Error(`Nothing more is due; ${left} of ${count} are missing.`);
    left -= claimed.length;
    let last: Promise<boolean> | undefined;
    for (const delivery of claimed) {
      const made = result(now);
      const settled = settle({ attempt: delivery.attempt, manual: null }, made, { now, policy: POLICY });
      const lease = issueLease(systemClock, LEASE_MS);
      const update = settleUpdate(settled, { result: made, manual: false, request: left, now, lease });
      last = results.write({
        id: delivery._id,
        customerId: delivery.customerId,
        endpointId: delivery.endpointId,
        token: delivery.lease ?? '',
        update,
      });
    }
    if (results.backlog() > MAX_UNWRITTEN) await last;
  }
  await results.idle();
  return { ms: sharedNow() - startedAt };
}

/** Find, lease, finish: the least that a queue in a collection takes, with the raw driver. */
async function bare({ mongodbUri, count, batch }: Options): Promise<Took> {
  client ??= new mongo.MongoClient(mongodbUri).connect();
  const deliveries = (await client).db().collection<DeliveryDoc>('webhookDeliveries');
  const startedAt = sharedNow();
  let left = count;
  while (left > 0) {
    const now = new Date();
    const token = randomUUID();
    const found = await deliveries
      .find({ lane: LANE, endpointId: { $gte: 0 }, dueAt: { $lte: now } })
      .hint({ lane: 1, endpointId: 1, dueAt: 1 })
      .limit(Math.min(batch, left))
      .toArray();
    if (found.length === 0) throw new Error(`Nothing more is due; ${left} of ${count} are missing.`);
    await deliveries.updateMany(
      { _id: { $in: found.map(({ _id }) => _id) }, dueAt: { $lte: now } },
      { $set: { lease: token, dueAt: new Date(now.getTime() + LEASE_MS) }, $inc: { attempt: 1 } },
    );
    const { retryAfter: _retryAfter, at, ...last } = result(now);
    await deliveries.bulkWrite(
      found.map(({ _id }) => ({
        updateOne: {
          filter: { _id, lease: token },
          update: {
            $set: { ...last, status: 'succeeded', lastAttemptAt: at, nextRetryAt: null, finishedAt: now },
            $unset: { lease: '', dueAt: '' },
            $push: { attempts: { ...last, at, manual: false } },
          },
        },
      })),
      { ordered: false, writeConcern: { w: 1 } },
    );
    left -= found.length;
  }
  return { ms: sharedNow() - startedAt };
}

const handlers = { service, bare };
export type ClaimCalls = typeof handlers;
answerCalls(handlers);
