import { mongo } from 'mongoose';
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

/** Pause before an insert is repeated that a failover interrupted. Milliseconds. */
const REPEAT_PAUSE_MS = 50;

/**
 * Inserts new documents without a transaction, the collections in parallel: durable when it resolves. Inserts that a
 * failover interrupts are repeated, since a document that the first try has written is recognized by its id.
 *
 * @param requireRepeatable throws `DatabaseUnavailable` once the inserts may not be repeated any more
 * @throws the first error, after the documents that were inserted are removed again; `WriteUnconfirmed` if any of
 *   them may remain
 */
export async function insertDurably(
  insertions: readonly Insertion[],
  requireRepeatable: () => void,
  runtime: Runtime = systemRuntime,
): Promise<void> {
  const collections = [...Map.groupBy(insertions, ({ collection }) => collection)].map(
    ([collection, ofCollection]) => ({ collection, documents: ofCollection.map(({ document }) => document) }),
  );
  const results = await Promise.allSettled(
    collections.map(({ collection, documents }) =>
      insertInto(collection, documents, requireRepeatable, runtime),
    ),
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (!failed) return;
  if (isUnavailable(failed.reason)) throw failed.reason;
  const removals = await Promise.allSettled(
    collections.map(({ collection, documents }) => collection.deleteMany(byIds(documents), { hint: BY_ID })),
  );
  throw removals.every(({ status }) => status === 'fulfilled') ? failed.reason : new WriteUnconfirmed();
}

async function insertInto(
  collection: mongo.Collection,
  documents: DocumentRef[],
  requireRepeatable: () => void,
  runtime: Runtime,
): Promise<void> {
  let mayRemain = false;
  for (;;) {
    try {
      requireRepeatable();
      await collection.insertMany(documents, { ordered: false, writeConcern: DURABLE });
      return;
    } catch (error) {
      // Those of an earlier try, or of a repair.
      if (isDuplicateOnly(error)) return;
      if (!isInterrupted(error)) throw mayRemain && isUnavailable(error) ? new WriteUnconfirmed() : error;
      mayRemain = true;
      await runtime.sleep(REPEAT_PAUSE_MS);
    }
  }
}

/** Returns true if a failover may have interrupted the insert, before or after it was applied. */
function isInterrupted(error: unknown): boolean {
  // A repetition would be refused, or wait for the same members again.
  if (error instanceof DatabaseUnavailable || isUnconfirmed(error)) return false;
  if (causeOfBulkError(error) instanceof mongo.MongoServerSelectionError) return false;
  return (
    isUnavailable(error) ||
    (error instanceof mongo.MongoError && error.hasErrorLabel(mongo.MongoErrorLabel.RetryableWriteError))
  );
}
