import type {
  DriftCheckResult as CheckResultShape,
  DriftCheck as CheckShape,
  DriftStatus as StatusShape,
} from '../../src/features/drift/drift.types.ts';
import { DEFAULT_MODEL } from '../../src/platform/sidecar-address.ts';
import { HISTORY_DEFAULT, HISTORY_MAX } from '../../src/shared/drift-limits.ts';
import { builder } from '../builder.ts';
import { pageSize } from '../paging.ts';
import {
  COMPARED_REFERENCE,
  COMPARED_ROWS,
  COMPONENT_DETAILS,
  DriftReference,
  DriftStage,
  featureName,
  INSUFFICIENT_DATA,
  MODEL,
  SAMPLES_OF_STAGE,
  SCORE_COMPONENTS,
  stageArg,
  UNLESS_REPORTED,
} from './drift.types.ts';
import { CHECK_EXAMPLE, HISTORY_EXAMPLE, STAGES_EXAMPLE, STATUS_EXAMPLE } from './drift-rest-examples.ts';
import { DRIFT_SURFACES, driftProcedure } from './drift-routes.ts';
import { FeatureDrift } from './feature-drift.types.ts';

const DriftStatus = builder.objectRef<StatusShape>('DriftStatus').implement({
  subGraphs: DRIFT_SURFACES,
  description: 'Drift of the scoring model against its reference data.',
  fields: (t) => ({
    stage: t.exposeString('stage', {
      nullable: true,
      description: 'Funnel stage that the status is limited to; null for all samples.',
    }),
    isDrifted: t.exposeBoolean('isDrifted', {
      description: 'True if the overall score exceeds the threshold.',
    }),
    driftScore: t.exposeFloat('driftScore', {
      description: 'Overall drift score, 0 to 1: the largest of its components.',
    }),
    threshold: t.exposeFloat('threshold', { description: 'Score above which the model counts as drifted.' }),
    method: t.exposeString('method', {
      description: 'Detection method; `psi` is the Population Stability Index.',
    }),
    lastChecked: t.expose('lastChecked', {
      type: 'DateTime',
      nullable: true,
      description:
        'Time of the last drift check, or of the request if the sidecar computed the status for it; null if the sidecar reports none.',
    }),
    components: t.expose('components', SCORE_COMPONENTS),
    componentDetails: t.expose('componentDetails', COMPONENT_DETAILS),
    insufficientData: t.exposeBoolean('insufficientData', INSUFFICIENT_DATA),
    rows: t.expose('rows', COMPARED_ROWS),
    reference: t.expose('reference', COMPARED_REFERENCE),
    featureDrifts: t.expose('featureDrifts', { type: [FeatureDrift], description: 'Drift per feature.' }),
  }),
});

const DriftCheck = builder.objectRef<CheckShape>('DriftCheck').implement({
  subGraphs: DRIFT_SURFACES,
  description: 'A completed drift check.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'ID of the check.' }),
    driftScore: t.exposeFloat('driftScore', { description: 'Overall drift score, 0 to 1.' }),
    isDrifted: t.exposeBoolean('isDrifted', { description: 'True if the score exceeded the threshold.' }),
    method: t.exposeString('method', { description: 'Detection method.' }),
    stage: t.exposeString('stage', {
      nullable: true,
      description: 'Funnel stage that the check was limited to; null if it covered all stages.',
    }),
    checkedAt: t.expose('checkedAt', { type: 'DateTime', description: 'Time of the check.' }),
    components: t.expose('components', SCORE_COMPONENTS),
    componentDetails: t.expose('componentDetails', COMPONENT_DETAILS),
    insufficientData: t.exposeBoolean('insufficientData', INSUFFICIENT_DATA),
    rows: t.expose('rows', COMPARED_ROWS),
    reference: t.expose('reference', COMPARED_REFERENCE),
    featureScore: t.exposeFloat('featureScore', {
      nullable: true,
      description:
        'Score of the requested feature; null if none is requested, or if the feature was not part of the check.',
    }),
  }),
});

const DriftCheckResult = builder.objectRef<CheckResultShape>('DriftCheckResult').implement({
  subGraphs: DRIFT_SURFACES,
  description: 'The result of a drift check.',
  fields: (t) => ({
    success: t.exposeBoolean('success', { description: 'True if the check completed.' }),
    driftScore: t.exposeFloat('driftScore', { description: 'Overall drift score, 0 to 1.' }),
    isDrifted: t.exposeBoolean('isDrifted', { description: 'True if the score exceeds the threshold.' }),
    threshold: t.exposeFloat('threshold', {
      nullable: true,
      description: `Score above which the model counts as drifted; ${UNLESS_REPORTED}`,
    }),
    components: t.expose('components', SCORE_COMPONENTS),
    componentDetails: t.expose('componentDetails', COMPONENT_DETAILS),
    insufficientData: t.exposeBoolean('insufficientData', INSUFFICIENT_DATA),
    rows: t.expose('rows', COMPARED_ROWS),
    reference: t.expose('reference', COMPARED_REFERENCE),
    at: t.expose('at', {
      type: 'DateTime',
      nullable: true,
      description: 'End of the current window of a repeated check; null for a check of now.',
    }),
  }),
});

builder.queryFields((t) => ({
  driftStatus: t.field({
    ...driftProcedure({
      method: 'GET',
      path: '/drift.getStatus',
      scope: 'read',
      resource: 'drift',
      summary: 'Get the drift status',
      example: { response: STATUS_EXAMPLE },
    }),
    type: DriftStatus,
    description:
      'Drift of the scoring model, queried from the ML sidecar. Returns `NOT_FOUND` for a stage without samples, and `SERVICE_UNAVAILABLE` if the sidecar is not available.',
    args: { stage: t.arg.string(SAMPLES_OF_STAGE), model: t.arg.string(MODEL) },
    resolve: (_root, { stage, model }, { services }) => services.drift.status({ stage, model }),
  }),
  driftStages: t.field({
    ...driftProcedure({
      method: 'GET',
      path: '/drift.getStages',
      scope: 'read',
      resource: 'drift',
      summary: 'List funnel stages with samples',
      example: { response: STAGES_EXAMPLE },
    }),
    type: [DriftStage],
    description: 'Funnel stages that have samples, by name; empty if the sidecar does not list them.',
    args: { model: t.arg.string(MODEL) },
    resolve: async (_root, { model }, { services }) => (await services.drift.stages({ model })) ?? [],
  }),
  driftModels: t.field({
    ...driftProcedure({
      method: 'GET',
      path: '/drift.getModels',
      scope: 'read',
      resource: 'drift',
      summary: 'List models',
      example: { response: [DEFAULT_MODEL, 'churn'] },
    }),
    type: ['String'],
    description: `Names of the models with samples, \`${DEFAULT_MODEL}\` first; only that if the sidecar does not list models.`,
    resolve: (_root, _args, { services }) => services.drift.models(),
  }),
  driftHistory: t.field({
    ...driftProcedure({
      method: 'GET',
      path: '/drift.getHistory',
      scope: 'admin',
      resource: 'drift',
      summary: 'List drift checks',
      example: { response: HISTORY_EXAMPLE },
    }),
    type: [DriftCheck],
    description: 'Completed drift checks, most recent first.',
    args: {
      stage: t.arg.string(stageArg('Only checks of this funnel stage.')),
      limit: t.arg.int({
        defaultValue: HISTORY_DEFAULT,
        validate: { schema: pageSize(HISTORY_MAX) },
        description: `Maximum number of checks, 1 to ${HISTORY_MAX}.`,
      }),
      overall: t.arg.boolean({
        defaultValue: false,
        description: 'Only checks of all samples; not to be combined with `stage`.',
      }),
      feature: t.arg.string({
        validate: { schema: featureName },
        description: 'Name of a feature whose score is added to each check as `featureScore`.',
      }),
      model: t.arg.string(MODEL),
    },
    resolve: (_root, { stage, overall, feature, limit, model }, { services }) =>
      services.drift.history({
        stage,
        model,
        overall: overall ?? false,
        feature,
        limit: limit ?? HISTORY_DEFAULT,
      }),
  }),
}));

builder.mutationField('triggerDriftCheck', (t) =>
  t.field({
    ...driftProcedure({
      method: 'POST',
      path: '/drift.triggerCheck',
      scope: 'admin',
      resource: 'drift',
      summary: 'Check for drift now',
      example: { body: { stage: 'trial' }, response: CHECK_EXAMPLE },
    }),
    type: DriftCheckResult,
    description:
      'Runs a drift check now and refreshes status and history; with `at`, repeats the check of a past time without an effect on status, history and alerts. A time range without samples has `insufficientData`. Returns `NOT_FOUND` for a stage without samples, and `SERVICE_UNAVAILABLE` if the sidecar does not support `reference` or `at`.',
    args: {
      stage: t.arg.string(SAMPLES_OF_STAGE),
      model: t.arg.string(MODEL),
      reference: t.arg({
        type: DriftReference,
        description:
          'Rows to compare the current ones with. Default: the setting of the sidecar, `DRIFT_REFERENCE`.',
      }),
      at: t.arg({
        type: 'DateTime',
        description: 'End of the current window, not in the future. Default: now.',
      }),
    },
    resolve: (_root, { stage, model, reference, at }, { services }) =>
      services.drift.check({ stage, model, reference, at }),
  }),
);
