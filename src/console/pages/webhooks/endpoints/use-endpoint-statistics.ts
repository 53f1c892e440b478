import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../../api/query-keys.ts';
import { graphql } from '../../../generated/gql.ts';
import type { EndpointBacklogFragment, EndpointStatisticsQuery } from '../../../generated/graphql.ts';
import { type Session, useSession } from '../../../session/session.tsx';
import { ENDPOINTS_REFRESH_MS } from './use-endpoints.ts';

export const CHART_HEIGHT_PX = 220;

const STATISTICS = graphql(`
  query EndpointStatistics($id: Int!) {
    webhookEndpoint(id: $id) {
      ...EndpointBacklog
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
/** What waits for an endpoint: deliveries that are due, and retries that are due later. */
export type EndpointBacklog = EndpointBacklogFragment;
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

const ENDPOINT_RESULTS = graphql(`
  query EndpointResults {
    webhookEndpoints(first: 50) {
      edges {
        node {
          id
          statistics {
            attempts
            failedAttempts
            p95
            failingSince
          }
        }
      }
    }
  }
`);

/** Apart from the results: an operation has no room for both of 50 endpoints. */
const ENDPOINT_BACKLOGS = graphql(`
  query EndpointBacklogs {
    webhookEndpoints(first: 50) {
      edges {
        node {
          id
          ...EndpointBacklog
        }
      }
    }
  }
  fragment EndpointBacklog on WebhookEndpoint {
    backlog
    oldestWaitingAt
    scheduledRetries
  }
`);

/** Refresh of the figures of all endpoints, which are counted for each. */
const ALL_REFRESH_MS = 60_000;

export const endpointResultsQuery = ({ call, customerId }: Session) => ({
  queryKey: queryKeys.endpointList(customerId, 'results'),
  queryFn: async () => byId((await call(ENDPOINT_RESULTS)).webhookEndpoints),
});

/** Loads the results of the last 24 hours of all endpoints, by the ID of the endpoint. */
export const useEndpointResults = ({ enabled = true } = {}) =>
  useQuery({ ...endpointResultsQuery(useSession()), refetchInterval: ALL_REFRESH_MS, enabled });

export const endpointBacklogsQuery = ({ call, customerId }: Session) => ({
  queryKey: queryKeys.endpointList(customerId, 'backlogs'),
  queryFn: async () => byId((await call(ENDPOINT_BACKLOGS)).webhookEndpoints),
});

/** Loads the results of the last 24 hours and the backlogs of all endpoints, by the ID of the endpoint. */
export function useAllEndpointStatistics() {
  const results = useEndpointResults();
  const backlogs = useQuery({ ...endpointBacklogsQuery(useSession()), refetchInterval: ALL_REFRESH_MS });
  return { results, backlogs };
}

const byId = <N extends { id: number }>({ edges }: { edges: { node: N }[] }): ReadonlyMap<number, N> =>
  new Map(edges.map(({ node }) => [node.id, node]));
