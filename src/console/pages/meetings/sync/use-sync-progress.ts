import { useQueryClient } from '@tanstack/react-query';
import { useLive } from '../../../api/use-live-subscription.ts';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { connectionKey, isConnection, type Recorder, recorderKey } from '../use-recorder.ts';

const PROGRESS = graphql(`
  subscription SyncProgress {
    meetingSyncProgress {
      ...SyncRun
    }
  }
`);

/** Follows the syncs of the tenant, whichever process is at them. @returns whether it hears of them */
export function useSyncProgress(enabled: boolean): boolean {
  const { customerId } = useSession();
  const queries = useQueryClient();
  return useLive(
    PROGRESS,
    {},
    ({ meetingSyncProgress: run }) => {
      const key = connectionKey(customerId);
      const known = queries.getQueryData<Recorder>(key);
      if (!isConnection(known)) return;
      const changed: Recorder = { ...known, lastRun: run };
      queries.setQueryData<Recorder>(key, changed);
      if (run.status === 'running' && run.id === known.lastRun?.id) return;
      // One that has begun is new in the list of runs; one that has ended changes the connection and the meetings.
      void queries.invalidateQueries({ queryKey: recorderKey(customerId) });
      if (run.status !== 'running') void queries.invalidateQueries({ queryKey: ['meetings', customerId] });
    },
    { enabled, reads: recorderKey(customerId) },
  );
}
