import { Alert, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle } from '@tabler/icons-react';
import { queryKeys } from '../../../api/query-keys.ts';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { DescriptionList } from '../../../components/description-list.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';
import type { Connection } from '../use-recorder.ts';
import { ProviderKeyForm } from './provider-key-form.tsx';

/** Connection status of the recorder with its actions. */
export function ConnectionCard({ connection }: { connection: Connection }) {
  const { canWrite } = useSession();
  const { status, connectedAt, lastSyncAt, nextSyncAt } = connection;
  return (
    <Card withBorder>
      <Stack>
        <Group justify="space-between">
          <Group gap="sm">
            <Title order={2} size="h4">
              Connection
            </Title>
            <StatusBadge status={status} />
          </Group>
          {canWrite && (
            <Group gap="xs">
              <ReplaceProviderKey highlighted={status === 'key_invalid'} />
              <DisconnectRecorder />
            </Group>
          )}
        </Group>
        <ConnectionProblem connection={connection} />
        <DescriptionList
          columns={{ base: 1, xs: 3 }}
          items={[
            ['Connected', <RelativeTime key="connected" at={connectedAt} />],
            ['Last successful sync', <RelativeTime key="last" at={lastSyncAt} />],
            ['Next sync', <RelativeTime key="next" at={nextSyncAt} fallback="not scheduled" />],
          ]}
        />
      </Stack>
    </Card>
  );
}

/** Problem of the connection and how to fix it; renders nothing while the connection works. */
function ConnectionProblem({ connection: { status, lastRun } }: { connection: Connection }) {
  const { canWrite } = useSession();
  if (status === 'connected' || lastRun?.status === 'running') return null;
  if (status === 'key_invalid') {
    return (
      <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title="The provider rejected the API key">
        Meetings are not synced until the key is replaced. Create a new key in your account with the provider
        {canWrite ? ' and replace the key here.' : '. Replacing the key here requires write scope.'}
      </Alert>
    );
  }
  return (
    <Alert color="orange" icon={<IconAlertTriangle aria-hidden />} title="The last sync failed">
      {lastRun?.error?.message} {syncErrorAdvice(lastRun?.error?.code)}
    </Alert>
  );
}

/** Next step for each error code of a sync. */
const ADVICE: Record<string, string> = {
  PROVIDER_KEY_INVALID: 'Create a new key at the provider and replace the key here.',
  PROVIDER_UNAVAILABLE: 'Sync again when the provider is available. Scheduled syncs retry automatically.',
  RATE_LIMITED: 'Wait a few minutes before you sync again.',
  NOT_CONFIGURED: 'Replace the provider key.',
  INTERNAL: 'Sync again. If the sync fails again, the service log has the cause.',
};

/** Returns the next step for an error code; an empty string if there is no advice. */
const syncErrorAdvice = (code: string | undefined): string => ADVICE[code ?? ''] ?? '';

const DISCONNECT = graphql(`
  mutation DisconnectRecorder {
    disconnectRecorder
  }
`);

/** Deletes the stored provider key after confirmation. */
function DisconnectRecorder() {
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

function ReplaceProviderKey({ highlighted }: { highlighted: boolean }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant={highlighted ? 'filled' : 'default'} onClick={open}>
        Replace key
      </Button>
      <Dialog opened={opened} onClose={close} title="Replace provider key">
        <Stack>
          <Text size="sm">
            A running or paused sync with the old key is cancelled. If the provider rejects the new key, the
            old key stays in place.
          </Text>
          <ProviderKeyForm action="Replace" onConnected={close}>
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
          </ProviderKeyForm>
        </Stack>
      </Dialog>
    </>
  );
}
