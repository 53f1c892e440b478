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

/** Without a customer ID: the service has one scoring model, which all tenants share. */
export const DRIFT_QUERY_KEY = 'drift';

const REFRESH_MS = 30_000;

/** Loads the current drift status over all stages. */
export function useDriftStatus() {
  const { call } = useSession();
  return useQuery({
    queryKey: [DRIFT_QUERY_KEY, 'status'],
    queryFn: async () => (await call(STATUS)).driftStatus,
    refetchInterval: REFRESH_MS,
  });
}

/**
 * Loads the latest 200 checks, newest first. Requires an admin key.
 *
 * @param stage null: overall checks and checks of every stage
 */
export function useDriftHistory(stage: string | null) {
  const { call, isAdmin } = useSession();
  return useQuery({
    queryKey: [DRIFT_QUERY_KEY, 'history', stage],
    queryFn: async () => (await call(HISTORY, { stage })).driftHistory,
    refetchInterval: REFRESH_MS,
    enabled: isAdmin,
  });
}
