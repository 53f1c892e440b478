import { Card, Group, Stack, Text, Title } from '@mantine/core';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { LiveBadge } from '../../../components/live-badge.tsx';
import { useSession } from '../../../session.tsx';
import type { Connection } from '../use-recorder.ts';
import { SyncButton, useSyncActions } from './sync-actions.tsx';
import { SyncRunSummary } from './sync-run-summary.tsx';

/** The running sync, or the last one. */
export function SyncCard({ connection, live }: { connection: Connection; live: boolean }) {
  const { canWrite } = useSession();
  const { start, cancel } = useSyncActions();
  const { lastRun, status } = connection;
  const running = lastRun?.status === 'running';
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
          {canWrite && (running || status !== 'key_invalid') && (
            <SyncButton running={running} start={start} cancel={cancel} />
          )}
        </Group>
        <ErrorAlert error={start.error ?? cancel.error} />
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
