import type { Example } from './graphiql-example.ts';

export const DRIFT: readonly Example[] = [
  {
    query: `query Drift {
  driftStatus {
    isDrifted
    driftScore
    threshold
    method
    lastChecked
    featureDrifts { feature score drifted }
  }
}

# The following operations require an API key with the scope \`admin\`.
query DriftHistory($stage: String) {
  driftHistory(stage: $stage, limit: 20) { id driftScore isDrifted stage checkedAt }
}

mutation CheckDrift($stage: String) {
  triggerDriftCheck(stage: $stage) { success driftScore isDrifted }
}`,
    variables: { stage: null },
  },
];
