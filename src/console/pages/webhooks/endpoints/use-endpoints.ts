import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../../api/query-keys.ts';
import { graphql } from '../../../generated/gql.ts';
import type { EndpointRowFragment } from '../../../generated/graphql.ts';
import { useSession } from '../../../session.tsx';

/** A tenant has at most 50 endpoints, so one page contains all of them. */
const ENDPOINTS = graphql(`
  query Endpoints {
    webhookEndpoints(first: 50) {
      edges {
        node {
          ...EndpointRow
        }
      }
    }
  }
  fragment EndpointRow on WebhookEndpoint {
    id
    url
    description
    events
    enabled
    disabledReason
    createdAt
    updatedAt
  }
`);

export type Endpoint = EndpointRowFragment;

/** The service disables failing endpoints at any time. */
export const ENDPOINTS_REFRESH_MS = 15_000;

/** Loads the tenant's endpoints, newest first. */
export function useEndpoints() {
  const { call, customerId } = useSession();
  return useQuery({
    queryKey: queryKeys.endpointList(customerId, 'plain'),
    queryFn: async () => (await call(ENDPOINTS)).webhookEndpoints.edges.map(({ node }) => node),
    refetchInterval: ENDPOINTS_REFRESH_MS,
  });
}

/** Display name of an endpoint. */
export const endpointName = ({ description, url }: Pick<Endpoint, 'description' | 'url'>): string =>
  description || url;
