import type { mongo } from 'mongoose';
import { isDuplicateOnly, refusedAsDuplicates } from './duplicate-key.ts';

/** Result of `bulkUpsert`. */
export interface UpsertResult {
  /** Number of documents that did not exist before. */
  created: number;
  /** Number of operations whose filter did not match the stored document. */
  refused: number;
}

/** Runs independent operations; `refused` lists the indexes of the operations whose document already exists. */
async function attempt<D extends mongo.Document>(
  collection: mongo.Collection<D>,
  operations: mongo.AnyBulkWriteOperation<D>[],
): Promise<{ created: number; refused: number[] }> {
  try {
    const { insertedCount, upsertedCount } = await collection.bulkWrite(operations, { ordered: false });
    return { created: insertedCount + upsertedCount, refused: [] };
  } catch (error) {
    if (!isDuplicateOnly(error)) throw error;
    return { created: error.insertedCount + error.upsertedCount, refused: refusedAsDuplicates(error) };
  }
}

/**
 * Runs independent upserts. An upsert runs again if another process inserts its document at the same time.
 *
 * @param first one operation per upsert to attempt before it: inserts take half the time if the documents are probably new
 */
export async function bulkUpsert<D extends mongo.Document>(
  collection: mongo.Collection<D>,
  upserts: mongo.AnyBulkWriteOperation<D>[],
  first = upserts,
): Promise<UpsertResult> {
  if (upserts.length === 0) return { created: 0, refused: 0 };
  const { created, refused } = await attempt(collection, first);
  if (refused.length === 0) return { created, refused: 0 };
  const again = await attempt(
    collection,
    refused.flatMap((index) => upserts[index] ?? []),
  );
  return { created: created + again.created, refused: again.refused.length };
}
