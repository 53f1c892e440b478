import { Card, Stack, Text, Title } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { useSession } from '../../../session.tsx';
import { useSyncActions } from '../sync/sync-actions.tsx';
import { ConnectForm } from './provider-key-form.tsx';

/** Where a key is asked for, of those who may give one. */
export function NotConnected() {
  const { canWrite } = useSession();
  const { start } = useSyncActions();
  // Where that fails the connection is there all the same, with a button to start one.
  const startFirst = () => start.mutateAsync().catch(() => {});
  if (!canWrite) {
    return (
      <EmptyState icon={IconPlugConnected} title="No recorder is connected">
        Connecting one takes a key of this service that may write. Sign in with one, or ask somebody who has
        one.
      </EmptyState>
    );
  }
  return (
    <Card withBorder maw={640}>
      <Stack>
        <div>
          <Title order={2} size="h4">
            Connect the recorder
          </Title>
          <Text size="sm" c="dimmed" mt={4}>
            The first sync starts at once, with the meetings of the last 90 days.
          </Text>
        </div>
        <ConnectForm action="Connect" onConnected={startFirst} />
      </Stack>
    </Card>
  );
}
