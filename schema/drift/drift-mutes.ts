import type { FeatureMute } from '../../src/features/drift/alerts/feature-mutes.service.ts';
import { DEFAULT_MODEL } from '../../src/platform/sidecar-address.ts';
import { text } from '../../src/platform/text-validation.ts';
import { MAX_MUTES } from '../../src/shared/drift-limits.ts';
import { builder } from '../builder.ts';
import { featureName, MODEL, modelArg, stageArg } from './drift.types.ts';
import { MUTE_EXAMPLE } from './drift-rest-examples.ts';
import { alertProcedure, DRIFT_SURFACES } from './drift-routes.ts';

const DriftMute = builder.objectRef<FeatureMute>('DriftMute').implement({
  subGraphs: DRIFT_SURFACES,
  description: 'A feature whose drift raises no alert. Its scores stay as they are.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier of the mute.' }),
    model: t.exposeString('model', { description: 'Model that it applies to.' }),
    stage: t.exposeString('stage', {
      nullable: true,
      description: 'Funnel stage that it applies to; null for all samples and every stage.',
    }),
    feature: t.exposeString('feature', {
      description: 'Name of the feature, `prediction` or `residual`.',
    }),
    note: t.exposeString('note', { nullable: true, description: 'Reason; null if none was given.' }),
    until: t.expose('until', {
      type: 'DateTime',
      nullable: true,
      description: 'Time at which it ends; null until it is removed.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
  }),
});

const FEATURE = {
  required: true as const,
  validate: { schema: featureName },
  description: 'Name of the feature; `prediction` and `residual` are valid.',
};

builder.queryField('driftMutes', (t) =>
  t.field({
    ...alertProcedure({
      method: 'GET',
      path: '/drift.getMutes',
      scope: 'admin',
      resource: 'drift',
      summary: 'List muted features',
      example: { response: [MUTE_EXAMPLE] },
    }),
    type: [DriftMute],
    description: 'Features whose drift raises no alert, most recently muted first.',
    args: {
      model: t.arg.string(modelArg('Mutes of this model.')),
      stage: t.arg.string(stageArg('Only mutes of this funnel stage.')),
    },
    resolve: (_root, { model, stage }, { services }) =>
      services.driftMutes.list({ model: model ?? DEFAULT_MODEL, stage }),
  }),
);

builder.mutationFields((t) => ({
  muteDriftFeature: t.field({
    ...alertProcedure({
      method: 'POST',
      path: '/drift.muteFeature',
      scope: 'admin',
      resource: 'drift',
      summary: 'Mute a feature',
      errors: { CONFLICT: `${MAX_MUTES.toLocaleString('en')} features are muted already.` },
      example: {
        body: { feature: MUTE_EXAMPLE.feature, note: MUTE_EXAMPLE.note, until: MUTE_EXAMPLE.until },
        response: MUTE_EXAMPLE,
      },
    }),
    type: DriftMute,
    description:
      'Mutes a feature: from the next check on it adds 0 to the score that alerts use and raises no alert. Replaces the note and the end of an existing mute.',
    args: {
      feature: t.arg.string(FEATURE),
      model: t.arg.string(MODEL),
      stage: t.arg.string(stageArg('Funnel stage; absent or null for all samples and every stage.')),
      note: t.arg.string({
        validate: { schema: text({ max: 2_000, multiline: true }) },
        description: 'Reason, at most 2,000 characters.',
      }),
      until: t.arg({
        type: 'DateTime',
        description: 'Time at which it ends, in the future; absent or null until it is removed.',
      }),
    },
    resolve: (_root, { feature, model, stage, note, until }, { services }) =>
      services.driftMutes.mute({
        feature,
        model: model ?? DEFAULT_MODEL,
        stage: stage ?? null,
        note: note ?? null,
        until: until ?? null,
      }),
  }),
  unmuteDriftFeature: t.field({
    ...alertProcedure({
      method: 'POST',
      path: '/drift.unmuteFeature',
      scope: 'admin',
      resource: 'drift',
      summary: 'Unmute a feature',
      example: { body: { feature: MUTE_EXAMPLE.feature }, response: MUTE_EXAMPLE },
    }),
    type: DriftMute,
    description:
      'Ends a mute and returns it. Returns `NOT_FOUND` if the feature is not muted for this model and stage.',
    args: {
      feature: t.arg.string(FEATURE),
      model: t.arg.string(MODEL),
      stage: t.arg.string(
        stageArg('Funnel stage; absent or null for the mute of all samples and every stage.'),
      ),
    },
    resolve: (_root, { feature, model, stage }, { services }) =>
      services.driftMutes.unmute({ feature, model: model ?? DEFAULT_MODEL, stage: stage ?? null }),
  }),
}));
