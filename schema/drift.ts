import { z } from 'zod';
import { HISTORY_DEFAULT, HISTORY_MAX } from '../src/features/drift/drift.service.ts';
import type {
  DriftCheckResult as CheckResultShape,
  DriftCheck as CheckShape,
  FeatureDrift as FeatureShape,
  DriftStatus as StatusShape,
} from '../src/features/drift/drift.types.ts';
import { text } from '../src/platform/validation.ts';
import { builder, rest } from './builder.ts';

const BOTH = ['graphql', 'rpc'] as const;
const TAG = 'Drift';

const FeatureDrift = builder.objectRef<FeatureShape>('FeatureDrift').implement({
  subGraphs: [...BOTH],
  description: 'How far one input or output of the scoring model has moved away from its reference.',
  fields: (t) => ({
    feature: t.exposeString('feature', {
      description: 'Name of the feature; `prediction` and `residual` are among them.',
    }),
    score: t.exposeFloat('score', { description: 'Its Population Stability Index; may exceed 1.' }),
    drifted: t.exposeBoolean('drifted', { description: 'Whether the score is above the threshold.' }),
  }),
});

const DriftStatus = builder.objectRef<StatusShape>('DriftStatus').implement({
  subGraphs: [...BOTH],
  description: 'Whether the scoring model still fits reality.',
  fields: (t) => ({
    isDrifted: t.exposeBoolean('isDrifted', {
      description: 'Whether the overall score is above the threshold.',
    }),
    driftScore: t.exposeFloat('driftScore', { description: 'Overall score, 0 to 1.' }),
    threshold: t.exposeFloat('threshold', { description: 'The threshold.' }),
    method: t.exposeString('method', {
      description: 'How it is detected; `psi` is the Population Stability Index.',
    }),
    lastChecked: t.expose('lastChecked', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was last checked; null: never.',
    }),
    featureDrifts: t.expose('featureDrifts', {
      type: [FeatureDrift],
      description: 'Each feature on its own.',
    }),
  }),
});

const DriftCheck = builder.objectRef<CheckShape>('DriftCheck').implement({
  subGraphs: [...BOTH],
  description: 'A drift check that was made.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Its identifier.' }),
    driftScore: t.exposeFloat('driftScore', { description: 'Overall score, 0 to 1.' }),
    isDrifted: t.exposeBoolean('isDrifted', { description: 'Whether the score was above the threshold.' }),
    method: t.exposeString('method', { description: 'How it was detected.' }),
    stage: t.exposeString('stage', {
      nullable: true,
      description: 'Funnel stage it was limited to; null: overall.',
    }),
    checkedAt: t.expose('checkedAt', { type: 'DateTime', description: 'When it was made.' }),
  }),
});

const DriftCheckResult = builder.objectRef<CheckResultShape>('DriftCheckResult').implement({
  subGraphs: [...BOTH],
  description: 'What a drift check has found.',
  fields: (t) => ({
    success: t.exposeBoolean('success', { description: 'Whether the check could be made.' }),
    driftScore: t.exposeFloat('driftScore', { description: 'Overall score, 0 to 1.' }),
    isDrifted: t.exposeBoolean('isDrifted', { description: 'Whether the score is above the threshold.' }),
  }),
});

/** Letters, digits and what stands between them: a stage is a name. */
const stage = text().regex(
  /^[\p{L}\p{N}][\p{L}\p{N} _.:/-]*$/u,
  'Must be a name of letters, digits, blanks and _ . : / -',
);

const limit = z.int().min(1, `Must be 1 to ${HISTORY_MAX}.`).max(HISTORY_MAX, `Must be 1 to ${HISTORY_MAX}.`);

builder.queryFields((t) => ({
  driftStatus: t.field({
    subGraphs: [...BOTH],
    type: DriftStatus,
    description:
      'Whether the scoring model still fits reality; asked of the ML sidecar, else `SERVICE_UNAVAILABLE`.',
    authScopes: { read: true },
    extensions: rest({
      mount: 'rpc',
      method: 'GET',
      path: '/drift.getStatus',
      scope: 'read',
      tag: TAG,
      summary: 'Get the drift status',
    }),
    resolve: (_root, _args, { services }) => services.drift.status(),
  }),
  driftHistory: t.field({
    subGraphs: [...BOTH],
    type: [DriftCheck],
    description: 'Drift checks that were made, most recent first.',
    authScopes: { admin: true },
    args: {
      stage: t.arg.string({ validate: { schema: stage }, description: 'Only checks of this funnel stage.' }),
      limit: t.arg.int({
        defaultValue: HISTORY_DEFAULT,
        validate: { schema: limit },
        description: `How many at most, 1 to ${HISTORY_MAX}.`,
      }),
    },
    extensions: rest({
      mount: 'rpc',
      method: 'GET',
      path: '/drift.getHistory',
      scope: 'admin',
      tag: TAG,
      summary: 'List drift checks',
    }),
    resolve: (_root, args, { services }) =>
      services.drift.history(args.stage ?? null, args.limit ?? HISTORY_DEFAULT),
  }),
}));

builder.mutationField('triggerDriftCheck', (t) =>
  t.field({
    subGraphs: [...BOTH],
    type: DriftCheckResult,
    description: 'Checks for drift now; refreshes status and history.',
    authScopes: { admin: true },
    args: {
      stage: t.arg.string({
        validate: { schema: stage },
        description: 'Only rows of this funnel stage; without it, all.',
      }),
    },
    extensions: rest({
      mount: 'rpc',
      method: 'POST',
      path: '/drift.triggerCheck',
      scope: 'admin',
      tag: TAG,
      summary: 'Check for drift now',
    }),
    resolve: (_root, { stage }, { services }) => services.drift.check(stage ?? null),
  }),
);
