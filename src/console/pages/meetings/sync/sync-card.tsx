import { Card, Group, Stack, Text, Title } from '@mantine/core';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { LiveBadge } from '../../../components/live-badge.tsx';
import { useSession } from '../../../session.tsx';
import { type Connection, isUnfinished } from '../use-recorder.ts';
import { SyncButtons } from './sync-buttons.tsx';
import { SyncRunSummary } from './sync-run-summary.tsx';
import { useSyncActions } from './use-sync-actions.ts';

/** The running sync, or the last one. */
export function SyncCard({ connection, live }: { connection: Connection; live: boolean }) {
  const { canWrite } = useSession();
  const actions = useSyncActions();
  const { lastRun, status } = connection;
  return (
    <Card withBorder>
      <Stack>
        <Group justify="space-between">
          <Group gap="sm">
            <Title order={2} size="h4">
              Sync
            </Title>
            <LiveBadge live={live} />
          </Group>
          {canWrite && ((lastRun && isUnfinished(lastRun)) || status !== 'key_invalid') && (
            <SyncButtons status={lastRun?.status} {...actions} />
          )}
        </Group>
        <ErrorAlert
          error={actions.start.error ?? actions.pause.error ?? actions.resume.error ?? actions.cancel.error}
        />
        {lastRun ? (
          <SyncRunSummary run={lastRun} />
        ) : (
          <Text c="dimmed">
            No sync has run yet. The first sync fetches the meetings of the last 90 days.
          </Text>
        )}
      </Stack>
    </Card>
  );
}
