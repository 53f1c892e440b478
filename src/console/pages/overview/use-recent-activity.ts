import { useQuery } from '@tanstack/react-query';
import { graphql } from '../../generated/gql.ts';
import { useSession } from '../../session.tsx';

const ACTIVITY = graphql(`
  query LastDay($since: DateTime!) {
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

const DAY_MS = 86_400_000;
const REFRESH_MS = 15_000;

/** What the last 24 hours brought; asked for once, however many show a part of it. */
export function useLastDay() {
  const { call, customerId } = useSession();
  return useQuery({
    queryKey: ['activity', customerId],
    queryFn: async () =>
      (await call(ACTIVITY, { since: new Date(Date.now() - DAY_MS).toISOString() })).activity,
    refetchInterval: REFRESH_MS,
  });
}
