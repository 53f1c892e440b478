import { HISTORY_DEFAULT, HISTORY_MAX } from '../src/features/drift/drift.service.ts';
import type {
  DriftCheckResult as CheckResultShape,
  DriftCheck as CheckShape,
  FeatureDrift as FeatureShape,
  DriftStatus as StatusShape,
} from '../src/features/drift/drift.types.ts';
import { text } from '../src/platform/text-validation.ts';
import { builder } from './builder.ts';
import { pageSize } from './paging.ts';
import { type RestRoute, restField } from './rest-route.ts';

const BOTH = ['graphql', 'rpc'] as const;

/** Declares a drift procedure, which is a GraphQL field as well. */
const driftProcedure = (route: Pick<RestRoute, 'method' | 'path' | 'scope' | 'summary' | 'example'>) =>
  restField({
    graphql: true,
    mount: 'rpc',
    tag: 'Drift',
    errors: {
      SERVICE_UNAVAILABLE:
        'The ML sidecar is not configured, cannot be reached, times out or returns an invalid response; or the database cannot be reached.',
    },
    ...route,
  });

const FeatureDrift = builder.objectRef<FeatureShape>('FeatureDrift').implement({
  subGraphs: [...BOTH],
  description: 'Drift of one input or output of the scoring model against its reference distribution.',
  fields: (t) => ({
    feature: t.exposeString('feature', {
      description: 'Name of the feature; `prediction` and `residual` are included.',
    }),
    score: t.exposeFloat('score', {
      description: 'Population Stability Index of the feature; can exceed 1.',
    }),
    drifted: t.exposeBoolean('drifted', { description: 'True if the score exceeds the threshold.' }),
  }),
});

const DriftStatus = builder.objectRef<StatusShape>('DriftStatus').implement({
  subGraphs: [...BOTH],
  description: 'Drift of the scoring model against its reference data.',
  fields: (t) => ({
    isDrifted: t.exposeBoolean('isDrifted', {
      description: 'True if the overall score exceeds the threshold.',
    }),
    driftScore: t.exposeFloat('driftScore', { description: 'Overall drift score, 0 to 1.' }),
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
    featureDrifts: t.expose('featureDrifts', { type: [FeatureDrift], description: 'Drift per feature.' }),
  }),
});

const DriftCheck = builder.objectRef<CheckShape>('DriftCheck').implement({
  subGraphs: [...BOTH],
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
  }),
});

const DriftCheckResult = builder.objectRef<CheckResultShape>('DriftCheckResult').implement({
  subGraphs: [...BOTH],
  description: 'The result of a drift check.',
  fields: (t) => ({
    success: t.exposeBoolean('success', { description: 'True if the check completed.' }),
    driftScore: t.exposeFloat('driftScore', { description: 'Overall drift score, 0 to 1.' }),
    isDrifted: t.exposeBoolean('isDrifted', { description: 'True if the score exceeds the threshold.' }),
  }),
});

const STAGE_NAME = /^[\p{L}\p{N}][\p{L}\p{N} _.:/-]*$/u;

// Not `regex`: OpenAPI would contain the pattern, and the classes of Unicode are not part of every language's syntax.
const stage = text().refine(
  (value) => STAGE_NAME.test(value),
  'Must be a name of letters, digits, spaces and _ . : / -',
);

const STAGE_RULE = 'Letters, digits, spaces and _ . : / - in any script, with a letter or digit first.';

builder.queryFields((t) => ({
  driftStatus: t.field({
    ...driftProcedure({
      method: 'GET',
      path: '/drift.getStatus',
      scope: 'read',
      summary: 'Get the drift status',
      example: {
        response: {
          isDrifted: true,
          driftScore: 0.22,
          threshold: 0.2,
          method: 'psi',
          lastChecked: '2026-01-31T09:30:00.000Z',
          featureDrifts: [{ feature: 'visits_30d', score: 1.32, drifted: true }],
        },
      },
    }),
    type: DriftStatus,
    description:
      'Drift of the scoring model, queried from the ML sidecar. Returns `SERVICE_UNAVAILABLE` if the sidecar is not available.',
    resolve: (_root, _args, { services }) => services.drift.status(),
  }),
  driftHistory: t.field({
    ...driftProcedure({
      method: 'GET',
      path: '/drift.getHistory',
      scope: 'admin',
      summary: 'List drift checks',
      example: {
        response: [
          {
            id: '665f1d40b8e4d3a1f0c9b822',
            driftScore: 0.22,
            isDrifted: true,
            method: 'psi',
            stage: 'trial',
            checkedAt: '2026-01-31T09:30:00.000Z',
          },
        ],
      },
    }),
    type: [DriftCheck],
    description: 'Completed drift checks, most recent first.',
    args: {
      stage: t.arg.string({
        validate: { schema: stage },
        description: `Only checks of this funnel stage. ${STAGE_RULE}`,
      }),
      limit: t.arg.int({
        defaultValue: HISTORY_DEFAULT,
        validate: { schema: pageSize(HISTORY_MAX) },
        description: `Maximum number of checks, 1 to ${HISTORY_MAX}.`,
      }),
    },
    resolve: (_root, args, { services }) =>
      services.drift.history({ stage: args.stage ?? null, limit: args.limit ?? HISTORY_DEFAULT }),
  }),
}));

builder.mutationField('triggerDriftCheck', (t) =>
  t.field({
    ...driftProcedure({
      method: 'POST',
      path: '/drift.triggerCheck',
      scope: 'admin',
      summary: 'Check for drift now',
      example: { body: { stage: 'trial' }, response: { success: true, driftScore: 0.22, isDrifted: true } },
    }),
    type: DriftCheckResult,
    description: 'Runs a drift check now and refreshes status and history.',
    args: {
      stage: t.arg.string({
        validate: { schema: stage },
        description: `Only samples of this funnel stage; default: all. ${STAGE_RULE}`,
      }),
    },
    resolve: (_root, { stage }, { services }) => services.drift.check({ stage: stage ?? null }),
  }),
);
