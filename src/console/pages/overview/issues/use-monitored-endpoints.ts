import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../../api/query-keys.ts';
import { graphql } from '../../../generated/gql.ts';
import type { MonitoredEndpointsQuery } from '../../../generated/graphql.ts';
import { useSession } from '../../../session.tsx';
import { ENDPOINTS_REFRESH_MS } from '../../webhooks/endpoints/use-endpoints.ts';

/** Five deliveries, because the newest one may wait for its first attempt. */
const MONITORED_ENDPOINTS = graphql(`
  query MonitoredEndpoints {
    webhookEndpoints(first: 50) {
      edges {
        node {
          ...EndpointRow
          deliveries(first: 5) {
            edges {
              node {
                error
                lastAttemptAt
              }
            }
          }
        }
      }
    }
  }
`);

export type MonitoredEndpoint = MonitoredEndpointsQuery['webhookEndpoints']['edges'][number]['node'];

/** Loads the tenant's endpoints with the results of their newest deliveries. */
export function useMonitoredEndpoints() {
  const { call, customerId } = useSession();
  return useQuery({
    queryKey: queryKeys.endpointList(customerId, 'monitored'),
    queryFn: async () => (await call(MONITORED_ENDPOINTS)).webhookEndpoints.edges.map(({ node }) => node),
    refetchInterval: ENDPOINTS_REFRESH_MS,
  });
}
