import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../../api/query-keys.ts';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { ENDPOINTS_REFRESH_MS } from '../endpoints/use-endpoints.ts';

const ENDPOINT = graphql(`
  query Endpoint($id: Int!) {
    webhookEndpoint(id: $id) {
      ...EndpointRow
    }
  }
`);

export const UPDATE_ENDPOINT = graphql(`
  mutation UpdateEndpoint($id: Int!, $input: UpdateWebhookEndpointInput!) {
    updateWebhookEndpoint(id: $id, input: $input) {
      id
    }
  }
`);

/** Loads an endpoint; null if the tenant has no endpoint with this ID. */
export function useEndpoint(id: number) {
  const { call, customerId } = useSession();
  return useQuery({
    queryKey: queryKeys.endpoint(customerId, id),
    queryFn: async () => (Number.isInteger(id) ? (await call(ENDPOINT, { id })).webhookEndpoint : null),
    refetchInterval: ENDPOINTS_REFRESH_MS,
  });
}
