import { z } from 'zod';
import { MAX_MAPPINGS, REQUIRED_TARGETS } from '../../src/features/meetings/mapping/mapping-validation.ts';
import type {
  FieldMapping as MappingShape,
  FieldMappingPreviewField as PreviewFieldShape,
  FieldMappingPreview as PreviewShape,
} from '../../src/features/meetings/meetings.types.ts';
import { text } from '../../src/platform/text-validation.ts';
import type { TRANSFORMS } from '../../src/shared/field-mapping.ts';
import { MEETING_POINTERS, toSourcePointer } from '../../src/shared/source-pointers.ts';
import { builder } from '../builder.ts';
import { MeetingActivity } from './meetings.ts';

const FieldTransform = builder.enumType('FieldTransform', {
  description: 'Transformation of a value.',
  values: {
    none: { description: 'Leaves the value unchanged.' },
    lowercase: { description: 'Converts text to lower case.' },
    trim: { description: 'Removes white space at both ends of text.' },
  } satisfies Record<(typeof TRANSFORMS)[number], object>,
});

/** Such as "`/@meeting/id` (`id`)". */
const POINTERS_WITH_NAMES = Object.entries(MEETING_POINTERS)
  .map(([name, pointer]) => `\`${pointer}\` (\`${name}\`)`)
  .join(', ');

/** Descriptions shared by the types and the input. */
const DESCRIPTIONS = {
  source: `JSON pointer (RFC 6901). Below \`/@meeting\` are the fields of every meeting, whatever the provider; the name in parentheses is accepted as well: ${POINTERS_WITH_NAMES}. \`/@meeting/participant_email\` is the address of the first participant who has one. Any other pointer leads into the provider's record of the meeting, without its transcript, such as \`/crm/deals/0/name\`.`,
  submittedSource: 'Source as it was submitted: `sourcePointer`, or the name that stands for it.',
  pointer:
    "JSON pointer (RFC 6901) of the source: below `/@meeting` for the fields of every meeting, otherwise into the provider's record.",
  target:
    "Field of the activity: `externalId` (from `/@meeting/id` only, prefixed with `recorder_`), `occurredAt` (from `/@meeting/created_at` or `/@meeting/started_at`), `personExternalId` (from text, or from a number in the provider's record) or `properties.<name>`.",
};

const FieldMapping = builder.objectRef<MappingShape>('FieldMapping').implement({
  description: "Maps one field of a provider's meeting to one field of its activity.",
  fields: (t) => ({
    sourceField: t.exposeString('sourceField', { description: DESCRIPTIONS.submittedSource }),
    sourcePointer: t.string({
      description: DESCRIPTIONS.pointer,
      resolve: ({ sourceField }) => toSourcePointer(sourceField),
    }),
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

const FieldMappingPreviewField = builder.objectRef<PreviewFieldShape>('FieldMappingPreviewField').implement({
  description: 'A field of a candidate mapping, applied to a meeting.',
  fields: (t) => ({
    sourceField: t.exposeString('sourceField', { description: DESCRIPTIONS.submittedSource }),
    sourcePointer: t.string({
      description: DESCRIPTIONS.pointer,
      resolve: ({ sourceField }) => toSourcePointer(sourceField),
    }),
    targetField: t.exposeString('targetField', { description: DESCRIPTIONS.target }),
    transform: t.expose('transform', { type: FieldTransform, description: 'Transformation of the value.' }),
    value: t.string({
      nullable: true,
      description:
        'Value as text; null if the meeting has none. `activity` has it with its type: text, a number or a boolean.',
      resolve: ({ value }) => (value === null ? null : String(value)),
    }),
    warnings: t.exposeStringList('warnings', {
      description:
        'Reasons in English why the value is null or changed: no value at the pointer, an object or list mapped as JSON text, truncated text.',
    }),
  }),
});

const FieldMappingPreview = builder.objectRef<PreviewShape>('FieldMappingPreview').implement({
  description: 'The activity that a candidate mapping builds from a stored meeting.',
  fields: (t) => ({
    recorderMeetingId: t.exposeString('recorderMeetingId', {
      description: "The provider's identifier of the meeting.",
    }),
    hasRecord: t.exposeBoolean('hasRecord', {
      description:
        "True if the provider's record of the meeting is stored; pointers into it have no value otherwise. A full resync stores it, unless it is too large.",
    }),
    fields: t.expose('fields', {
      type: [FieldMappingPreviewField],
      description: 'Fields of the mapping in their order.',
    }),
    activity: t.expose('activity', { type: MeetingActivity, description: 'The activity; it is not saved.' }),
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

const mappingArgs = builder.args((t) => ({
  mappings: t.field({
    type: [FieldMappingInput],
    required: true,
    validate: { schema: mappingList },
    description: `The complete mapping: at most ${MAX_MAPPINGS} fields, with \`externalId\` and \`occurredAt\` among the targets.`,
  }),
}));

builder.queryFields((t) => ({
  recorderFieldMapping: t.field({
    type: [FieldMapping],
    description: 'Field mapping from meetings to activities: the default until a mapping is set.',
    scope: 'read',
    resource: 'meetings',
    resolve: (_root, _args, { tenant, services }) => services.fieldMapping.get(tenant()),
  }),
  recorderFieldMappingPreview: t.field({
    type: FieldMappingPreview,
    nullable: true,
    description:
      'Applies a candidate field mapping to a stored meeting, and saves nothing; null if there is no such meeting. Requires the scope `write`. `VALIDATION_FAILED` as for `updateRecorderFieldMapping`, `NOT_CONFIGURED` if the stored record cannot be decrypted.',
    // A pointer reaches every field of the provider's record, share links and keys included.
    scope: 'write',
    resource: 'meetings',
    args: {
      ...mappingArgs,
      recorderMeetingId: t.arg.string({
        validate: { schema: text() },
        description: "The provider's identifier of the meeting; by default the one with the latest start.",
      }),
    },
    resolve: (_root, { mappings, recorderMeetingId }, { tenant, services }) =>
      services.fieldMapping.preview(tenant(), mappings.map(toMapping), recorderMeetingId ?? null),
  }),
}));

builder.mutationField('updateRecorderFieldMapping', (t) =>
  t.field({
    type: [FieldMapping],
    description:
      'Replaces the field mapping. It applies to meetings that are synced from now on; stored activities are re-projected in the background, without requests to the provider: see `activityReprojection`. Every activity also has the properties `source`, `recorderMeetingId`, `participantCount` and `durationSeconds`.',
    scope: 'write',
    resource: 'meetings',
    args: {
      ...mappingArgs,
    },
    resolve: (_root, { mappings }, { tenant, services }) =>
      services.fieldMapping.replace(tenant(), mappings.map(toMapping)),
  }),
);
