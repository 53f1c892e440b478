import { useQueries, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';
import { queryKeys } from '../../api/query-keys.ts';
import { graphql } from '../../generated/gql.ts';
import type { DriftFeatureQuery, DriftHistoryQuery } from '../../generated/graphql.ts';
import { type Session, useSession } from '../../session/session.tsx';

const STATUS = graphql(`
  query DriftStatus($stage: String, $model: String) {
    driftStatus(stage: $stage, model: $model) {
      isDrifted
      driftScore
      threshold
      method
      lastChecked
      insufficientData
      components {
        features
        prediction
        outcome
      }
      componentDetails {
        features {
          ...ComponentDetail
        }
        prediction {
          ...ComponentDetail
        }
        outcome {
          ...ComponentDetail
        }
      }
      rows {
        reference
        current
      }
      featureDrifts {
        feature
        score
        drifted
        insufficientData
        type
        weight
        threshold
        noise
        significant
        rowsNeeded
        noData
        missing {
          reference
          current
        }
        newCategoryShare
        newCategories {
          count
        }
        vanishedCategories {
          count
        }
      }
    }
  }
  fragment ComponentDetail on DriftComponentDetail {
    noise
    significant
    rowsNeeded
    coverage {
      reference
      current
    }
  }
`);

const STAGES = graphql(`
  query DriftStages($model: String) {
    driftStages(model: $model) {
      stage
    }
  }
`);

const HISTORY = graphql(`
  query DriftHistory($stage: String, $overall: Boolean, $feature: String, $model: String) {
    driftHistory(stage: $stage, overall: $overall, feature: $feature, model: $model, limit: 200) {
      id
      driftScore
      isDrifted
      insufficientData
      checkedAt
      components {
        features
        prediction
        outcome
      }
      rows {
        reference
        current
      }
      featureScore
    }
  }
`);

const FEATURE = graphql(`
  query DriftFeature($feature: String!, $stage: String, $model: String) {
    driftFeature(feature: $feature, stage: $stage, model: $model) {
      score
      driftedSince
      drifted
      insufficientData
      type
      weight
      threshold
      noise
      significant
      rowsNeeded
      noData
      jensenShannon
      wasserstein
      outOfRange
      rows {
        reference
        current
      }
      missing {
        reference
        current
      }
      coverage {
        reference
        current
      }
      newCategoryShare
      newCategories {
        count
        names
      }
      vanishedCategories {
        count
        names
      }
      bins {
        lower
        upper
        category
        missing
        reference {
          count
          share
        }
        current {
          count
          share
        }
        contribution
      }
      otherCategories {
        count
        contribution
      }
    }
  }
`);

export type DriftCheck = DriftHistoryQuery['driftHistory'][number];
export type DriftFeature = DriftFeatureQuery['driftFeature'];
export type DriftBin = DriftFeature['bins'][number];

export const REFRESH_MS = 30_000;
/** Refresh interval of the hidden stages, whose tabs show a mark. */
const MARK_REFRESH_MS = 120_000;

/** Returns the model that the address names; null for the default one. */
export function useModel(): string | null {
  const [params] = useSearchParams();
  return params.get('model') || null;
}

export interface Samples {
  /** Null: the default one. */
  model: string | null;
  /** Null: all samples. */
  stage: string | null;
}

/** What the page shows unless its address names a model or a stage. */
export const ALL_SAMPLES: Samples = { model: null, stage: null };

export const driftStatusQuery = ({ call }: Pick<Session, 'call'>, { model, stage }: Samples) => ({
  queryKey: queryKeys.driftStatus(model, stage),
  queryFn: async () => (await call(STATUS, { model, stage })).driftStatus,
});

/** @param stage null: all samples */
export function useDriftStatus(stage: string | null = null, { enabled = true } = {}) {
  const query = driftStatusQuery(useSession(), { model: useModel(), stage });
  return useQuery({ ...query, refetchInterval: REFRESH_MS, enabled });
}

export const driftStagesQuery = ({ call }: Session, { model }: Pick<Samples, 'model'>) => ({
  queryKey: queryKeys.driftStages(model),
  queryFn: async () => (await call(STAGES, { model })).driftStages,
});

/** Loads the stages that have samples. */
export const useDriftStages = () =>
  useQuery({ ...driftStagesQuery(useSession(), { model: useModel() }), refetchInterval: REFRESH_MS });

/** Loads the status of each stage. */
export function useStageStatuses(stages: readonly string[]) {
  const session = useSession();
  const model = useModel();
  const queries = stages.map((stage) => ({
    ...driftStatusQuery(session, { model, stage }),
    refetchInterval: MARK_REFRESH_MS,
  }));
  return useQueries({ queries });
}

interface HistoryFilter {
  /** Null: checks of all samples. */
  stage: string | null;
  /** Adds the score of this feature to each check. */
  feature?: string | null;
}

/** The latest 200 checks of all samples or of a stage, newest first. Requires an admin key. */
export const driftHistoryQuery = (
  { call, isAdmin }: Session,
  { model, stage, feature = null }: Samples & HistoryFilter,
) => ({
  queryKey: queryKeys.driftHistory(model, stage, feature),
  queryFn: async () => (await call(HISTORY, { stage, overall: stage === null, feature, model })).driftHistory,
  enabled: isAdmin,
});

/** Loads the latest 200 checks of all samples or of a stage, newest first. */
export function useDriftHistory(filter: HistoryFilter) {
  const query = driftHistoryQuery(useSession(), { model: useModel(), ...filter });
  return useQuery({ ...query, refetchInterval: REFRESH_MS });
}

/** Loads the comparison of a feature with its bins, which the sidecar computes on request. A null stage is all samples. */
export function useDriftFeature({ feature, stage }: { feature: string; stage: string | null }) {
  const { call } = useSession();
  const model = useModel();
  return useQuery({
    queryKey: queryKeys.driftFeature(model, stage, feature),
    queryFn: async () => (await call(FEATURE, { feature, stage, model })).driftFeature,
  });
}
