import { useQuery } from '@tanstack/react-query';
import { graphql } from '../../../generated/gql.ts';
import type { EndpointRowFragment } from '../../../generated/graphql.ts';
import { useSession } from '../../../session.tsx';

/** A customer has 50 at most: one page is all of them. */
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

/** An endpoint is switched off by itself, too, when its receiver is gone. */
export const REFRESH_MS = 15_000;

/** The customer's endpoints, newest first. */
export function useEndpoints() {
  const { call, customerId } = useSession();
  return useQuery({
    queryKey: ['endpoints', customerId, 'all'],
    queryFn: async () => (await call(ENDPOINTS)).webhookEndpoints.edges.map(({ node }) => node),
    refetchInterval: REFRESH_MS,
  });
}

/** What a person calls an endpoint. */
export const nameOf = ({ description, url }: Pick<Endpoint, 'description' | 'url'>): string =>
  description || url;
