import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../../api/query-keys.ts';
import { graphql } from '../../../generated/gql.ts';
import type { EndpointStatisticsQuery } from '../../../generated/graphql.ts';
import { useSession } from '../../../session/session.tsx';
import { ENDPOINTS_REFRESH_MS } from './use-endpoints.ts';

export const CHART_HEIGHT_PX = 220;

const STATISTICS = graphql(`
  query EndpointStatistics($id: Int!) {
    webhookEndpoint(id: $id) {
      backlog
      oldestWaitingAt
      statistics {
        succeeded
        failed
        attempts
        failedAttempts
        p50
        p95
        failingSince
        steps {
          startsAt
          attempts
          failedAttempts
          p50
          p95
        }
      }
    }
  }
`);

export type EndpointStatistics = NonNullable<EndpointStatisticsQuery['webhookEndpoint']>['statistics'];
export type HourStatistics = EndpointStatistics['steps'][number];

/** Loads the backlog of an endpoint, and the results of its attempts in the last 24 hours. */
export function useEndpointStatistics(id: number) {
  const { call, customerId } = useSession();
  return useQuery({
    queryKey: queryKeys.endpointStatistics(customerId, id),
    queryFn: async () => (await call(STATISTICS, { id })).webhookEndpoint,
    refetchInterval: ENDPOINTS_REFRESH_MS,
  });
}
