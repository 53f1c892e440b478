import type { ProviderMeeting } from '../provider/provider.types.ts';

/**
 * A JSON pointer (RFC 6901) to a member or an item, but not the empty pointer to the whole document. Implemented here
 * because the packages also resolve inherited members, such as `/constructor/name`.
 */
const POINTER = /^(?:\/(?:[^/~]|~[01])*)+$/;
/** An index without leading zeros. `-`, the item after the last one, never has a value. */
const INDEX = /^(?:0|[1-9]\d{0,9})$/;

/** Returns true if a source is meant as a pointer, valid or not. */
export const isPointerLike = (source: string): boolean => source.startsWith('/');

export const isPointer = (source: string): boolean => POINTER.test(source);

const unescapeToken = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

/** @returns undefined if the document has no value there */
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

/** A meeting, new or stored, as a field mapping reads it. */
export type MappableMeeting = Pick<
  ProviderMeeting,
  'id' | 'title' | 'createdAt' | 'startedAt' | 'durationSeconds' | 'participants' | 'summary'
> & {
  /** The provider's record; undefined if it is not stored. */
  record: unknown;
};

interface SourceField {
  /** `any`: a field of the provider's record, whose type may vary between meetings. */
  type: 'text' | 'number' | 'time' | 'any';
  /** True if every meeting has a value. */
  alwaysPresent: boolean;
  /** Returns undefined if the record has no value at the pointer. */
  read(meeting: MappableMeeting): unknown;
}

/** Fields that can be mapped by name, whatever the provider. */
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
  // The first participant with an address: without one, no person can be linked.
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

/** @param name one of `SOURCE_FIELDS`, or a JSON pointer into the provider's record; undefined is returned for any other */
export function sourceFieldOf(name: string): SourceField | undefined {
  if (Object.hasOwn(FIELDS, name)) return FIELDS[name];
  return isPointer(name)
    ? { type: 'any', alwaysPresent: false, read: ({ record }) => valueAt(record, name) }
    : undefined;
}

/** Returns true if the mapping reads the provider's record. */
export const readsRecord = (fields: readonly { sourceField: string }[]): boolean =>
  fields.some(({ sourceField }) => isPointer(sourceField));
