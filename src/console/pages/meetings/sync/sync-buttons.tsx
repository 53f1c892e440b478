import { Button, Group } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconRefresh } from '@tabler/icons-react';
import type { Action } from '../../../api/use-service-mutation.ts';
import { ActionButton } from '../../../components/action-button.tsx';
import type { SyncRun } from '../use-recorder.ts';
import { SyncRangeDialog } from './sync-range-dialog.tsx';

interface SyncButtonsProps extends Record<'start' | 'pause' | 'resume' | 'cancel', Action> {
  /** Status of the last sync; undefined if there was none. */
  status: SyncRun['status'] | undefined;
}

/** Starts a sync, or pauses, resumes or cancels the unfinished one. */
export function SyncButtons({ status, start, pause, resume, cancel }: SyncButtonsProps) {
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
