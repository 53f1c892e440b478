/** A JSON pointer (RFC 6901) to a member or an item, but not the empty pointer to the whole document. */
const POINTER = /^(?:\/(?:[^/~]|~[01])*)+$/;
/** Prefix of the pointers to the service's own fields of a meeting. All other pointers lead into the provider's record. */
const MEETING_PREFIX = '/@meeting';

/**
 * JSON pointers to the service's own fields of a meeting, whatever the provider, by the names of the specification
 * ("Default field mapping"). Mappings may still use these names.
 */
export const MEETING_POINTERS = {
  id: `${MEETING_PREFIX}/id`,
  title: `${MEETING_PREFIX}/title`,
  created_at: `${MEETING_PREFIX}/created_at`,
  started_at: `${MEETING_PREFIX}/started_at`,
  duration_seconds: `${MEETING_PREFIX}/duration_seconds`,
  'participants[0].email': `${MEETING_PREFIX}/participant_email`,
  'participants[0].name': `${MEETING_PREFIX}/participant_name`,
  summary: `${MEETING_PREFIX}/summary`,
} as const;

type MeetingFieldName = keyof typeof MEETING_POINTERS;
export type MeetingPointer = (typeof MEETING_POINTERS)[MeetingFieldName];

const isFieldName = (source: string): source is MeetingFieldName => Object.hasOwn(MEETING_POINTERS, source);

/** Returns the JSON pointer that a source means: a name becomes its pointer, any other source stays as it is. */
export const toSourcePointer = (source: string): string =>
  isFieldName(source) ? MEETING_POINTERS[source] : source;

/** Returns true for a source at or below the reserved prefix, whether the field exists or not. */
export const isReservedSource = (source: string): boolean =>
  source === MEETING_PREFIX || source.startsWith(`${MEETING_PREFIX}/`);

/** Returns true for a valid pointer into the provider's record. */
export const isRecordPointer = (source: string): boolean => POINTER.test(source) && !isReservedSource(source);
