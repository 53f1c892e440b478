import type { KeyObject } from 'node:crypto';
import { setImmediate as yieldToRequests } from 'node:timers/promises';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { mongo } from 'mongoose';
import { CipherError, decryptBytes, encryptBytes } from '../../../platform/cipher.ts';
import { isShallow } from '../../../platform/json-depth.ts';
import type { ProviderRecordDoc } from './provider-records.model.ts';

/** Longest record as JSON in UTF-8, without its transcript. */
export const MAX_RECORD_BYTES = 262_144;
/** Deepest record: a JSON encoder overflows the stack at a depth that depends on its caller. */
export const MAX_RECORD_LEVELS = 100;

/** A tenant's data key. */
export interface RecordKey {
  id: string;
  key: KeyObject;
}

/** A record as it is stored. */
export type EncryptedRecord = Pick<ProviderRecordDoc, 'keyId' | 'data'>;

/** Binds a record to its meeting. */
const recordOwner = (meetingKey: string): string => `meetingRecord:${meetingKey}`;

/** Returns the JSON of a record; null if it is too large. */
function encode(record: unknown): Buffer | null {
  if (!isShallow(record, MAX_RECORD_LEVELS)) return null;
  const json = Buffer.from(JSON.stringify(record));
  return json.length <= MAX_RECORD_BYTES ? json : null;
}

/**
 * Compresses and encrypts a provider's record. Compression in the thread pool costs more than the 30 µs that it saves.
 *
 * @param meetingKey id of the stored meeting
 * @returns null if the record is too large
 */
export async function encryptRecord(
  { id, key }: RecordKey,
  meetingKey: string,
  record: unknown,
): Promise<EncryptedRecord | null> {
  // A page of large records would block the event loop.
  await yieldToRequests();
  const json = encode(record);
  if (!json) return null;
  const data = encryptBytes(key, deflateRawSync(json), recordOwner(meetingKey));
  return { keyId: id, data: new mongo.Binary(data) };
}

/** Returns a stored record; undefined if it is encrypted under a key that was replaced, or was modified. */
export function decryptRecord({ id, key }: RecordKey, { _id, keyId, data }: ProviderRecordDoc): unknown {
  if (keyId !== id) return undefined;
  try {
    const compressed = decryptBytes(key, Buffer.from(data.buffer), recordOwner(_id));
    return JSON.parse(inflateRawSync(compressed, { maxOutputLength: MAX_RECORD_BYTES }).toString('utf8'));
  } catch (error) {
    if (error instanceof CipherError) return undefined;
    throw error;
  }
}
