import { Button } from '@mantine/core';
import { queryKeys } from '../../../api/query-keys.ts';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';

const DISCONNECT = graphql(`
  mutation DisconnectRecorder {
    disconnectRecorder
  }
`);

/** Deletes the stored provider key after confirmation. */
export function DisconnectRecorder() {
  const { call, customerId } = useSession();
  const disconnect = useServiceMutation(() => call(DISCONNECT), {
    invalidates: [queryKeys.recorder(customerId)],
  });
  return (
    <ConfirmDialog
      title="Disconnect the meeting recorder?"
      action="Disconnect"
      mutation={disconnect}
      trigger={(open) => (
        <Button variant="default" onClick={open}>
          Disconnect
        </Button>
      )}
    >
      The stored provider key is deleted, a running or paused sync is cancelled, and no further meetings are
      synced. Synced meetings and the field mapping are kept. Reconnecting requires a provider API key.
    </ConfirmDialog>
  );
}
