import { useQuery } from '@tanstack/react-query';
import { DAY_MS } from '../../format.ts';
import { graphql } from '../../generated/gql.ts';
import type { RecentActivityQuery } from '../../generated/graphql.ts';
import { useSession } from '../../session.tsx';

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
  }
`);

export type RecentActivity = RecentActivityQuery['activity'];

const REFRESH_MS = 15_000;

/** Loads the activity of the last 24 hours. */
export function useRecentActivity() {
  const { call, customerId } = useSession();
  return useQuery({
    queryKey: ['activity', customerId],
    queryFn: async () =>
      (await call(ACTIVITY, { since: new Date(Date.now() - DAY_MS).toISOString() })).activity,
    refetchInterval: REFRESH_MS,
  });
}
