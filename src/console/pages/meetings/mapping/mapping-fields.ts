import { DEFAULT_MAPPING } from '../../../../shared/field-mapping.ts';
import { MEETING_POINTERS, toSourcePointer } from '../../../../shared/source-pointers.ts';
import type { FieldMappingInput, FieldTransform } from '../../../generated/graphql.ts';

/** A field mapping with all fields set; its source is a JSON pointer. */
export interface Mapping extends FieldMappingInput {
  transform: FieldTransform;
  required: boolean;
}

/** Fields of every meeting; any other JSON pointer leads into the provider's record. */
export const SUGGESTED_SOURCES = Object.values(MEETING_POINTERS);

export const DEFAULT_POINTERS: readonly Mapping[] = DEFAULT_MAPPING.map((mapping) => ({
  ...mapping,
  sourceField: toSourcePointer(mapping.sourceField),
}));

/**
 * Suggested fields of activities; any other property is valid as well. The properties that the service sets on every
 * activity are left out.
 */
const SUGGESTED_TARGETS = [
  'externalId',
  'occurredAt',
  'personExternalId',
  'properties.title',
  'properties.participantName',
  'properties.summary',
];

/** Returns the suggested targets that a mapping does not have, since a target is mapped only once. */
export function targetsLeft(mappings: readonly Mapping[]): string[] {
  const mapped = mappings.map(({ targetField }) => targetField);
  return SUGGESTED_TARGETS.filter((target) => !mapped.includes(target));
}

/** Columns of the mapping, for reading and for editing. */
export const MAPPING_HEAD = ['Source', 'Target', 'Transform', 'Required'];
