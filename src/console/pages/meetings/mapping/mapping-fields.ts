import type { FieldMappingInput, FieldTransform } from '../../../generated/graphql.ts';

/** A field mapping with all fields set. */
export interface Mapping extends FieldMappingInput {
  transform: FieldTransform;
  required: boolean;
}

/** Fields of the provider's meetings that can be mapped by name; any JSON pointer is a source as well. */
export const SOURCE_FIELDS = [
  'id',
  'title',
  'created_at',
  'started_at',
  'duration_seconds',
  'participants[0].email',
  'participants[0].name',
  'summary',
];

/** Returns true for a source that is a JSON pointer into the provider's record. */
export const isPointer = (sourceField: string): boolean => sourceField.startsWith('/');

/** Suggested fields of activities; any other property is valid as well. */
export const SUGGESTED_TARGET_FIELDS = [
  'externalId',
  'occurredAt',
  'personExternalId',
  'properties.title',
  'properties.durationSeconds',
  'properties.participantName',
  'properties.summary',
];

export const TRANSFORMS = ['none', 'lowercase', 'trim'] as const satisfies FieldTransform[];

/** Columns of the mapping, for reading and for editing. */
export const MAPPING_HEAD = ['Source', 'Target', 'Transform', 'Required'];
