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
  driftModels
}

query DriftPerformance($stage: String) {
  driftPerformance(stage: $stage) {
    isProbabilistic
    weeks { week rows outcomes calibrationError auc accuracy estimatedAccuracy }
  }
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
  {
    scope: 'admin',
    query: `query DriftAlerts($status: DriftAlertStatus) {
  driftAlerts(status: $status, limit: 20) {
    id
    model
    scope
    stage
    feature
    status
    since
    clearedAt
    score
    threshold
    features {
      feature
      score
      bin { lower upper category missing reference { share } current { share } }
      exampleIds
    }
    acknowledgement { note until at }
    remindedAt
  }
}

mutation AcknowledgeDriftAlert($id: ID!, $note: String!, $until: DateTime) {
  acknowledgeDriftAlert(id: $id, note: $note, until: $until) { id status }
}

mutation WithdrawDriftAcknowledgement($id: ID!) {
  withdrawDriftAcknowledgement(id: $id) { id status }
}`,
    variables: { status: null, id: '000000000000000000000000', note: 'Known; retraining is planned.' },
  },
  {
    scope: 'admin',
    query: `query DriftMutes {
  driftMutes { feature stage note until }
}

mutation MuteDriftFeature($feature: String!, $stage: String, $note: String) {
  muteDriftFeature(feature: $feature, stage: $stage, note: $note) { id feature stage until }
}

mutation UnmuteDriftFeature($feature: String!, $stage: String) {
  unmuteDriftFeature(feature: $feature, stage: $stage) { id feature stage }
}`,
    variables: { feature: 'prediction', stage: null, note: 'New model' },
  },
  {
    scope: 'admin',
    query: `query DriftPlannedChanges($since: DateTime, $until: DateTime) {
  driftPlannedChanges(since: $since, until: $until) { id type title stage startsAt endsAt }
}

mutation CreateDriftPlannedChange($title: String!, $startsAt: DateTime!, $endsAt: DateTime) {
  createDriftPlannedChange(type: campaign, title: $title, startsAt: $startsAt, endsAt: $endsAt) { id }
}

mutation DeleteDriftPlannedChange($id: ID!) {
  deleteDriftPlannedChange(id: $id) { id title }
}`,
    variables: {
      since: '2026-01-01T00:00:00Z',
      until: null,
      title: 'Spring campaign',
      startsAt: '2026-03-01T00:00:00Z',
      endsAt: '2026-03-31T00:00:00Z',
      id: '000000000000000000000000',
    },
  },
];
