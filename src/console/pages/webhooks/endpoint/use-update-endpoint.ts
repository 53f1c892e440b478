import { useQueryClient } from '@tanstack/react-query';
import { graphql } from '../../../generated/gql.ts';
import type { UpdateWebhookEndpointInput } from '../../../generated/graphql.ts';
import { useSession } from '../../../session.tsx';

const UPDATE = graphql(`
  mutation UpdateEndpoint($id: Int!, $input: UpdateWebhookEndpointInput!) {
    updateWebhookEndpoint(id: $id, input: $input) {
      ...EndpointRow
    }
  }
`);

/** Returns a function that updates an endpoint and refreshes its queries. */
export function useUpdateEndpoint(id: number): (input: UpdateWebhookEndpointInput) => Promise<void> {
  const { call, customerId } = useSession();
  const queries = useQueryClient();
  return async (input) => {
    const { updateWebhookEndpoint } = await call(UPDATE, { id, input });
    queries.setQueryData(['endpoints', customerId, id], updateWebhookEndpoint);
    void queries.invalidateQueries({ queryKey: ['endpoints', customerId] });
  };
}
