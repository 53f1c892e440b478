import { useQuery } from '@tanstack/react-query';
import { graphql } from '../../generated/gql.ts';
import type { DriftHistoryQuery, DriftStatusQuery } from '../../generated/graphql.ts';
import { useSession } from '../../session.tsx';

const STATUS = graphql(`
  query DriftStatus {
    driftStatus {
      isDrifted
      driftScore
      threshold
      method
      lastChecked
      featureDrifts {
        feature
        score
        drifted
      }
    }
  }
`);

const HISTORY = graphql(`
  query DriftHistory($stage: String) {
    driftHistory(stage: $stage, limit: 200) {
      id
      driftScore
      isDrifted
      stage
      checkedAt
    }
  }
`);

export type DriftStatus = DriftStatusQuery['driftStatus'];
export type DriftCheck = DriftHistoryQuery['driftHistory'][number];

/** Drift is of the one scoring model, whichever customer is looked at: no key has the customer in it. */
export const DRIFT_KEY = 'drift';

const REFRESH_MS = 30_000;

/** Where the model stands now, all stages together. */
export function useDriftStatus() {
  const { call } = useSession();
  return useQuery({
    queryKey: [DRIFT_KEY, 'status'],
    queryFn: async () => (await call(STATUS)).driftStatus,
    refetchInterval: REFRESH_MS,
  });
}

/** The latest 200 checks, newest first: of a stage, or (null) of all stages and overall. For admins only. */
export function useDriftHistory(stage: string | null) {
  const { call, isAdmin } = useSession();
  return useQuery({
    queryKey: [DRIFT_KEY, 'history', stage],
    queryFn: async () => (await call(HISTORY, { stage })).driftHistory,
    refetchInterval: REFRESH_MS,
    enabled: isAdmin,
  });
}
