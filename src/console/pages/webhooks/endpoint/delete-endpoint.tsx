import { Button, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { Confirm } from '../../../components/confirm-dialog.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { type Endpoint, nameOf } from '../endpoints/use-endpoints.ts';

const DELETE = graphql(`
  mutation DeleteEndpoint($id: Int!) {
    deleteWebhookEndpoint(id: $id) {
      id
    }
  }
`);

/** Deletes an endpoint, after asking, and leads back to the others. */
export function DeleteEndpoint({ endpoint }: { endpoint: Endpoint }) {
  const { call, customerId } = useSession();
  const queries = useQueryClient();
  const [, go] = useLocation();
  const remove = async (): Promise<void> => {
    await call(DELETE, { id: endpoint.id });
    go('/webhooks');
    void queries.invalidateQueries({ queryKey: ['endpoints', customerId] });
  };
  return (
    <Confirm
      title="Delete the endpoint?"
      action="Delete"
      run={remove}
      trigger={(open) => (
        <Button variant="light" color="red" onClick={open}>
          Delete endpoint
        </Button>
      )}
    >
      <Text size="sm" className="breakable">
        <b>{nameOf(endpoint)}</b> and its secret are gone for good, and what waits for it is cancelled. Its
        deliveries stay readable for as long as they are kept.
      </Text>
    </Confirm>
  );
}
