import { mongo } from 'mongoose';

const DUPLICATE_KEY = 11_000;

/** Returns the first field of the unique index that a write violated; null for any other error. */
export function duplicateKeyOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error) || error.code !== DUPLICATE_KEY)
    return null;
  // The error of a bulk write names the index only in its message.
  if ('keyPattern' in error && typeof error.keyPattern === 'object' && error.keyPattern !== null)
    return Object.keys(error.keyPattern)[0] ?? '';
  return /dup key: \{ (\w+):/.exec('message' in error ? String(error.message) : '')?.[1] ?? '';
}

/** Returns true if an unordered bulk write failed only because documents exist already. */
export function isDuplicateOnly(error: unknown): error is mongo.MongoBulkWriteError {
  if (!(error instanceof mongo.MongoBulkWriteError) || error.result.getWriteConcernError()) return false;
  const refused = [error.writeErrors].flat();
  // Empty if a connection error ended the write.
  return refused.length > 0 && refused.every(({ code }) => code === DUPLICATE_KEY);
}

/** Returns the indexes of the operations that an unordered bulk write refused as duplicates. @throws any other error */
export function refusedAsDuplicates(error: unknown): number[] {
  if (!isDuplicateOnly(error)) throw error;
  return [error.writeErrors].flat().map(({ index }) => index);
}
