import type { FieldMappingInput, FieldTransform } from '../../../generated/graphql.ts';

/** One line of a mapping, with nothing left out. */
export interface Mapping extends FieldMappingInput {
  transform: FieldTransform;
  required: boolean;
}

/** What of the provider's meeting can be mapped. */
export const SOURCES = [
  'id',
  'title',
  'created_at',
  'started_at',
  'duration_seconds',
  'participants[0].email',
  'participants[0].name',
  'summary',
];

/** What of an activity is often mapped; any other property can be named as well. */
export const TARGETS = [
  'externalId',
  'occurredAt',
  'personExternalId',
  'properties.title',
  'properties.durationSeconds',
  'properties.participantName',
  'properties.summary',
];

export const TRANSFORMS = ['none', 'lowercase', 'trim'] as const satisfies FieldTransform[];

const line = (
  sourceField: string,
  targetField: string,
  { transform = 'none', required = false }: Partial<Mapping> = {},
): Mapping => ({ sourceField, targetField, transform, required });

/** The specification's table. */
export const DEFAULT_MAPPING: readonly Mapping[] = [
  line('id', 'externalId', { required: true }),
  line('title', 'properties.title'),
  line('created_at', 'occurredAt', { required: true }),
  line('duration_seconds', 'properties.durationSeconds'),
  line('participants[0].email', 'personExternalId', { transform: 'lowercase' }),
  line('participants[0].name', 'properties.participantName'),
  line('summary', 'properties.summary'),
];
