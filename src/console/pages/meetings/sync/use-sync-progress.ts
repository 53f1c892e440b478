import { useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../../../api/query-keys.ts';
import { useLiveSubscription } from '../../../api/use-live-subscription.ts';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { isConnection, type Recorder } from '../use-recorder.ts';

const PROGRESS = graphql(`
  subscription SyncProgress {
    meetingSyncProgress {
      ...SyncRun
    }
  }
`);

/**
 * Updates the connection with the live progress of the tenant's syncs.
 *
 * @returns true while the subscription is connected
 */
export function useSyncProgress(enabled: boolean): boolean {
  const { customerId } = useSession();
  const queries = useQueryClient();
  return useLiveSubscription(
    PROGRESS,
    {},
    ({ meetingSyncProgress: run }) => {
      const key = queryKeys.recorderConnection(customerId);
      const cached = queries.getQueryData<Recorder>(key);
      if (!isConnection(cached)) return;
      const updated: Recorder = { ...cached, lastRun: run };
      queries.setQueryData<Recorder>(key, updated);
      if (run.status === 'running' && run.id === cached.lastRun?.id) return;
      // A started run is missing in the list of runs; a finished run changes the connection and the meetings.
      void queries.invalidateQueries({ queryKey: queryKeys.recorder(customerId) });
      if (run.status !== 'running')
        void queries.invalidateQueries({ queryKey: queryKeys.meetings(customerId) });
    },
    { enabled, queryKey: queryKeys.recorder(customerId) },
  );
}
