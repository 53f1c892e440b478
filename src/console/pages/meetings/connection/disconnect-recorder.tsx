import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { recorderQueryKey } from '../use-recorder.ts';

const DISCONNECT = graphql(`
  mutation DisconnectRecorder {
    disconnectRecorder
  }
`);

/** Deletes the stored provider key after confirmation. */
export function DisconnectRecorder() {
  const { call, customerId } = useSession();
  const queries = useQueryClient();
  const disconnect = async (): Promise<void> => {
    await call(DISCONNECT);
    await queries.invalidateQueries({ queryKey: recorderQueryKey(customerId) });
  };
  return (
    <ConfirmDialog
      title="Disconnect the meeting recorder?"
      action="Disconnect"
      run={disconnect}
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
