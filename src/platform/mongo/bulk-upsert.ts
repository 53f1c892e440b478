import type { mongo } from 'mongoose';
import { isDuplicateOnly } from './duplicate-key.ts';

/**
 * Runs independent upserts. Those of documents that another process inserts at the same time run again.
 *
 * @param attempts operations to try first, by upsert: inserts of documents that are probably new take half of the time
 * @throws mongo.MongoBulkWriteError for which `isDuplicateOnly` is true if documents exist that the filters do not match
 */
export async function bulkUpsert<D extends mongo.Document>(
  collection: mongo.Collection<D>,
  operations: mongo.AnyBulkWriteOperation<D>[],
  attempts = operations,
): Promise<void> {
  try {
    await collection.bulkWrite(attempts, { ordered: false });
  } catch (error) {
    if (!isDuplicateOnly(error)) throw error;
    const refused = [error.writeErrors].flat().flatMap(({ index }) => operations[index] ?? []);
    await collection.bulkWrite(refused, { ordered: false });
  }
}
