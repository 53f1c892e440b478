import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { recorderQueryKey } from '../use-recorder.ts';

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

/** Mutations that start and cancel a sync. */
export function useSyncActions() {
  const { call, customerId } = useSession();
  const queries = useQueryClient();
  const onSuccess = () => queries.invalidateQueries({ queryKey: recorderQueryKey(customerId) });
  return {
    start: useMutation({ mutationFn: () => call(SYNC), onSuccess }),
    cancel: useMutation({ mutationFn: () => call(CANCEL), onSuccess }),
  };
}

type Action = Pick<UseMutationResult<unknown, Error, void>, 'mutate' | 'isPending'>;

interface SyncButtonProps {
  running: boolean;
  start: Action;
  cancel: Action;
}

/** Starts a sync, or cancels the running one. */
export function SyncButton({ running, start, cancel }: SyncButtonProps) {
  if (running) {
    return (
      <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
        Cancel sync
      </Button>
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
