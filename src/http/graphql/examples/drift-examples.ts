import type { Example } from './graphiql-example.ts';

export const DRIFT: readonly Example[] = [
  {
    scope: 'read',
    query: `query Drift($stage: String) {
  driftStatus(stage: $stage) {
    isDrifted
    driftScore
    threshold
    method
    lastChecked
    insufficientData
    components { features prediction outcome }
    rows { reference current }
    featureDrifts { feature score drifted weight threshold }
  }
  driftStages { stage rows { reference current } }
}

query DriftOfFeature($feature: String!, $stage: String) {
  driftFeature(feature: $feature, stage: $stage) {
    score
    drifted
    missing { reference current }
    newCategories { count names }
    vanishedCategories { count names }
    bins {
      lower
      upper
      category
      missing
      reference { count share }
      current { count share }
      contribution
    }
  }
}`,
    variables: { stage: null, feature: 'prediction' },
  },
  {
    scope: 'admin',
    query: `query DriftHistory($stage: String, $feature: String) {
  driftHistory(stage: $stage, feature: $feature, limit: 20) {
    id driftScore isDrifted stage checkedAt featureScore
  }
}

mutation CheckDrift($stage: String) {
  triggerDriftCheck(stage: $stage) { success driftScore isDrifted components { features prediction outcome } }
}`,
    variables: { stage: null, feature: 'prediction' },
  },
  {
    scope: 'admin',
    query: `query DriftFeatureSettings {
  driftFeatureSettings { feature weight threshold }
}

# Replaces all settings.
mutation SetDriftFeatureSettings($features: [DriftFeatureSettingInput!]!) {
  setDriftFeatureSettings(features: $features) { feature weight threshold }
}`,
    variables: { features: [{ feature: 'prediction', threshold: 0.25 }] },
  },
];
