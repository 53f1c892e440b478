import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { DURABLE } from './connect.ts';
import { isDuplicateOnly } from './duplicate-key.ts';
import { causeOfBulkError, isUnavailable } from './unavailable.ts';
import type { Insertion } from './unit-write.ts';

/** Pause before an insert is repeated that a failover interrupted. Milliseconds. */
const REPEAT_PAUSE_MS = 50;

/**
 * Inserts new documents without a transaction, the collections in parallel: durable when it resolves. Inserts that a
 * failover interrupts are repeated, since a document that the first try has written is recognized by its id.
 *
 * @param requireNoOutage throws once the database is unreachable: the inserts are then repeated no more
 * @throws the first error; documents that were inserted are removed again, unless the database is unreachable
 */
export async function insertDurably(
  insertions: readonly Insertion[],
  requireNoOutage: () => void,
): Promise<void> {
  const collections = [...Map.groupBy(insertions, ({ collection }) => collection)].map(
    ([collection, ofCollection]) => ({ collection, documents: ofCollection.map(({ document }) => document) }),
  );
  const results = await Promise.allSettled(
    collections.map(({ collection, documents }) => insertInto(collection, documents, requireNoOutage)),
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (!failed) return;
  if (!isUnavailable(failed.reason))
    await Promise.allSettled(
      collections.map(({ collection, documents }) =>
        collection.deleteMany({ _id: { $in: documents.map(({ _id }) => _id) } }),
      ),
    );
  throw failed.reason;
}

async function insertInto(
  collection: mongo.Collection,
  documents: mongo.Document[],
  requireNoOutage: () => void,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    requireNoOutage();
    try {
      await collection.insertMany(documents, { ordered: false, writeConcern: DURABLE });
      return;
    } catch (error) {
      // Those of an earlier try.
      if (tries > 1 && isDuplicateOnly(error)) return;
      if (!isInterrupted(error)) throw error;
      await sleep(REPEAT_PAUSE_MS);
    }
  }
}

/** Returns true if a failover may have interrupted the insert, before or after it was applied. */
function isInterrupted(error: unknown): boolean {
  if (causeOfBulkError(error) instanceof mongo.MongoServerSelectionError) return false;
  return (
    isUnavailable(error) ||
    (error instanceof mongo.MongoError && error.hasErrorLabel(mongo.MongoErrorLabel.RetryableWriteError))
  );
}
