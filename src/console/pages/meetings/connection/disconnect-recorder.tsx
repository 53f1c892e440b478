import { Button } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Confirm } from '../../../components/confirm-dialog.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { recorderKey } from '../use-recorder.ts';

const DISCONNECT = graphql(`
  mutation DisconnectRecorder {
    disconnectRecorder
  }
`);

/** Takes the key back. */
export function Disconnect() {
  const { call, customerId } = useSession();
  const queries = useQueryClient();
  const disconnect = async (): Promise<void> => {
    await call(DISCONNECT);
    await queries.invalidateQueries({ queryKey: recorderKey(customerId) });
  };
  return (
    <Confirm
      title="Disconnect the meeting recorder?"
      action="Disconnect"
      run={disconnect}
      trigger={(ask) => (
        <Button variant="default" onClick={ask}>
          Disconnect
        </Button>
      )}
    >
      The provider key is forgotten, a running sync is cancelled, and no new meetings come. The meetings that
      were synced are kept, and so is the field mapping. To connect again, you need a provider key.
    </Confirm>
  );
}
