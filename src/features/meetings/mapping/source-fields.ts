import type { ProviderMeeting } from '../provider/provider.types.ts';

/**
 * JSON pointers (RFC 6901) into the provider's records. The packages for it resolve inherited members as well, such as
 * `/constructor/name`.
 */

/** A pointer to a member or an item; the empty pointer, which is the whole document, is none. */
const POINTER = /^(?:\/(?:[^/~]|~[01])*)+$/;
/** An index has no leading zeros; `-`, the item after the last one, never has a value. */
const INDEX = /^(?:0|[1-9]\d{0,9})$/;

/** Returns true for a source that is meant as a pointer, valid or not. */
export const isPointerLike = (source: string): boolean => source.startsWith('/');

export const isPointer = (source: string): boolean => POINTER.test(source);

const unescapeToken = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

/** Returns the value at a valid pointer; undefined if the document has none. */
export function valueAt(document: unknown, pointer: string): unknown {
  let value = document;
  for (const token of pointer.split('/').slice(1).map(unescapeToken)) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (Array.isArray(value) && !INDEX.test(token)) return undefined;
    if (!Object.hasOwn(value, token)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[token];
  }
  return value;
}

/** A meeting as a field mapping reads it: synced, or stored. */
export type MappableMeeting = Pick<
  ProviderMeeting,
  'id' | 'title' | 'createdAt' | 'startedAt' | 'durationSeconds' | 'participants' | 'summary'
> & {
  /** The provider's record; undefined if it is not stored. */
  record: unknown;
};

interface SourceField {
  /** `any`: a field of the provider's record, whose type can differ between meetings. */
  type: 'text' | 'number' | 'time' | 'any';
  /** True if every meeting has a value. */
  alwaysPresent: boolean;
  /** Returns undefined for a pointer to which the record has no value. */
  read(meeting: MappableMeeting): unknown;
}

/** Fields of every provider that can be mapped by name. */
const FIELDS: Readonly<Record<string, SourceField>> = {
  id: { type: 'text', alwaysPresent: true, read: ({ id }) => id },
  title: { type: 'text', alwaysPresent: false, read: ({ title }) => title },
  created_at: { type: 'time', alwaysPresent: true, read: ({ createdAt }) => createdAt.toISOString() },
  started_at: { type: 'time', alwaysPresent: true, read: ({ startedAt }) => startedAt.toISOString() },
  duration_seconds: {
    type: 'number',
    alwaysPresent: false,
    read: ({ durationSeconds }) => durationSeconds,
  },
  // Of the first participant with an address: without one, no person can be linked.
  'participants[0].email': {
    type: 'text',
    alwaysPresent: false,
    read: ({ participants }) => participants.find(({ email }) => email !== null)?.email ?? null,
  },
  'participants[0].name': {
    type: 'text',
    alwaysPresent: false,
    read: ({ participants }) => participants[0]?.name ?? null,
  },
  summary: { type: 'text', alwaysPresent: false, read: ({ summary }) => summary },
};

export const SOURCE_FIELDS = Object.keys(FIELDS);

/** Returns the field with a name of `SOURCE_FIELDS`, or at a JSON pointer into the record; undefined for any other. */
export function sourceFieldOf(name: string): SourceField | undefined {
  if (Object.hasOwn(FIELDS, name)) return FIELDS[name];
  return isPointer(name)
    ? { type: 'any', alwaysPresent: false, read: ({ record }) => valueAt(record, name) }
    : undefined;
}

/** Returns true if the mapping reads the provider's record. */
export const readsRecord = (fields: readonly { sourceField: string }[]): boolean =>
  fields.some(({ sourceField }) => isPointer(sourceField));
