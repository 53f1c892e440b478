import type { Model, mongo } from 'mongoose';
import { pauseAfterBatch } from '../../platform/batch-pause.ts';
import { untypedCollection } from '../../platform/mongo/raw-collection.ts';
import { openWindow } from '../../platform/mongo/scan-window.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import { createTimeSlice, mapInSlices } from '../../platform/time-slice.ts';
import { isEncrypted } from './encrypted-value.ts';
import type { FieldEncryption } from './field-encryption.ts';
import { isSeveralPeople, NO_PERSON, type Person, withIdentifiers } from './person.ts';
import {
  convertedProjection,
  convertedValues,
  encryptedFilters,
  hashedFilters,
  LOOKUPS,
  type OwnedDocument,
  type PersonalFields,
  type PersonalValue,
  personalProjection,
  plainFilters,
  withPersonalValues,
  withPlainWords,
} from './personal-fields.ts';

/** Documents that are decrypted together, unless a collection declares fewer. */
const BATCH = 100;

/** A collection with personal fields, and what reads them. */
export interface PersonalCollection {
  collection: mongo.Collection;
  personal: PersonalFields;
  encryption: FieldEncryption;
}

export const personalCollection = (
  model: Pick<Model<unknown>, 'collection'>,
  personal: PersonalFields,
  encryption: FieldEncryption,
): PersonalCollection => ({ collection: untypedCollection(model), personal, encryption });

/** Where a window of a tenant's documents begins, and how many it spans. */
export interface WindowPosition {
  tenant: TenantRef;
  /** Exclusive; null for the beginning. */
  after: unknown;
  size: number;
}

interface PersonalScan<D> extends WindowPosition {
  /** Further values of the first fields of the index, which replace those of the declaration. */
  of?: mongo.Document;
  /** Filter of the database on fields that are never encrypted; none by default. */
  where?: mongo.Document;
  /** Filter of the database on plain values. */
  match: mongo.Document;
  /** Further fields that are read; null for all. */
  projection?: Record<string, 1> | null;
  /** The same condition on a document with plain values, exactly: `match` may find more. */
  matches: (document: D) => boolean;
}

/** Groups the documents of a cursor. */
async function* inBatches<D>(
  { atOnce = BATCH }: PersonalFields,
  rows: AsyncIterable<D>,
): AsyncGenerator<D[]> {
  let batch: D[] = [];
  for await (const row of rows) {
    if (batch.push(row) < atOnce) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Streams documents without ciphertexts, and without those that cannot be decrypted. */
export async function* decryptedRows<D extends OwnedDocument>(
  encryption: FieldEncryption,
  personal: PersonalFields,
  rows: AsyncIterable<D>,
): AsyncGenerator<D> {
  for await (const batch of inBatches(personal, rows))
    yield* await encryption.decryptReadable(personal, batch);
}

/** Returns where the next window of a tenant's documents is, for `openWindow`. */
export function windowOf(
  { of, by, hint, range }: PersonalFields['scan'],
  { tenant, of: further, after, size }: WindowPosition & { of?: mongo.Document },
) {
  const { after: start = null, below } = range?.(tenant) ?? {};
  const { customerId } = tenant;
  return { of: { customerId, ...of, ...further }, by, hint, after: after ?? start, below, size };
}

/** Opens the next window; its rows are the matching documents, with their personal values. */
async function matchingRows<D extends OwnedDocument>(
  { collection, personal, encryption }: PersonalCollection,
  { where = {}, match, projection = {}, matches, ...scan }: PersonalScan<D>,
): Promise<{ batches: AsyncGenerator<D[]>; next: unknown }> {
  const { rows, next } = await openWindow<D>(collection, {
    ...windowOf(personal.scan, scan),
    match: { ...where, $or: [match, ...encryptedFilters(personal)] },
    projection: projection === null ? {} : { ...personalProjection(personal), ...projection },
  });
  async function* batches() {
    const yieldToRequests = createTimeSlice();
    for await (const batch of inBatches(personal, rows)) {
      const matching: D[] = [];
      for (const document of await encryption.decryptReadable(personal, batch)) {
        await yieldToRequests();
        if (matches(document)) matching.push(document);
      }
      yield matching;
    }
  }
  return { batches: batches(), next };
}

/**
 * Returns the documents of the next window that match a condition on their personal values. The database leaves out plain
 * values that do not match; all others are compared here.
 */
export async function scanPersonalDocuments<D extends OwnedDocument>(
  of: PersonalCollection,
  scan: PersonalScan<D>,
): Promise<{ found: D[]; next: unknown }> {
  const { batches, next } = await matchingRows(of, scan);
  const found: D[] = [];
  for await (const batch of batches) found.push(...batch);
  return { found, next };
}

/**
 * Returns the identifiers that stored documents link to a person, from one window to the next; it ends early once they are
 * those of several people. It pauses after each window: a chain of links reads a collection as often as it has steps.
 */
export async function linksIn<D extends OwnedDocument>(
  of: PersonalCollection,
  { signal, ...scan }: Omit<PersonalScan<D>, 'after'> & { signal: AbortSignal | undefined },
  identifiersOf: (found: D[]) => Partial<Person> | Promise<Partial<Person>>,
): Promise<Person> {
  let linked = NO_PERSON;
  let after: unknown = null;
  do {
    signal?.throwIfAborted();
    const startedAt = performance.now();
    const { found, next } = await scanPersonalDocuments<D>(of, { ...scan, after });
    linked = withIdentifiers(linked, await identifiersOf(found));
    after = next;
    if (after !== null) await pauseAfterBatch(startedAt);
  } while (after !== null && !isSeveralPeople(linked));
  return linked;
}

/** As `scanPersonalDocuments`; returns the ids alone, as text: documents can be large. */
export async function scanPersonal<D extends OwnedDocument>(
  of: PersonalCollection,
  scan: PersonalScan<D>,
): Promise<{ ids: string[]; next: unknown }> {
  const { batches, next } = await matchingRows(of, scan);
  const ids: string[] = [];
  for await (const batch of batches) ids.push(...batch.map(({ _id }) => String(_id)));
  return { ids, next };
}

/** Result of a write of several documents. */
export interface Replaced {
  replaced: number;
  /** Documents that have changed since they were read, or are removed. */
  skipped: number;
}

const hashesOf = (document: object): unknown => (document as Record<string, unknown>)[LOOKUPS];

/**
 * Returns the condition and the update of a document's hashes. They stay as they are unless a value that they are made of
 * changes, or is encrypted without them.
 */
function rehashed(
  { lookups }: PersonalFields,
  { stored, next, changed }: { stored: OwnedDocument; next: OwnedDocument; changed: readonly string[] },
): { filter: mongo.Document; $set: mongo.Document; $unset: mongo.Document } | null {
  if (!lookups) return null;
  const fieldOf = (document: object, field: string) => (document as Record<string, unknown>)[field] ?? null;
  const [from, to] = [hashesOf(stored), hashesOf(next)];
  const isMissing = from === undefined && to !== undefined;
  const isAffected = lookups.from.some(
    (field) => changed.includes(field) || (isMissing && isEncrypted(fieldOf(next, field))),
  );
  if (!isAffected) return null;
  return {
    filter: {
      ...Object.fromEntries(lookups.from.map((field) => [field, fieldOf(stored, field)])),
      [LOOKUPS]: from ?? { $exists: false },
    },
    $set: to === undefined ? {} : { [LOOKUPS]: to },
    $unset: to === undefined ? { [LOOKUPS]: 1 } : {},
  };
}

/** Stores other personal values of documents, unless a value has changed since the document was read. */
async function replaceStored<D extends OwnedDocument>(
  { collection, personal }: PersonalCollection,
  pairs: readonly (readonly [stored: D, next: D])[],
): Promise<Replaced> {
  const operations = pairs.flatMap(([stored, next]) => {
    const nextValues = convertedValues(personal, next);
    const changed = [...convertedValues(personal, stored)]
      .map(([path, from]) => ({ path, from, to: nextValues.get(path) ?? null }))
      .filter(({ from, to }) => from !== to);
    const hashes = rehashed(personal, { stored, next, changed: changed.map(({ path }) => path) });
    if (changed.length === 0 && !hashes) return [];
    const { _id, customerId } = stored;
    const route = personal.shardKey.map((name) => [name, (stored as Record<string, unknown>)[name]]);
    const filter = {
      ...{ _id, customerId, ...Object.fromEntries(route) },
      // With the operator: the names of an object's members can begin with `$`.
      ...Object.fromEntries(changed.map(({ path, from }) => [path, { $eq: from }])),
      ...hashes?.filter,
    };
    const $set = { ...Object.fromEntries(changed.map(({ path, to }) => [path, to])), ...hashes?.$set };
    const { $unset = {} } = hashes ?? {};
    const update = {
      ...(Object.keys($set).length > 0 && { $set }),
      ...(Object.keys($unset).length > 0 && { $unset }),
    };
    return [{ updateOne: { filter, update } }];
  });
  if (operations.length === 0) return { replaced: 0, skipped: 0 };
  const { modifiedCount } = await collection.bulkWrite(operations as mongo.AnyBulkWriteOperation[], {
    ordered: false,
  });
  return { replaced: modifiedCount, skipped: operations.length - modifiedCount };
}

/**
 * Changes personal values of documents, unless one has changed since the document was read.
 *
 * @param stored documents as they are stored, with their personal values
 * @param change returns the value to store instead, null for none
 */
export async function rewritePersonal<D extends OwnedDocument>(
  of: PersonalCollection,
  stored: D[],
  change: (value: PersonalValue, document: D) => unknown,
): Promise<Replaced> {
  const { personal, encryption } = of;
  const plain = await encryption.decryptReadable(personal, stored);
  const changed = await mapInSlices(plain, (document) =>
    withPersonalValues(personal, document, (value) => change(value, document)),
  );
  const encrypted = await encryption.encrypt(personal, changed);
  const valuesOf = (document: D | undefined) => document && convertedValues(personal, document);
  const indexes = new Map(plain.map(({ _id }, index) => [String(_id), index]));
  const pairs = stored.flatMap((document) => {
    const index = indexes.get(String(document._id));
    if (index === undefined) return [];
    const [before, after, next] = [plain[index], changed[index], encrypted[index]].map(valuesOf);
    const isSame = (path: string) => before?.get(path) === after?.get(path);
    const replaced = withPersonalValues(personal, document, ({ path, value }) =>
      isSame(path) ? value : (next?.get(path) ?? null),
    );
    return [[document, { ...replaced, [LOOKUPS]: hashesOf(encrypted[index] ?? {}) }] as const];
  });
  return replaceStored(of, pairs);
}

/** Result of the conversion of a window. */
export interface ConvertedWindow {
  converted: number;
  /** Documents with a value that cannot be decrypted: they stay as they are. */
  unreadable: number;
  /** Documents that have changed since they were read: another conversion of the window finds what is left of them. */
  skipped: number;
  /** Position of the next window; null after the last one. */
  next: unknown;
}

/**
 * Encrypts the values of the next window that are plain or, while encryption is off, decrypts those that are encrypted.
 */
export async function convertWindow(of: PersonalCollection, scan: WindowPosition): Promise<ConvertedWindow> {
  const { collection, personal, encryption } = of;
  const filters = encryption.isOn
    ? plainFilters(personal)
    : [...encryptedFilters(personal), ...hashedFilters(personal)];
  const { rows, next } = await openWindow<OwnedDocument>(collection, {
    ...windowOf(personal.scan, scan),
    match: { $or: filters },
    projection: convertedProjection(personal),
  });
  const window: ConvertedWindow = { converted: 0, unreadable: 0, skipped: 0, next };
  for await (const batch of inBatches(personal, rows)) {
    // Also before values are encrypted: the hashes of a document need all of its values.
    const plain = await encryption.decryptReadable(personal, batch);
    const target = await encryption.encrypt(personal, plain);
    const byId = new Map(batch.map((document) => [String(document._id), document]));
    const pairs = target.map((converted) => {
      const stored = byId.get(String(converted._id)) ?? converted;
      const next = encryption.isOn
        ? withCiphertextsOf(personal, stored, converted)
        : withPlainWords(personal, converted);
      return [stored, next] as const;
    });
    const { replaced, skipped } = await replaceStored(of, pairs);
    window.converted += replaced;
    window.skipped += skipped;
    window.unreadable += batch.length - target.length;
  }
  return window;
}

/** Returns the document with the values of the stored one that are encrypted already. */
function withCiphertextsOf<D extends OwnedDocument>(personal: PersonalFields, stored: D, document: D): D {
  const storedValues = convertedValues(personal, stored);
  return withPersonalValues(personal, document, ({ path, value }) => {
    const before = storedValues.get(path);
    return isEncrypted(before) ? before : value;
  });
}
