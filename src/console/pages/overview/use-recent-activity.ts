import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.ts';
import { DAY_MS } from '../../format.ts';
import { graphql } from '../../generated/gql.ts';
import type { RecentActivityQuery } from '../../generated/graphql.ts';
import { type Session, useSession } from '../../session/session.tsx';

const ACTIVITY = graphql(`
  query RecentActivity($since: DateTime!) {
    activity(since: $since) {
      events {
        event
        count
      }
      deliveries {
        status
        count
      }
      conversations {
        status
        count
      }
    }
    webhookDeliveries(first: 1, status: failed) {
      edges {
        node {
          id
          lastAttemptAt
        }
      }
    }
  }
`);

export type RecentActivity = RecentActivityQuery['activity'] & {
  /** The newest delivery that failed, of any age; null if there is none. */
  latestFailed: { id: string; lastAttemptAt: string | null } | null;
};

const REFRESH_MS = 15_000;

export const recentActivityQuery = ({ call, customerId, isLimited }: Session) => ({
  queryKey: queryKeys.activity(customerId),
  queryFn: async (): Promise<RecentActivity> => {
    const since = new Date(Date.now() - DAY_MS).toISOString();
    const { activity, webhookDeliveries } = await call(ACTIVITY, { since });
    return { ...activity, latestFailed: webhookDeliveries.edges[0]?.node ?? null };
  },
  enabled: !isLimited,
});

/** Loads the activity of the last 24 hours. */
export const useRecentActivity = () =>
  useQuery({ ...recentActivityQuery(useSession()), refetchInterval: REFRESH_MS });
