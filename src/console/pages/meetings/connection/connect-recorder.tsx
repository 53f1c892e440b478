import { Card, Stack, Text, Title } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { useSession } from '../../../session.tsx';
import { useSyncActions } from '../sync/use-sync-actions.ts';
import { ProviderKeyForm } from './provider-key-form.tsx';

/** Connects the recorder and starts the first sync; requires write scope. */
export function ConnectRecorder() {
  const { canWrite } = useSession();
  const { start } = useSyncActions();
  // If the sync does not start, the connection page offers a button to start it.
  const startFirstSync = () => start.mutateAsync().catch(() => {});
  if (!canWrite) {
    return (
      <EmptyState icon={IconPlugConnected} title="No recorder connected">
        Connecting a recorder requires an API key of this service with write scope.
      </EmptyState>
    );
  }
  return (
    <Card withBorder maw={640}>
      <Stack>
        <div>
          <Title order={2} size="h4">
            Connect recorder
          </Title>
          <Text size="sm" c="dimmed" mt={4}>
            The first sync starts immediately and fetches the meetings of the last 90 days.
          </Text>
        </div>
        <ProviderKeyForm action="Connect" onConnected={startFirstSync} />
      </Stack>
    </Card>
  );
}
