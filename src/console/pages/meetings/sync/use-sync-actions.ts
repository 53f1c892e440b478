import { useMutation, useQueryClient } from '@tanstack/react-query';
import { graphql } from '../../../generated/gql.ts';
import type { SyncMeetingsMutationVariables } from '../../../generated/graphql.ts';
import { useSession } from '../../../session.tsx';
import { recorderQueryKey } from '../use-recorder.ts';

const SYNC = graphql(`
  mutation SyncMeetings($since: DateTime, $until: DateTime, $fullResync: Boolean) {
    syncMeetings(since: $since, until: $until, fullResync: $fullResync) {
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

/** Starts an incremental sync. */
const NO_RANGE: SyncMeetingsMutationVariables = {};

/** Mutations that start, pause, resume and cancel a sync. */
export function useSyncActions() {
  const { call, customerId } = useSession();
  const queries = useQueryClient();
  const onSuccess = () => queries.invalidateQueries({ queryKey: recorderQueryKey(customerId) });
  return {
    start: useMutation({ mutationFn: () => call(SYNC, NO_RANGE), onSuccess }),
    startRange: useMutation({
      mutationFn: (range: SyncMeetingsMutationVariables) => call(SYNC, range),
      onSuccess,
    }),
    pause: useMutation({ mutationFn: () => call(PAUSE), onSuccess }),
    resume: useMutation({ mutationFn: () => call(RESUME), onSuccess }),
    cancel: useMutation({ mutationFn: () => call(CANCEL), onSuccess }),
  };
}
