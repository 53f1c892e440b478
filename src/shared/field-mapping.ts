export const TRANSFORMS = ['none', 'lowercase', 'trim'] as const;
export type Transform = (typeof TRANSFORMS)[number];

interface DefaultFieldMapping {
  sourceField: string;
  targetField: string;
  transform: Transform;
  required: boolean;
}

/** Mapping of a tenant that has not set its own (specification, "Default field mapping"). */
export const DEFAULT_MAPPING: readonly DefaultFieldMapping[] = [
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
