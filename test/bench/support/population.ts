import { openDatabase } from '../../../src/database/models.ts';
import type { ConversationDoc } from '../../../src/features/conversations/conversations.model.ts';
import { EVENT_NAMES } from '../../../src/features/outbox/event-catalog.ts';
import type { EventDoc } from '../../../src/features/outbox/outbox-event.model.ts';
import type { DeliveryDoc } from '../../../src/features/webhooks/delivery/delivery.model.ts';
import { REPAIR_JOB } from '../../../src/features/webhooks/index.ts';
import { createCheckpoint } from '../../../src/platform/mongo/checkpoint.ts';
import { CUSTOM_EVENT } from '../../../src/shared/custom-events.ts';
import { startChild } from '../../support/child-process.ts';
import {
  cancelled,
  failing,
  MAX_VISITORS,
  type Stored,
  storedConversation,
  succeeded,
  waiting,
} from './documents.ts';
import type { PopulationCalls } from './population-writer.ts';

/** Tenants of a population; the rows of all are interleaved. */
const CUSTOMERS = 20;
const ENDPOINTS_PER_CUSTOMER = 5;
const ENDPOINTS = CUSTOMERS * ENDPOINTS_PER_CUSTOMER;
/** Time between two events. */
const INTERVAL_MS = 200;
/** Open deliveries are due so much later that no claim finds them. */
const DUE_AFTER_MS = 365 * 86_400_000;
/** Processes that insert at the same time, and documents per insert. */
const WRITERS = 2;
const CHUNK = 200_000;
/** The types of the events. Of custom types there are none. */
const TYPES = EVENT_NAMES.filter((name) => name !== CUSTOM_EVENT);
/** Smaller populations are stored again for each run. */
const KEPT_FROM = 100_000;

/** An event, its delivery, and a conversation. */
export interface Row {
  event: EventDoc;
  delivery: DeliveryDoc;
  conversation: ConversationDoc;
}

/** Tenant and endpoint of the delivery with a number. */
export function ownerOf(number: number): { customerId: number; endpointId: number } {
  const endpoint = number % ENDPOINTS;
  return { customerId: 1 + Math.floor(endpoint / ENDPOINTS_PER_CUSTOMER), endpointId: 1 + endpoint };
}

/** Number of visitors of each tenant: `v_0`, `v_1` and so on, who all have a conversation. */
export const visitorsOf = (rows: number): number => Math.min(MAX_VISITORS, Math.floor(rows / CUSTOMERS));

/** Of 20 deliveries to an endpoint 12 succeeded, 4 failed and 2 were cancelled; one is retried and one is pending. */
function settled(stored: Stored, index: number, { at, dueAt }: { at: Date; dueAt: Date }): DeliveryDoc {
  const state = index % 20;
  if (state < 12) return succeeded(stored, at);
  if (state < 16) return failing(stored, at, null);
  if (state < 18) return cancelled(stored, at);
  return state === 18 ? failing(stored, at, dueAt) : stored.delivery;
}

/**
 * Row 0 is the newest. A population of any size is the same in its newest rows, so a larger one is the smaller one
 * grown older.
 */
export function rowOf(number: number, newestAt: Date): Row {
  const index = Math.floor(number / ENDPOINTS);
  const at = new Date(newestAt.getTime() - number * INTERVAL_MS);
  const dueAt = new Date(newestAt.getTime() + DUE_AFTER_MS);
  const stored = waiting({ number, ...ownerOf(number) }, at, dueAt);
  const event = TYPES[index % TYPES.length] ?? stored.event.event;
  const delivery = { ...settled(stored, index, { at, dueAt }), event };
  const ofCustomer = Math.floor(number / CUSTOMERS);
  const conversation = storedConversation({
    number: ofCustomer,
    customerId: 1 + (number % CUSTOMERS),
    startedAt: new Date(newestAt.getTime() - ofCustomer * 1_000),
  });
  return { event: { ...stored.event, event }, delivery, conversation };
}

/**
 * Populates a database, unless it holds a population of that size from an earlier run.
 *
 * @returns time of its newest row
 */
export async function ensurePopulation(
  mongodbUri: string,
  rows: number,
  newestAt = new Date(Math.floor(Date.now() / 1000) * 1000),
): Promise<Date> {
  const { connection } = await openDatabase(mongodbUri);
  try {
    const populations = connection.collection<{ rows: number; newestAt: Date }>('benchPopulations');
    const known = await populations.findOne({ rows });
    if (known && rows >= KEPT_FROM) return known.newestAt;
    await connection.dropDatabase();
    await populate(mongodbUri, rows, newestAt);
    await populations.insertOne({ rows, newestAt });
    return newestAt;
  } finally {
    await connection.close();
  }
}

/** Stores the rows, oldest first, and builds the indexes afterwards, which takes a fraction of the time. */
async function populate(mongodbUri: string, rows: number, newestAt: Date): Promise<void> {
  const { connection, models } = await openDatabase(mongodbUri);
  const { Event, Delivery, Conversation } = models;
  const filled = [Event, Delivery, Conversation];
  for (const { collection } of filled) await collection.dropIndexes();
  await using stack = new AsyncDisposableStack();
  stack.defer(() => connection.close());
  let left = rows;
  const startedAt = performance.now();
  const writer = async () => {
    const child = stack.use(startChild<PopulationCalls>(import.meta.resolve('./population-writer.ts')));
    while (left > 0) {
      const to = left;
      left = Math.max(0, left - CHUNK);
      await child.call('write', { mongodbUri, from: left, to, newestAt });
      if (rows > CHUNK) report(`${rows - left} of ${rows} rows stored`, startedAt);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, writer));
  for (const { collection, schema } of filled)
    await collection.createIndexes(schema.indexes().map(([key, options]) => ({ key, ...options })) as never);
  if (rows > CHUNK) report('indexes built', startedAt);
  // The service that has stored the events has checked them; otherwise it would do so during the measurements.
  const newest = await Event.findOne({}, { _id: 1 }).sort({ _id: -1 }).orFail();
  await createCheckpoint(models.Checkpoint, REPAIR_JOB).save(newest._id);
}

const report = (text: string, startedAt: number): void => {
  process.stderr.write(`${text} (${Math.round((performance.now() - startedAt) / 1000)} s)\n`);
};
