import type { FieldMapping, PropertyValue, Transform } from '../meetings.types.ts';
import type { ProviderMeeting } from '../provider/provider.types.ts';

interface SourceField {
  type: 'text' | 'number' | 'time';
  /** True if every meeting has a value. */
  alwaysPresent: boolean;
  read(meeting: ProviderMeeting): string | number | Date | null;
}

/** Fields of a provider's meeting that can be mapped. */
const FIELDS: Readonly<Record<string, SourceField>> = {
  id: { type: 'text', alwaysPresent: true, read: ({ id }) => id },
  title: { type: 'text', alwaysPresent: false, read: ({ title }) => title },
  created_at: { type: 'time', alwaysPresent: true, read: ({ createdAt }) => createdAt },
  started_at: { type: 'time', alwaysPresent: true, read: ({ startedAt }) => startedAt },
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

export const sourceFieldOf = (name: string): SourceField | undefined =>
  Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;

const TRANSFORM: Record<Transform, (text: string) => string> = {
  none: (text) => text,
  lowercase: (text) => text.toLowerCase(),
  trim: (text) => text.trim(),
};

/** Returns a meeting's value for a field of a valid mapping, times as ISO 8601; null if the meeting has none. */
export function mappedValue(
  { sourceField, transform }: FieldMapping,
  meeting: ProviderMeeting,
): PropertyValue {
  const value = sourceFieldOf(sourceField)?.read(meeting) ?? null;
  if (typeof value === 'string') return TRANSFORM[transform](value);
  return value instanceof Date ? value.toISOString() : value;
}
