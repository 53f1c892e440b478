import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../../api/graphql-client.ts';
import { graphql } from '../../generated/gql.ts';
import type { ConnectionFragment, SyncRunFragment } from '../../generated/graphql.ts';
import { useSession } from '../../session.tsx';

const RECORDER = graphql(`
  query Recorder {
    recorderConnection {
      ...Connection
    }
  }
  fragment Connection on RecorderConnection {
    status
    connectedAt
    lastSyncAt
    nextSyncAt
    lastRun {
      ...SyncRun
    }
  }
  fragment SyncRun on MeetingSyncRun {
    id
    status
    since
    startedAt
    finishedAt
    pages
    fetched
    stored
    updated
    rejected
    rateLimited
    error {
      code
      message
    }
  }
`);

export type Connection = ConnectionFragment;
export type SyncRun = SyncRunFragment;

/** A connection; null: none; `not_configured`: the service has no meeting provider that one could connect to. */
export type Recorder = Connection | 'not_configured' | null;

const REFRESH_MS = 30_000;
/** Beside the subscription, which may just be opening again. */
const REFRESH_RUNNING_MS = 3_000;

/** Start of the keys of all that a sync changes but the meetings themselves. */
export const recorderKey = (customerId: number | null) => ['recorder', customerId] as const;
export const connectionKey = (customerId: number | null) => [...recorderKey(customerId), 'connection'];

export const isConnection = (recorder: Recorder | undefined): recorder is Connection =>
  typeof recorder === 'object' && recorder !== null;

export const isSyncing = (recorder: Recorder | undefined): boolean =>
  isConnection(recorder) && recorder.lastRun?.status === 'running';

/** The tenant's connection to the meeting provider. */
export function useRecorder() {
  const { call, customerId } = useSession();
  return useQuery({
    queryKey: connectionKey(customerId),
    queryFn: async (): Promise<Recorder> => {
      try {
        return (await call(RECORDER)).recorderConnection ?? null;
      } catch (error) {
        if (error instanceof ApiError && error.code === 'NOT_CONFIGURED') return 'not_configured';
        throw error;
      }
    },
    refetchInterval: ({ state }) => (isSyncing(state.data) ? REFRESH_RUNNING_MS : REFRESH_MS),
  });
}
