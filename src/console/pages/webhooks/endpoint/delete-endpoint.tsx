import { Button, Text } from '@mantine/core';
import { useLocation } from 'wouter';
import { queryKeys } from '../../../api/query-keys.ts';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { type Endpoint, endpointName } from '../endpoints/use-endpoints.ts';

const DELETE = graphql(`
  mutation DeleteEndpoint($id: Int!) {
    deleteWebhookEndpoint(id: $id) {
      id
    }
  }
`);

/** Deletes an endpoint after confirmation and returns to the list. */
export function DeleteEndpoint({ endpoint }: { endpoint: Endpoint }) {
  const { call, customerId } = useSession();
  const [, navigate] = useLocation();
  const remove = useServiceMutation(() => call(DELETE, { id: endpoint.id }), {
    invalidates: [queryKeys.endpoints(customerId)],
    onSuccess: () => navigate('/webhooks'),
  });
  return (
    <ConfirmDialog
      title="Delete this endpoint?"
      action="Delete"
      mutation={remove}
      trigger={(open) => (
        <Button variant="light" color="red" onClick={open}>
          Delete endpoint
        </Button>
      )}
    >
      <Text size="sm" className="breakable">
        <b>{endpointName(endpoint)}</b> and its secret are deleted, and its pending deliveries are cancelled.
        Past deliveries stay visible until their retention period ends. This cannot be undone.
      </Text>
    </ConfirmDialog>
  );
}
