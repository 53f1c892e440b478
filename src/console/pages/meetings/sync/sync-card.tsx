import { Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconRefresh } from '@tabler/icons-react';
import type { Action } from '../../../api/use-service-mutation.ts';
import { ActionButton } from '../../../components/action-button.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { LiveBadge } from '../../../components/live-badge.tsx';
import { useSession } from '../../../session/session.tsx';
import { type Connection, isUnfinished, type SyncRun } from '../use-recorder.ts';
import { SyncRangeDialog } from './sync-range-dialog.tsx';
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

interface SyncButtonsProps extends Record<'start' | 'pause' | 'resume' | 'cancel', Action> {
  /** Status of the last sync; undefined if there was none. */
  status: SyncRun['status'] | undefined;
}

/** Starts a sync, or pauses, resumes or cancels the unfinished one. */
function SyncButtons({ status, start, pause, resume, cancel }: SyncButtonsProps) {
  if (status === 'running' || status === 'paused') {
    return (
      <Group gap="xs">
        {status === 'running' ? (
          <ActionButton variant="default" icon={IconPlayerPause} label="Pause sync" action={pause} />
        ) : (
          <ActionButton icon={IconPlayerPlay} label="Resume sync" action={resume} />
        )}
        <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
          Cancel sync
        </Button>
      </Group>
    );
  }
  return (
    <Group gap="xs">
      <SyncRangeDialog />
      <ActionButton icon={IconRefresh} label="Sync now" action={start} />
    </Group>
  );
}
