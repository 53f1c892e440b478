import { z } from 'zod';
import { MAX_MAPPINGS, REQUIRED_TARGETS } from '../../src/features/meetings/mapping/mapping-validation.ts';
import { SOURCE_FIELDS } from '../../src/features/meetings/mapping/source-fields.ts';
import type { FieldMapping as MappingShape, TRANSFORMS } from '../../src/features/meetings/meetings.types.ts';
import { text } from '../../src/platform/text-validation.ts';
import { builder } from '../builder.ts';

const FieldTransform = builder.enumType('FieldTransform', {
  description: 'Transformation of a value.',
  values: {
    none: { description: 'Leaves the value unchanged.' },
    lowercase: { description: 'Converts text to lower case.' },
    trim: { description: 'Removes white space at both ends of text.' },
  } satisfies Record<(typeof TRANSFORMS)[number], object>,
});

/** Descriptions shared by the type and the input. */
const DESCRIPTIONS = {
  source: `Field of the provider's meeting: ${SOURCE_FIELDS.map((field) => `\`${field}\``).join(', ')}. \`participants[0].email\` is the address of the first participant who has one.`,
  target:
    'Field of the activity: `externalId` (from `id` only, prefixed with `recorder_`), `occurredAt` (from a time), `personExternalId` (from text) or `properties.<name>`.',
};

const FieldMapping = builder.objectRef<MappingShape>('FieldMapping').implement({
  description: "Maps one field of a provider's meeting to one field of its activity.",
  fields: (t) => ({
    sourceField: t.exposeString('sourceField', { description: DESCRIPTIONS.source }),
    targetField: t.exposeString('targetField', { description: DESCRIPTIONS.target }),
    transform: t.expose('transform', { type: FieldTransform, description: 'Transformation of the value.' }),
    required: t.exposeBoolean('required', {
      description: 'True if every activity has the field, as for `externalId` and `occurredAt`.',
    }),
  }),
});

const FieldMappingInput = builder.inputType('FieldMappingInput', {
  description: "Maps one field of a provider's meeting to one field of its activity.",
  fields: (t) => ({
    sourceField: t.string({ required: true, validate: { schema: text() }, description: DESCRIPTIONS.source }),
    targetField: t.string({ required: true, validate: { schema: text() }, description: DESCRIPTIONS.target }),
    transform: t.field({
      type: FieldTransform,
      defaultValue: 'none',
      description: 'Transformation of the value; `lowercase` and `trim` apply to text only.',
    }),
    required: t.boolean({
      description:
        'True if every activity must have the field. Defaults to true for `externalId` and `occurredAt`, which require it, and to false otherwise. Only fields that the provider always sends can be required.',
    }),
  }),
});

const mappingList = z
  .array(z.any())
  .min(1, 'Must have at least one field.')
  .max(MAX_MAPPINGS, `Must have at most ${MAX_MAPPINGS} fields.`);

/** Fills in the defaults. */
const toMapping = ({
  sourceField,
  targetField,
  transform,
  required,
}: typeof FieldMappingInput.$inferInput): MappingShape => ({
  sourceField,
  targetField,
  transform: transform ?? 'none',
  required: required ?? REQUIRED_TARGETS.includes(targetField),
});

builder.queryField('recorderFieldMapping', (t) =>
  t.field({
    type: [FieldMapping],
    description: 'Field mapping from meetings to activities: the default until a mapping is set.',
    authScopes: { read: true },
    resolve: (_root, _args, { tenant, services }) => services.fieldMapping.get(tenant()),
  }),
);

builder.mutationField('updateRecorderFieldMapping', (t) =>
  t.field({
    type: [FieldMapping],
    description:
      'Replaces the field mapping. It applies to meetings that are synced from now on; a stored activity changes when its meeting is synced again. Every activity also has the properties `source`, `recorderMeetingId`, `participantCount` and `durationSeconds`.',
    authScopes: { write: true },
    args: {
      mappings: t.arg({
        type: [FieldMappingInput],
        required: true,
        validate: { schema: mappingList },
        description: `The complete mapping: at most ${MAX_MAPPINGS} fields, with \`externalId\` and \`occurredAt\` among the targets.`,
      }),
    },
    resolve: (_root, { mappings }, { tenant, services }) =>
      services.fieldMapping.replace(tenant(), mappings.map(toMapping)),
  }),
);
