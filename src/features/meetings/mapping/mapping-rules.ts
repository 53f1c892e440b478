import type { ErrorDetail } from '../../../errors.ts';
import { type FieldMapping, type PropertyValue, TRANSFORMS, type Transform } from '../meetings.types.ts';
import type { ProviderMeeting } from '../provider/provider.types.ts';

/** Fields that one mapping may have. */
export const MAX_MAPPINGS = 30;

interface Source {
  kind: 'text' | 'number' | 'time';
  /** Whether every meeting has it. */
  always: boolean;
  read(meeting: ProviderMeeting): string | number | Date | null;
}

/** What of a provider's meeting can be mapped. */
const SOURCES: Readonly<Record<string, Source>> = {
  id: { kind: 'text', always: true, read: ({ id }) => id },
  title: { kind: 'text', always: false, read: ({ title }) => title },
  created_at: { kind: 'time', always: true, read: ({ createdAt }) => createdAt },
  started_at: { kind: 'time', always: true, read: ({ startedAt }) => startedAt },
  duration_seconds: { kind: 'number', always: false, read: ({ durationSeconds }) => durationSeconds },
  // The first that has one: who has none cannot be linked to a person.
  'participants[0].email': {
    kind: 'text',
    always: false,
    read: ({ participants }) => participants.find(({ email }) => email !== null)?.email ?? null,
  },
  'participants[0].name': {
    kind: 'text',
    always: false,
    read: ({ participants }) => participants[0]?.name ?? null,
  },
  summary: { kind: 'text', always: false, read: ({ summary }) => summary },
};

export const SOURCE_FIELDS = Object.keys(SOURCES);
const sourceOf = (field: string): Source | undefined =>
  Object.hasOwn(SOURCES, field) ? SOURCES[field] : undefined;

/** The specification's table. */
export const DEFAULT_MAPPING: readonly FieldMapping[] = [
  { sourceField: 'id', targetField: 'externalId', transform: 'none', required: true },
  { sourceField: 'title', targetField: 'properties.title', transform: 'none', required: false },
  { sourceField: 'created_at', targetField: 'occurredAt', transform: 'none', required: true },
  {
    sourceField: 'duration_seconds',
    targetField: 'properties.durationSeconds',
    transform: 'none',
    required: false,
  },
  {
    sourceField: 'participants[0].email',
    targetField: 'personExternalId',
    transform: 'lowercase',
    required: false,
  },
  {
    sourceField: 'participants[0].name',
    targetField: 'properties.participantName',
    transform: 'none',
    required: false,
  },
  { sourceField: 'summary', targetField: 'properties.summary', transform: 'none', required: false },
];

const REQUIRED_TARGETS = ['externalId', 'occurredAt'];
const PROPERTY = /^properties\.([A-Za-z][A-Za-z0-9_]{0,63})$/;
/** Properties that every activity has, whatever the mapping says. */
const RESERVED = ['source', 'recorderMeetingId', 'participantCount'];

/** Name of the property that a target is; null when it is none. */
export const propertyOf = (targetField: string): string | null => PROPERTY.exec(targetField)?.[1] ?? null;

/** What may be mapped to a target; null: anything. */
function acceptedBy(targetField: string): { accepts(field: string): boolean; what: string } | null {
  const only = (fields: string[]) => ({
    accepts: (field: string) => fields.includes(field),
    what: fields.join(' or '),
  });
  // Activities are stored by it, each once.
  if (targetField === 'externalId') return only(['id']);
  if (targetField === 'occurredAt') return only(['created_at', 'started_at']);
  if (targetField === 'properties.durationSeconds') return only(['duration_seconds']);
  if (targetField !== 'personExternalId') return null;
  return { accepts: (field) => sourceOf(field)?.kind === 'text', what: 'a text' };
}

function transformProblem(
  { sourceField, targetField, transform }: FieldMapping,
  source: Source,
): string | null {
  if (!TRANSFORMS.includes(transform)) return `Must be one of ${TRANSFORMS.join(', ')}.`;
  if (transform === 'none') return null;
  if (source.kind !== 'text') return `Must be none: ${sourceField} is no text.`;
  return targetField === 'externalId'
    ? 'Must be none: meetings whose ids differ must not become one activity.'
    : null;
}

/** What is wrong with one line of a mapping, by the name of its field. */
function problemsOf(line: FieldMapping): [field: keyof FieldMapping, message: string][] {
  const { sourceField, targetField, required } = line;
  const property = propertyOf(targetField);
  const isTarget = REQUIRED_TARGETS.includes(targetField) || targetField === 'personExternalId';
  if (!isTarget && property === null)
    return [
      [
        'targetField',
        'Must be externalId, occurredAt, personExternalId or properties.<name>, the name a letter and up to 63 more letters, digits and _.',
      ],
    ];
  if (property !== null && RESERVED.includes(property))
    return [['targetField', `Must be another property: every activity has ${property} already.`]];
  const source = sourceOf(sourceField);
  if (!source) return [['sourceField', `Must be one of ${SOURCE_FIELDS.join(', ')}.`]];
  const accepted = acceptedBy(targetField);
  if (accepted && !accepted.accepts(sourceField))
    return [['sourceField', `Must be ${accepted.what}, for ${targetField}.`]];
  const transform = transformProblem(line, source);
  if (transform !== null) return [['transform', transform]];
  if (REQUIRED_TARGETS.includes(targetField) && !required)
    return [['required', `Must be true: every activity has ${targetField}.`]];
  return required && !source.always
    ? [['required', `Must be false: the provider may leave ${sourceField} out.`]]
    : [];
}

/** What is wrong with a mapping, each at its path; nothing when it can be used. */
export function mappingProblems(mappings: readonly FieldMapping[]): ErrorDetail[] {
  if (mappings.length > MAX_MAPPINGS)
    return [{ path: 'mappings', message: `Must be at most ${MAX_MAPPINGS} fields.` }];
  const targets = mappings.map(({ targetField }) => targetField);
  const details = mappings.flatMap((line, index) => {
    const problems = problemsOf(line);
    if (targets.indexOf(line.targetField) < index)
      problems.push(['targetField', 'Must not be mapped twice.']);
    return problems.map(([field, message]) => ({ path: `mappings.${index}.${field}`, message }));
  });
  const missing = REQUIRED_TARGETS.filter((target) => !targets.includes(target));
  return [
    ...details,
    ...missing.map((target) => ({ path: 'mappings', message: `Must have a field for ${target}.` })),
  ];
}

const TRANSFORM: Record<Transform, (text: string) => string> = {
  none: (text) => text,
  lowercase: (text) => text.toLowerCase(),
  trim: (text) => text.trim(),
};

/** What a line of a mapping that was checked takes from a meeting; times as ISO 8601, null: nothing there. */
export function mappedValue(
  { sourceField, transform }: FieldMapping,
  meeting: ProviderMeeting,
): PropertyValue {
  const value = sourceOf(sourceField)?.read(meeting) ?? null;
  if (typeof value === 'string') return TRANSFORM[transform](value);
  return value instanceof Date ? value.toISOString() : value;
}
