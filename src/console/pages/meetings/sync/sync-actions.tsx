import { Button, Group } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconRefresh } from '@tabler/icons-react';
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { recorderQueryKey, type SyncRun } from '../use-recorder.ts';

const SYNC = graphql(`
  mutation SyncMeetings {
    syncMeetings {
      id
    }
  }
`);

const CANCEL = graphql(`
  mutation CancelMeetingSync {
    cancelMeetingSync {
      id
    }
  }
`);

const PAUSE = graphql(`
  mutation PauseMeetingSync {
    pauseMeetingSync {
      id
    }
  }
`);

const RESUME = graphql(`
  mutation ResumeMeetingSync {
    resumeMeetingSync {
      id
    }
  }
`);

/** Mutations that start, pause, resume and cancel a sync. */
export function useSyncActions() {
  const { call, customerId } = useSession();
  const queries = useQueryClient();
  const onSuccess = () => queries.invalidateQueries({ queryKey: recorderQueryKey(customerId) });
  return {
    start: useMutation({ mutationFn: () => call(SYNC), onSuccess }),
    pause: useMutation({ mutationFn: () => call(PAUSE), onSuccess }),
    resume: useMutation({ mutationFn: () => call(RESUME), onSuccess }),
    cancel: useMutation({ mutationFn: () => call(CANCEL), onSuccess }),
  };
}

type Action = Pick<UseMutationResult<unknown, Error, void>, 'mutate' | 'isPending'>;

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
          <Button
            variant="default"
            leftSection={<IconPlayerPause size={16} aria-hidden />}
            loading={pause.isPending}
            onClick={() => pause.mutate()}
          >
            Pause sync
          </Button>
        ) : (
          <Button
            leftSection={<IconPlayerPlay size={16} aria-hidden />}
            loading={resume.isPending}
            onClick={() => resume.mutate()}
          >
            Resume sync
          </Button>
        )}
        <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
          Cancel sync
        </Button>
      </Group>
    );
  }
  return (
    <Button
      leftSection={<IconRefresh size={16} aria-hidden />}
      loading={start.isPending}
      onClick={() => start.mutate()}
    >
      Sync now
    </Button>
  );
}
