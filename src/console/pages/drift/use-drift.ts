import { useQueries, useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.ts';
import { graphql } from '../../generated/gql.ts';
import type { DriftHistoryQuery, DriftStatusQuery } from '../../generated/graphql.ts';
import { type Session, useSession } from '../../session.tsx';

const STATUS = graphql(`
  query DriftStatus($stage: String) {
    driftStatus(stage: $stage) {
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
        missing {
          reference
          current
        }
        newCategories {
          count
        }
        vanishedCategories {
          count
        }
      }
    }
  }
`);

const STAGES = graphql(`
  query DriftStages {
    driftStages {
      stage
    }
  }
`);

const HISTORY = graphql(`
  query DriftHistory($stage: String, $overall: Boolean, $feature: String) {
    driftHistory(stage: $stage, overall: $overall, feature: $feature, limit: 200) {
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

export type DriftStatus = DriftStatusQuery['driftStatus'];
export type FeatureDrift = DriftStatus['featureDrifts'][number];
export type DriftComponents = NonNullable<DriftStatus['components']>;
export type DriftCheck = DriftHistoryQuery['driftHistory'][number];

const REFRESH_MS = 30_000;
/** Refresh interval of the stages that are not shown, whose tabs are marked if they drifted. */
const MARK_REFRESH_MS = 120_000;

const statusQuery = ({ call }: Session, stage: string | null) => ({
  queryKey: queryKeys.driftStatus(stage),
  queryFn: async () => (await call(STATUS, { stage })).driftStatus,
});

/**
 * Loads the current drift status of a stage.
 *
 * @param stage null: all samples
 */
export function useDriftStatus(stage: string | null = null, { enabled = true } = {}) {
  return useQuery({ ...statusQuery(useSession(), stage), refetchInterval: REFRESH_MS, enabled });
}

/** Loads the stages that have samples. */
export function useDriftStages() {
  const { call } = useSession();
  return useQuery({
    queryKey: queryKeys.driftStages,
    queryFn: async () => (await call(STAGES)).driftStages,
    refetchInterval: REFRESH_MS,
  });
}

/** Loads the status of each stage. */
export function useStageStatuses(stages: readonly string[]) {
  const session = useSession();
  const queries = stages.map((stage) => ({
    ...statusQuery(session, stage),
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

/** Loads the latest 200 checks of all samples or of a stage, newest first. Requires an admin key. */
export function useDriftHistory({ stage, feature = null }: HistoryFilter) {
  const { call, isAdmin } = useSession();
  return useQuery({
    queryKey: queryKeys.driftHistory(stage, feature),
    queryFn: async () => (await call(HISTORY, { stage, overall: stage === null, feature })).driftHistory,
    refetchInterval: REFRESH_MS,
    enabled: isAdmin,
  });
}
