import { mongo } from 'mongoose';
import { exponentialDelayMs } from '../exponential-delay.ts';
import { DURABLE } from '../mongo/connect.ts';
import { isDuplicateOnly } from '../mongo/duplicate-key.ts';
import { BY_ID, byIds, type DocumentRef } from '../mongo/ids-of-tenants.ts';
import {
  causeOfBulkError,
  DatabaseUnavailable,
  isUnavailable,
  isUnconfirmed,
  WriteUnconfirmed,
} from '../mongo/unavailable.ts';
import { type Runtime, systemRuntime } from '../runtime.ts';
import type { Insertion } from './unit-of-work.ts';

/** Pause before an interrupted insert is repeated; it doubles each time. */
const REPEAT_PAUSE = { firstMs: 50, maxMs: 400 };

/**
 * Inserts new documents without a transaction, the collections in parallel: durable when it resolves. Repeats
 * inserts that a failover interrupts, and recognizes the documents of an earlier try by their ids.
 *
 * @param requireRepeatable throws `DatabaseUnavailable` once the inserts may no longer be repeated
 * @throws the first error, after all inserts have ended; some documents may be stored
 */
export async function insertDurably(
  insertions: readonly Insertion[],
  requireRepeatable: () => void,
  runtime: Runtime = systemRuntime,
): Promise<void> {
  const results = await Promise.allSettled(
    byCollection(insertions).map(({ collection, documents }) =>
      insertInto(collection, documents, requireRepeatable, runtime),
    ),
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
}

/** Removes the documents of failed insertions. Returns false if some may remain. */
export async function removeInserted(insertions: readonly Insertion[]): Promise<boolean> {
  const removals = await Promise.allSettled(
    byCollection(insertions).map(({ collection, documents }) =>
      collection.deleteMany(byIds(documents), { hint: BY_ID }),
    ),
  );
  return removals.every(({ status }) => status === 'fulfilled');
}

const byCollection = (insertions: readonly Insertion[]) =>
  [...Map.groupBy(insertions, ({ collection }) => collection)].map(([collection, ofCollection]) => ({
    collection,
    documents: ofCollection.map(({ document }) => document),
  }));

async function insertInto(
  collection: mongo.Collection,
  documents: DocumentRef[],
  requireRepeatable: () => void,
  runtime: Runtime,
): Promise<void> {
  let mayRemain = false;
  for (let repeats = 0; ; repeats += 1) {
    try {
      requireRepeatable();
      await collection.insertMany(documents, { ordered: false, writeConcern: DURABLE });
      return;
    } catch (error) {
      // An earlier try or a repair has inserted the documents.
      if (isDuplicateOnly(error)) return;
      if (!isInterrupted(error)) throw mayRemain && isUnavailable(error) ? new WriteUnconfirmed() : error;
      mayRemain = true;
      await runtime.sleep(exponentialDelayMs(REPEAT_PAUSE, repeats));
    }
  }
}

/** Returns true if a failover may have interrupted the insert, before or after it was applied. */
function isInterrupted(error: unknown): boolean {
  // A repeated insert would be refused, or wait for the same members again.
  if (error instanceof DatabaseUnavailable || isUnconfirmed(error)) return false;
  if (causeOfBulkError(error) instanceof mongo.MongoServerSelectionError) return false;
  return (
    isUnavailable(error) ||
    (error instanceof mongo.MongoError && error.hasErrorLabel(mongo.MongoErrorLabel.RetryableWriteError))
  );
}
