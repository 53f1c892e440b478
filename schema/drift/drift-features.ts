import { z } from 'zod';
import type { FeatureSetting as SettingShape } from '../../src/features/drift/drift.types.ts';
import { MAX_FEATURE_SETTINGS, MAX_WEIGHT } from '../../src/shared/drift-limits.ts';
import { builder } from '../builder.ts';
import { featureName, MODEL, SAMPLES_OF_STAGE } from './drift.types.ts';
import { FEATURE_EXAMPLE, FEATURE_SETTINGS_EXAMPLE } from './drift-rest-examples.ts';
import { DRIFT_SURFACES, driftProcedure } from './drift-routes.ts';
import { DriftFeature } from './feature-drift.types.ts';

const DESCRIPTIONS = {
  feature: 'Name of the feature; `prediction` and `residual` can have a threshold, but no weight.',
  weight: 'Weight in the mean of the features; 0 excludes the feature from it.',
  threshold: 'Score above which the feature counts as drifted; null for the general threshold.',
};

const DriftFeatureSetting = builder.objectRef<SettingShape>('DriftFeatureSetting').implement({
  subGraphs: DRIFT_SURFACES,
  description: 'Weight and threshold of a feature.',
  fields: (t) => ({
    feature: t.exposeString('feature', { description: DESCRIPTIONS.feature }),
    weight: t.exposeFloat('weight', { description: DESCRIPTIONS.weight }),
    threshold: t.exposeFloat('threshold', { nullable: true, description: DESCRIPTIONS.threshold }),
  }),
});

const WEIGHT_RANGE = `Must be 0 to ${MAX_WEIGHT}.`;

const setting = z.object({
  feature: featureName,
  weight: z.number().min(0, WEIGHT_RANGE).max(MAX_WEIGHT, WEIGHT_RANGE).nullish(),
  threshold: z.number().positive('Must be greater than 0.').nullish(),
});

const DriftFeatureSettingInput = builder.inputType('DriftFeatureSettingInput', {
  subGraphs: DRIFT_SURFACES,
  description: 'Weight and threshold of a feature.',
  validate: { schema: setting },
  fields: (t) => ({
    feature: t.string({ required: true, description: DESCRIPTIONS.feature }),
    weight: t.float({ defaultValue: 1, description: DESCRIPTIONS.weight }),
    threshold: t.float({ description: DESCRIPTIONS.threshold }),
  }),
});

type Input = typeof DriftFeatureSettingInput.$inferInput;

/** Fills in the defaults. */
const toSetting = ({ feature, weight, threshold }: Input): SettingShape => ({
  feature,
  weight: weight ?? 1,
  threshold: threshold ?? null,
});

builder.queryFields((t) => ({
  driftFeature: t.field({
    ...driftProcedure({
      method: 'GET',
      path: '/drift.getFeature',
      scope: 'read',
      resource: 'drift',
      summary: 'Get the drift of a feature with its histograms',
      example: { query: { feature: FEATURE_EXAMPLE.feature }, response: FEATURE_EXAMPLE },
    }),
    type: DriftFeature,
    description:
      'Drift of one feature, computed from the samples on request, with the bins that explain its score. Returns `NOT_FOUND` for an unknown feature and for a stage without samples.',
    args: {
      feature: t.arg.string({
        required: true,
        validate: { schema: featureName },
        description: 'Name of the feature; `prediction` and `residual` are valid.',
      }),
      stage: t.arg.string(SAMPLES_OF_STAGE),
      model: t.arg.string(MODEL),
    },
    resolve: (_root, { feature, stage, model }, { services }) =>
      services.drift.feature({ feature, stage, model }),
  }),
  driftFeatureSettings: t.field({
    ...driftProcedure({
      method: 'GET',
      path: '/drift.getFeatureSettings',
      scope: 'admin',
      resource: 'drift',
      summary: 'List weights and thresholds of features',
      example: { response: FEATURE_SETTINGS_EXAMPLE },
    }),
    type: [DriftFeatureSetting],
    description:
      'Features with a weight or threshold of their own. Other features have the weight 1 and the general threshold.',
    args: { model: t.arg.string(MODEL) },
    resolve: (_root, { model }, { services }) => services.drift.featureSettings({ model }),
  }),
}));

builder.mutationField('setDriftFeatureSettings', (t) =>
  t.field({
    ...driftProcedure({
      method: 'POST',
      path: '/drift.setFeatureSettings',
      scope: 'admin',
      resource: 'drift',
      summary: 'Replace weights and thresholds of features',
      example: { body: { features: FEATURE_SETTINGS_EXAMPLE }, response: FEATURE_SETTINGS_EXAMPLE },
    }),
    type: [DriftFeatureSetting],
    description:
      'Replaces the weights and thresholds of all features; a feature that is not listed has the weight 1 and the general threshold. The status reflects them at once, without a new check.',
    args: {
      features: t.arg({
        type: [DriftFeatureSettingInput],
        required: true,
        validate: {
          schema: z
            .array(z.any())
            .max(MAX_FEATURE_SETTINGS, `Must have at most ${MAX_FEATURE_SETTINGS} features.`),
        },
        description: `The complete list: at most ${MAX_FEATURE_SETTINGS} features, each named once.`,
      }),
      model: t.arg.string(MODEL),
    },
    resolve: (_root, { features, model }, { services }) =>
      services.drift.setFeatureSettings({ model }, features.map(toSetting)),
  }),
);
