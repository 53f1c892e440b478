import type { KeyObject } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { mongo } from 'mongoose';
import { CipherError, decryptBytes, encryptBytes } from '../../../platform/cipher.ts';
import { isShallow } from '../../../platform/json-depth.ts';
import { jsonBytes } from '../../../platform/json-size.ts';
import type { ProviderRecordDoc } from './provider-records.model.ts';

/** Maximum size of a record as JSON in UTF-8. */
export const MAX_RECORD_BYTES = 262_144;
/** Maximum depth of a record: a JSON encoder overflows the stack at a depth that depends on its caller. */
export const MAX_RECORD_LEVELS = 100;

/** A tenant's data key. */
export interface RecordKey {
  id: string;
  key: KeyObject;
}

/** A record that can be stored, and the key to encrypt it with. */
export interface StorableRecord {
  key: RecordKey;
  json: string;
}

/** Binds a record to its meeting. */
const recordOwner = (meetingKey: string): string => `meetingRecord:${meetingKey}`;

/** Returns the JSON of a record; null if it is too large. */
export function encodeRecord(record: unknown): string | null {
  if (!isShallow(record, MAX_RECORD_LEVELS) || jsonBytes(record, MAX_RECORD_BYTES) > 2 * MAX_RECORD_BYTES)
    return null;
  const json = JSON.stringify(record);
  return Buffer.byteLength(json) <= MAX_RECORD_BYTES ? json : null;
}

/**
 * Compresses and encrypts a provider's record, synchronously: the thread pool costs more than the 30 µs it would save.
 *
 * @param meetingKey id of the stored meeting
 */
export function encryptRecord(
  { key: { id, key }, json }: StorableRecord,
  meetingKey: string,
): Required<Pick<ProviderRecordDoc, 'keyId' | 'data'>> {
  const data = encryptBytes(key, deflateRawSync(json), recordOwner(meetingKey));
  return { keyId: id, data: new mongo.Binary(data) };
}

/** True for a record that inflates to more than the maximum. */
const isTooLarge = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';

/** Returns undefined if no record was stored, its key was replaced, it was modified, or it is too large. */
export function decryptRecord({ id, key }: RecordKey, { _id, keyId, data }: ProviderRecordDoc): unknown {
  if (keyId !== id || !data) return undefined;
  try {
    const compressed = decryptBytes(key, Buffer.from(data.buffer), recordOwner(_id));
    return JSON.parse(inflateRawSync(compressed, { maxOutputLength: MAX_RECORD_BYTES }).toString('utf8'));
  } catch (error) {
    if (error instanceof CipherError || isTooLarge(error)) return undefined;
    throw error;
  }
}
