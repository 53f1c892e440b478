import type { mongo } from 'mongoose';

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
  /** A field of each element of an array. `id` names the field that identifies an element: positions can change. */
  elements?: { array: string; field: string; id: string };
  /** Fields of the shard key after the tenant, for updates of one document. */
  shardKey: readonly string[];
  /** Identifiers that lists find a document by: their fields, and a function that returns them. Absent without any. */
  lookups?: { from: readonly string[]; of: (document: never) => Lookup[] };
  /** Index that serves a scan of all documents of a tenant, as `scanWindow` reads it. */
  scan: { of?: mongo.Document; by: string; hint: mongo.IndexSpecification };
}

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
export function personalValues(
  { fields = [], elements }: PersonalFields,
  document: OwnedDocument,
): PersonalValue[] {
  const values: PersonalValue[] = [];
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
    if (field === undefined) copy[first] = replaced;
    else
      elementsOf(copy, first)[Number(index)] = {
        ...elementsOf(copy, first)[Number(index)],
        [field]: replaced,
      };
  }
  return (copy as D | null) ?? document;
}

function copyOf({ elements }: PersonalFields, document: object): Record<string, unknown> {
  const copy = { ...document } as Record<string, unknown>;
  if (elements && Array.isArray(copy[elements.array]))
    copy[elements.array] = [...elementsOf(copy, elements.array)];
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

/** Filters: documents with an encrypted value. No client can store binary data in these fields. */
export const encryptedFilters = (personal: PersonalFields): mongo.Document[] =>
  pathsOf(personal).map((path) => ({ [path]: { $type: 'binData' } }));

/** Filters: documents with a value that is not encrypted, or whose encrypted values have no hashes. */
export const plainFilters = ({ fields = [], elements, lookups }: PersonalFields): mongo.Document[] => [
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
