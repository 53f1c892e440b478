import { queryKeys } from '../../../api/query-keys.ts';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { graphql } from '../../../generated/gql.ts';
import type { SyncMeetingsMutationVariables } from '../../../generated/graphql.ts';
import { useSession } from '../../../session/session.tsx';

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
  const outdated = { invalidates: [queryKeys.recorder(customerId)] };
  return {
    start: useServiceMutation(() => call(SYNC, NO_RANGE), outdated),
    startRange: useServiceMutation((range: SyncMeetingsMutationVariables) => call(SYNC, range), outdated),
    pause: useServiceMutation(() => call(PAUSE), outdated),
    resume: useServiceMutation(() => call(RESUME), outdated),
    cancel: useServiceMutation(() => call(CANCEL), outdated),
  };
}
