import { MAX_MAPPINGS, SOURCE_FIELDS } from '../../src/features/meetings/mapping/mapping-rules.ts';
import type { FieldMapping as MappingShape, TRANSFORMS } from '../../src/features/meetings/meetings.types.ts';
import { builder } from '../builder.ts';
import { text } from '../text.ts';

const FieldTransform = builder.enumType('FieldTransform', {
  description: 'What is done to a value on its way.',
  values: {
    none: { description: 'Nothing.' },
    lowercase: { description: 'A text in lower case.' },
    trim: { description: 'A text without blanks at its ends.' },
  } satisfies Record<(typeof TRANSFORMS)[number], object>,
});

/** Descriptions that type and input share. */
const MEANING = {
  source: `Field of the provider's meeting: ${SOURCE_FIELDS.map((field) => `\`${field}\``).join(', ')}. \`participants[0].email\` is that of the first participant who has one.`,
  target:
    'Field of the activity: `externalId` (of `id` only; `recorder_` is put before it), `occurredAt` (of a time), `personExternalId` (of a text) or `properties.<name>`.',
};

const FieldMapping = builder.objectRef<MappingShape>('FieldMapping').implement({
  description: "Which field of a provider's meeting becomes which field of its activity.",
  fields: (t) => ({
    sourceField: t.exposeString('sourceField', { description: MEANING.source }),
    targetField: t.exposeString('targetField', { description: MEANING.target }),
    transform: t.expose('transform', { type: FieldTransform, description: 'What is done to the value.' }),
    required: t.exposeBoolean('required', {
      description: 'Whether every activity has it: true for `externalId` and `occurredAt`.',
    }),
  }),
});

const FieldMappingInput = builder.inputType('FieldMappingInput', {
  description: "Which field of a provider's meeting is to become which field of its activity.",
  fields: (t) => ({
    sourceField: t.string({ required: true, validate: { schema: text() }, description: MEANING.source }),
    targetField: t.string({ required: true, validate: { schema: text() }, description: MEANING.target }),
    transform: t.field({
      type: FieldTransform,
      defaultValue: 'none',
      description: 'What is done to the value; `lowercase` and `trim` are for texts.',
    }),
    required: t.boolean({
      description:
        'Whether every activity has it. Without it: true for `externalId` and `occurredAt`, which need it, else false. Only what the provider never leaves out can be required.',
    }),
  }),
});

const REQUIRED = ['externalId', 'occurredAt'];

/** A line as the feature has it, with what was left out filled in. */
const toMapping = ({
  sourceField,
  targetField,
  transform,
  required,
}: typeof FieldMappingInput.$inferInput): MappingShape => ({
  sourceField,
  targetField,
  transform: transform ?? 'none',
  required: required ?? REQUIRED.includes(targetField),
});

builder.queryField('recorderFieldMapping', (t) =>
  t.field({
    type: [FieldMapping],
    description:
      'How meetings of the provider become activities: the default, until the tenant sets its own.',
    authScopes: { read: true },
    resolve: (_root, _args, { tenant, services }) => services.recorder.mapping(tenant()),
  }),
);

builder.mutationField('updateRecorderFieldMapping', (t) =>
  t.field({
    type: [FieldMapping],
    description:
      'Replaces the field mapping. It holds for meetings that are synced from then on; activities that are there stay as they are until their meeting comes again. Whatever it says, activities have the properties `source`, `recorderMeetingId`, `participantCount` and `durationSeconds`.',
    authScopes: { write: true },
    args: {
      mappings: t.arg({
        type: [FieldMappingInput],
        required: true,
        validate: {
          minLength: [1, { message: 'Must be at least one field.' }],
          maxLength: [MAX_MAPPINGS, { message: `Must be at most ${MAX_MAPPINGS} fields.` }],
        },
        description: `The whole mapping, ${MAX_MAPPINGS} fields at most, with \`externalId\` and \`occurredAt\` among their targets.`,
      }),
    },
    resolve: (_root, { mappings }, { tenant, services }) =>
      services.recorder.updateMapping(tenant(), mappings.map(toMapping)),
  }),
);
