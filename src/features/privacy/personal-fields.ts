import { mongo } from 'mongoose';
import type { TenantRef } from '../../platform/tenant-ref.ts';

/** What clients read instead of a text that cannot be decrypted. */
export const UNREADABLE = '[unreadable]';

/** As `UNREADABLE`, for JSON of an object. */
export const UNREADABLE_JSON = '{"unreadable":true}';

/** A stored document of a tenant. */
export interface OwnedDocument {
  _id: unknown;
  customerId: number;
}

/** An identifier that documents are found by. */
export interface Lookup {
  type: string;
  identifier: string;
}

/** Field with the keyed hashes of a document's lookups, while its values are encrypted. */
export const LOOKUPS = 'lookups';

/** The personal fields of a collection: what `PII_ENCRYPTION` encrypts. Declared beside the schema. */
export interface PersonalFields {
  collection: string;
  /** Top-level fields; their schema type is `Mixed`, because mongoose must not cast a ciphertext. */
  fields?: readonly string[];
  /** An array whose elements are values; all have one place. */
  values?: string;
  /** A field of each element of an array. `id` names the field that identifies an element: positions can change. */
  elements?: { array: string; field: string; id: string };
  /** Documents that a scan has in memory, and that are decrypted without yielding; absent unless they are large. */
  atOnce?: number;
  /** What clients read instead of a value that cannot be decrypted, by field; null for the other fields. */
  unreadableAs?: Readonly<Record<string, unknown>>;
  /** Fields of the shard key after the tenant, for updates of one document. */
  shardKey: readonly string[];
  /** Identifiers that lists find a document by: their fields, and a function that returns them. Absent without any. */
  lookups?: { from: readonly string[]; of: (document: never) => Lookup[] };
  /**
   * An array of words that lists find a document by, stored as keyed hashes; and the function that returns the words of a
   * document without ciphertexts. Absent without any.
   */
  hashed?: { field: string; of: (document: never) => string[] };
  /**
   * Index that serves a scan of all documents of a tenant, as `scanWindow` reads it. `range` bounds its field, if the
   * index does not begin with the tenant.
   */
  scan: {
    of?: mongo.Document;
    by: string;
    hint: mongo.IndexSpecification;
    range?: (tenant: TenantRef) => { after: string; below: string };
  };
}

/** Returns the keyed hash of a lookup. */
export type Hash = (lookup: Lookup) => string;

/** Bytes of the stored hash of a word: a document has many of them, and an index of each. */
const WORD_HASH_BYTES = 12;

/** Returns the stored form of a word. */
export const hashedWord = (hash: Hash, word: string): mongo.Binary =>
  new mongo.Binary(Buffer.from(hash({ type: 'word', identifier: word }), 'hex').subarray(0, WORD_HASH_BYTES));

/** A personal value of a document. */
export interface PersonalValue {
  /** Name of the field, or of the field of the elements. */
  field: string;
  /** Path of the value in the document. */
  path: string;
  /** Place of the value, also after positions in an array have changed: its ciphertext is bound to it. */
  place: string;
  value: unknown;
}

const membersOf = (document: object): Record<string, unknown> => document as Record<string, unknown>;

const elementsOf = (document: object, array: string): Record<string, unknown>[] => {
  const found = membersOf(document)[array];
  return Array.isArray(found) ? found : [];
};

/** Returns the personal values that a document has; null is none. */
function personalValues(
  { fields = [], values: list, elements }: PersonalFields,
  document: OwnedDocument,
): PersonalValue[] {
  const values: PersonalValue[] = [];
  if (list)
    for (const [index, value] of elementsOf(document, list).entries())
      values.push({ field: list, path: `${list}.${index}`, place: list, value });
  for (const field of fields) {
    const value = membersOf(document)[field];
    if (value != null) values.push({ field, path: field, place: field, value });
  }
  if (!elements) return values;
  const { array, field, id } = elements;
  for (const [index, element] of elementsOf(document, array).entries())
    if (element[field] != null)
      values.push({
        field,
        path: `${array}.${index}.${field}`,
        place: `${array}.${String(element[id])}.${field}`,
        value: element[field],
      });
  return values;
}

/** Returns whether a document has a personal value of some form; lists ask for each of their rows. */
export function hasPersonalValue(
  { fields = [], values, elements }: PersonalFields,
  document: OwnedDocument,
  is: (value: unknown) => boolean,
): boolean {
  const members = membersOf(document);
  return (
    fields.some((field) => is(members[field])) ||
    (values !== undefined && elementsOf(document, values).some(is)) ||
    (elements !== undefined &&
      elementsOf(document, elements.array).some((element) => is(element[elements.field])))
  );
}

/** Returns a copy of a document with other personal values; the document itself if none differs. */
export function withPersonalValues<D extends OwnedDocument>(
  personal: PersonalFields,
  document: D,
  replacement: (value: PersonalValue) => unknown,
): D {
  let copy: Record<string, unknown> | null = null;
  for (const personalValue of personalValues(personal, document)) {
    const replaced = replacement(personalValue);
    if (replaced === personalValue.value) continue;
    copy ??= copyOf(personal, document);
    const [first = '', index, field] = personalValue.path.split('.');
    if (index === undefined) copy[first] = replaced;
    else {
      const array = copy[first] as unknown[];
      array[Number(index)] =
        field === undefined ? replaced : { ...(array[Number(index)] as object), [field]: replaced };
    }
  }
  return (copy as D | null) ?? document;
}

/** Returns a copy of a document with hashes instead of words; the document itself if it has no words. */
export function withHashedWords<D extends OwnedDocument>(
  { hashed }: PersonalFields,
  document: D,
  hash: Hash,
): D {
  const words: unknown = hashed && membersOf(document)[hashed.field];
  if (!hashed || !Array.isArray(words) || !words.some((word) => typeof word === 'string')) return document;
  const hashes = words.map((word: unknown) => (typeof word === 'string' ? hashedWord(hash, word) : word));
  return { ...document, [hashed.field]: hashes };
}

/** Returns a copy of a document without ciphertexts with words instead of hashes; the document itself if it has none. */
export function withPlainWords<D extends OwnedDocument>({ hashed }: PersonalFields, document: D): D {
  const words: unknown = hashed && membersOf(document)[hashed.field];
  if (!hashed || !Array.isArray(words) || words.every((word) => typeof word === 'string')) return document;
  return { ...document, [hashed.field]: hashed.of(document as never) };
}

/** Returns everything that a conversion of a document changes, apart from the hashes of its lookups, by path. */
export function convertedValues(personal: PersonalFields, document: OwnedDocument): Map<string, unknown> {
  const values = new Map(personalValues(personal, document).map(({ path, value }) => [path, value]));
  const { hashed } = personal;
  if (hashed && hashed.field in document) values.set(hashed.field, membersOf(document)[hashed.field]);
  return values;
}

/** Update that replaces the personal fields of a stored document: hashes that it no longer has are removed. */
export const replacement = (
  { lookups }: Pick<PersonalFields, 'lookups'>,
  fields: object,
): mongo.Document => ({
  $set: fields,
  ...(lookups && !(LOOKUPS in fields) && { $unset: { [LOOKUPS]: 1 } }),
});

function copyOf({ values, elements }: PersonalFields, document: object): Record<string, unknown> {
  const copy = { ...document } as Record<string, unknown>;
  const array = values ?? elements?.array;
  if (array !== undefined && Array.isArray(copy[array])) copy[array] = [...elementsOf(copy, array)];
  return copy;
}

/** Names of the fields of a collection in filters and projections. */
const pathsOf = ({ fields = [], elements }: PersonalFields): string[] => [
  ...fields,
  ...(elements ? [`${elements.array}.${elements.field}`] : []),
];

/** Projection of the personal values, with what identifies and routes a document. */
export const personalProjection = (personal: PersonalFields): Record<string, 1> =>
  Object.fromEntries(
    [
      'customerId',
      ...(personal.lookups ? [LOOKUPS] : []),
      ...personal.shardKey,
      ...pathsOf(personal),
      ...(personal.elements ? [`${personal.elements.array}.${personal.elements.id}`] : []),
    ].map((name) => [name, 1]),
  );

/** As `personalProjection`, with the words that a conversion replaces. */
export const convertedProjection = (personal: PersonalFields): Record<string, 1> => ({
  ...personalProjection(personal),
  ...(personal.hashed && { [personal.hashed.field]: 1 }),
});

/** Filters: documents with an encrypted value. No client can store binary data in these fields. */
export const encryptedFilters = (personal: PersonalFields): mongo.Document[] =>
  pathsOf(personal).map((path) => ({ [path]: { $type: 'binData' } }));

/** Filters: documents that have hashes of words. */
export const hashedFilters = ({ hashed }: PersonalFields): mongo.Document[] =>
  hashed ? [{ [hashed.field]: { $type: 'binData' } }] : [];

/** Filters: documents with a value or word that is plain, or whose encrypted values have no hashes. */
export const plainFilters = ({
  fields = [],
  elements,
  lookups,
  hashed,
}: PersonalFields): mongo.Document[] => [
  ...(hashed ? [{ [hashed.field]: { $type: 'string' } }] : []),
  ...(lookups?.from ?? []).map((field) => ({
    [field]: { $type: 'binData' },
    [LOOKUPS]: { $exists: false },
  })),
  ...fields.map((field) => ({ [field]: { $exists: true, $not: { $type: ['binData', 'null'] } } })),
  ...(elements
    ? [
        {
          [elements.array]: {
            $elemMatch: { [elements.field]: { $exists: true, $not: { $type: ['binData', 'null'] } } },
          },
        },
      ]
    : []),
];
