import type { ErrorDetail } from '../../../errors/app-error.ts';
import { TRANSFORMS } from '../../../shared/field-mapping.ts';
import { isReservedSource, type MeetingPointer, toSourcePointer } from '../../../shared/source-pointers.ts';
import type { FieldMapping } from '../meetings.types.ts';
import { MEETING_SOURCES, sourceFieldOf } from './source-fields.ts';

export const MAX_MAPPINGS = 30;

/** Targets that every activity has. */
export const REQUIRED_TARGETS = ['externalId', 'occurredAt'];
const PROPERTY = /^properties\.([A-Za-z][A-Za-z0-9_]{0,63})$/;
/** Properties that the service sets on every activity. */
const RESERVED_PROPERTIES = ['source', 'recorderMeetingId', 'participantCount'];

/** Returns the property name of a target `properties.<name>`; null for any other target. */
export const propertyOf = (targetField: string): string | null => PROPERTY.exec(targetField)?.[1] ?? null;

type Problem = [field: keyof FieldMapping, message: string];

function targetProblem({ targetField }: FieldMapping): Problem | null {
  const property = propertyOf(targetField);
  if (property !== null)
    return RESERVED_PROPERTIES.includes(property)
      ? ['targetField', `Must be another property: the service sets ${property} on every activity.`]
      : null;
  return REQUIRED_TARGETS.includes(targetField) || targetField === 'personExternalId'
    ? null
    : [
        'targetField',
        'Must be externalId, occurredAt, personExternalId or properties.<name>, where the name is a letter followed by up to 63 letters, digits or underscores.',
      ];
}

/** Returns the service's own fields that a target accepts; null if it accepts any. */
function sourcesFor(targetField: string): readonly MeetingPointer[] | null {
  // Identifies an activity, so it must be unique per meeting.
  if (targetField === 'externalId') return ['/@meeting/id'];
  if (targetField === 'occurredAt') return ['/@meeting/created_at', '/@meeting/started_at'];
  if (targetField === 'properties.durationSeconds') return ['/@meeting/duration_seconds'];
  if (targetField === 'personExternalId')
    return MEETING_SOURCES.filter((pointer) => sourceFieldOf(pointer)?.type === 'text');
  return null;
}

/** Returns true if a target accepts fields of the provider's record, which may have no value. */
const acceptsRecord = (targetField: string): boolean =>
  targetField === 'personExternalId' || sourcesFor(targetField) === null;

function invalidSource(sourceField: string): string {
  const sources = MEETING_SOURCES.join(', ');
  if (isReservedSource(sourceField)) return `Must be one of ${sources}: /@meeting has no other field.`;
  return sourceField.startsWith('/')
    ? 'Must be a JSON pointer, in which ~ is written as ~0 and / within a name as ~1.'
    : `Must be one of ${sources}, or a JSON pointer into the provider's record, which begins with /.`;
}

function sourceProblem({ sourceField, targetField }: FieldMapping): Problem | null {
  const source = sourceFieldOf(sourceField);
  if (!source) return ['sourceField', invalidSource(sourceField)];
  if (source.type === 'any' && acceptsRecord(targetField)) return null;
  const accepted = sourcesFor(targetField);
  return accepted?.every((pointer) => pointer !== toSourcePointer(sourceField))
    ? ['sourceField', `Must be ${accepted.join(' or ')} for ${targetField}.`]
    : null;
}

function transformProblem({ sourceField, targetField, transform }: FieldMapping): Problem | null {
  if (!TRANSFORMS.includes(transform)) return ['transform', `Must be one of ${TRANSFORMS.join(', ')}.`];
  if (transform === 'none') return null;
  const type = sourceFieldOf(sourceField)?.type;
  if (type !== 'text' && type !== 'any')
    return ['transform', `Must be none, since ${toSourcePointer(sourceField)} is not text.`];
  return targetField === 'externalId'
    ? ['transform', 'Must be none for externalId: two meetings must not map to one activity.']
    : null;
}

function requiredProblem({ sourceField, targetField, required }: FieldMapping): Problem | null {
  if (REQUIRED_TARGETS.includes(targetField) && !required)
    return ['required', `Must be true for ${targetField}, which every activity has.`];
  return required && !sourceFieldOf(sourceField)?.alwaysPresent
    ? ['required', `Must be false, since the provider may omit ${toSourcePointer(sourceField)}.`]
    : null;
}

/** Each check assumes that all previous checks passed. */
const problemOf = (field: FieldMapping): Problem | null =>
  targetProblem(field) ?? sourceProblem(field) ?? transformProblem(field) ?? requiredProblem(field);

/** Returns all problems of a mapping with their paths. */
export function mappingProblems(mappings: readonly FieldMapping[]): ErrorDetail[] {
  const targets = mappings.map(({ targetField }) => targetField);
  const details = mappings.flatMap((mapping, index) => {
    const problem = problemOf(mapping);
    const problems = problem ? [problem] : [];
    if (targets.indexOf(mapping.targetField) < index)
      problems.push(['targetField', 'Must be mapped only once.']);
    return problems.map(([field, message]) => ({ path: `mappings.${index}.${field}`, message }));
  });
  const missing = REQUIRED_TARGETS.filter((target) => !targets.includes(target));
  return [
    ...details,
    ...missing.map((target) => ({ path: 'mappings', message: `Must have a field for ${target}.` })),
  ];
}
