import type { CHANGE_TYPES } from '../../src/features/drift/drift.types.ts';
import type { PlannedChange } from '../../src/features/drift/planned-changes/planned-changes.service.ts';
import { DEFAULT_MODEL } from '../../src/platform/sidecar-address.ts';
import { text } from '../../src/platform/text-validation.ts';
import {
  MAX_PLANNED_CHANGES,
  RESPONSE_LIST_DEFAULT,
  RESPONSE_LIST_MAX,
} from '../../src/shared/drift-limits.ts';
import { builder } from '../builder.ts';
import { pageSize } from '../paging.ts';
import { MODEL, modelArg, stageArg } from './drift.types.ts';
import { PLANNED_CHANGE_EXAMPLE } from './drift-rest-examples.ts';
import { alertProcedure, DRIFT_SURFACES } from './drift-routes.ts';

const ChangeType = builder.enumType('DriftPlannedChangeType', {
  subGraphs: DRIFT_SURFACES,
  description: 'Type of a planned change.',
  values: {
    campaign: { description: 'A marketing campaign, which changes the visitors.' },
    release: { description: 'A release of the product or the model.' },
    other: { description: 'Any other change.' },
  } satisfies Record<(typeof CHANGE_TYPES)[number], object>,
});

const DriftPlannedChange = builder.objectRef<PlannedChange>('DriftPlannedChange').implement({
  subGraphs: DRIFT_SURFACES,
  description: 'A change that can move drift scores: an annotation of charts, without an effect on alerts.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the change.' }),
    model: t.exposeString('model', { description: 'Model that it concerns.' }),
    stage: t.exposeString('stage', {
      nullable: true,
      description: 'Funnel stage that it concerns; null for all samples and every stage.',
    }),
    type: t.expose('type', { type: ChangeType, description: 'Type of the change.' }),
    title: t.exposeString('title', { description: 'Title, for a chart.' }),
    note: t.exposeString('note', { nullable: true, description: 'Further text; null if there is none.' }),
    startsAt: t.expose('startsAt', { type: 'DateTime', description: 'Start.' }),
    endsAt: t.expose('endsAt', {
      type: 'DateTime',
      description: 'End; equal to the start for a moment, such as a release.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
  }),
});

builder.queryField('driftPlannedChanges', (t) =>
  t.field({
    ...alertProcedure({
      method: 'GET',
      path: '/drift.getPlannedChanges',
      scope: 'admin',
      resource: 'drift',
      summary: 'List planned changes',
      example: { response: [PLANNED_CHANGE_EXAMPLE] },
    }),
    type: [DriftPlannedChange],
    description: 'Planned changes that overlap a time range, latest start first.',
    args: {
      model: t.arg.string(modelArg('Changes of this model.')),
      stage: t.arg.string(
        stageArg('Only changes that concern this funnel stage, including changes of every stage.'),
      ),
      since: t.arg({ type: 'DateTime', description: 'Only changes that end at this time or later.' }),
      until: t.arg({ type: 'DateTime', description: 'Only changes that start before this time.' }),
      limit: t.arg.int({
        defaultValue: RESPONSE_LIST_DEFAULT,
        validate: { schema: pageSize(RESPONSE_LIST_MAX) },
        description: `Maximum number of changes, 1 to ${RESPONSE_LIST_MAX}.`,
      }),
    },
    resolve: (_root, { model, stage, since, until, limit }, { services }) =>
      services.plannedChanges.list({
        model: model ?? DEFAULT_MODEL,
        stage,
        since,
        until,
        limit: limit ?? RESPONSE_LIST_DEFAULT,
      }),
  }),
);

builder.mutationFields((t) => ({
  createDriftPlannedChange: t.field({
    ...alertProcedure({
      method: 'POST',
      path: '/drift.createPlannedChange',
      scope: 'admin',
      resource: 'drift',
      summary: 'Create a planned change',
      errors: { CONFLICT: `${MAX_PLANNED_CHANGES.toLocaleString('en')} planned changes exist already.` },
      example: {
        body: {
          type: PLANNED_CHANGE_EXAMPLE.type,
          title: PLANNED_CHANGE_EXAMPLE.title,
          startsAt: PLANNED_CHANGE_EXAMPLE.startsAt,
          endsAt: PLANNED_CHANGE_EXAMPLE.endsAt,
        },
        response: PLANNED_CHANGE_EXAMPLE,
      },
    }),
    type: DriftPlannedChange,
    description: 'Creates a planned change, an annotation of the charts of drift.',
    args: {
      type: t.arg({ type: ChangeType, required: true, description: 'Type of the change.' }),
      title: t.arg.string({
        required: true,
        validate: { schema: text({ max: 200 }) },
        description: 'Title, one line of at most 200 characters.',
      }),
      startsAt: t.arg({ type: 'DateTime', required: true, description: 'Start, in the past or the future.' }),
      endsAt: t.arg({
        type: 'DateTime',
        description: 'End, not before the start; absent or null for a moment.',
      }),
      model: t.arg.string(MODEL),
      stage: t.arg.string(stageArg('Funnel stage; absent or null for all samples and every stage.')),
      note: t.arg.string({
        validate: { schema: text({ max: 2_000, multiline: true }) },
        description: 'Further text, at most 2,000 characters.',
      }),
    },
    resolve: (_root, { type, title, startsAt, endsAt, model, stage, note }, { services }) =>
      services.plannedChanges.create({
        type,
        title,
        startsAt,
        endsAt: endsAt ?? null,
        model: model ?? DEFAULT_MODEL,
        stage: stage ?? null,
        note: note ?? null,
      }),
  }),
  deleteDriftPlannedChange: t.field({
    ...alertProcedure({
      method: 'POST',
      path: '/drift.deletePlannedChange',
      scope: 'admin',
      resource: 'drift',
      summary: 'Delete a planned change',
      example: { body: { id: PLANNED_CHANGE_EXAMPLE.id }, response: PLANNED_CHANGE_EXAMPLE },
    }),
    type: DriftPlannedChange,
    description: 'Deletes a planned change and returns it. Returns `NOT_FOUND` for an unknown one.',
    args: { id: t.arg.id({ required: true, description: 'Identifier of the change.' }) },
    resolve: (_root, { id }, { services }) => services.plannedChanges.remove(id),
  }),
}));
