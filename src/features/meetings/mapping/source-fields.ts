import {
  isRecordPointer,
  MEETING_POINTERS,
  type MeetingPointer,
  toSourcePointer,
} from '../../../shared/source-pointers.ts';
import type { ProviderMeeting } from '../provider/provider.types.ts';

/** An index without leading zeros. `-`, the item after the last one, never has a value. */
const INDEX = /^(?:0|[1-9]\d{0,9})$/;

const unescapeToken = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

/**
 * Resolves a valid JSON pointer. Implemented here because the packages also resolve inherited members, such as
 * `/constructor/name`.
 *
 * @returns undefined if the document has no value there
 */
function valueAt(document: unknown, pointer: string): unknown {
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

/** The service's own fields of a meeting, whatever the provider. */
const MEETING_SOURCE_FIELDS: Readonly<Record<MeetingPointer, SourceField>> = {
  '/@meeting/id': { type: 'text', alwaysPresent: true, read: ({ id }) => id },
  '/@meeting/title': { type: 'text', alwaysPresent: false, read: ({ title }) => title },
  '/@meeting/created_at': {
    type: 'time',
    alwaysPresent: true,
    read: ({ createdAt }) => createdAt.toISOString(),
  },
  '/@meeting/started_at': {
    type: 'time',
    alwaysPresent: true,
    read: ({ startedAt }) => startedAt.toISOString(),
  },
  '/@meeting/duration_seconds': {
    type: 'number',
    alwaysPresent: false,
    read: ({ durationSeconds }) => durationSeconds,
  },
  '/@meeting/participant_email': {
    type: 'text',
    alwaysPresent: false,
    // The first participant with an address: without one, no person can be linked.
    read: ({ participants }) => participants.find(({ email }) => email !== null)?.email ?? null,
  },
  '/@meeting/participant_name': {
    type: 'text',
    alwaysPresent: false,
    read: ({ participants }) => participants[0]?.name ?? null,
  },
  '/@meeting/summary': { type: 'text', alwaysPresent: false, read: ({ summary }) => summary },
};

export const MEETING_SOURCES: readonly MeetingPointer[] = Object.values(MEETING_POINTERS);

const isMeetingPointer = (pointer: string): pointer is MeetingPointer =>
  Object.hasOwn(MEETING_SOURCE_FIELDS, pointer);

/** @param source a JSON pointer, or the name that stands for one; undefined is returned for any other text */
export function sourceFieldOf(source: string): SourceField | undefined {
  const pointer = toSourcePointer(source);
  if (isMeetingPointer(pointer)) return MEETING_SOURCE_FIELDS[pointer];
  return isRecordPointer(pointer)
    ? { type: 'any', alwaysPresent: false, read: ({ record }) => valueAt(record, pointer) }
    : undefined;
}

/** Returns true if the mapping reads the provider's record. */
export const readsRecord = (fields: readonly { sourceField: string }[]): boolean =>
  fields.some(({ sourceField }) => isRecordPointer(sourceField));
