import { useQuery } from '@tanstack/react-query';
import { ApiError } from '../../api/graphql-client.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { graphql } from '../../generated/gql.ts';
import type { ConnectionFragment, SyncRunFragment } from '../../generated/graphql.ts';
import { type Session, useSession } from '../../session/session.tsx';

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
    scope
    since
    until
    startedAt
    finishedAt
    pages
    fetched
    stored
    updated
    unchanged
    rejected
    warnings
    warningDetails {
      meeting
      path
      reason
    }
    skipped
    suppressed
    rateLimited
    oldestMeetingAt
    meetingsPerMinute
    estimatedRemainingSeconds
    error {
      code
      message
    }
  }
`);

export type Connection = ConnectionFragment;
export type SyncRun = SyncRunFragment;

/** The customer's connection; null if not connected; `not_configured` if the service has no meeting provider. */
export type Recorder = Connection | 'not_configured' | null;

const REFRESH_MS = 30_000;
/** Covers updates that are missed while the subscription reconnects. */
const REFRESH_SYNCING_MS = 3_000;

export const isConnection = (recorder: Recorder | undefined): recorder is Connection =>
  typeof recorder === 'object' && recorder !== null;

export const isSyncing = (recorder: Recorder | undefined): boolean =>
  isConnection(recorder) && recorder.lastRun?.status === 'running';

/** Returns true for a sync that is running or paused. */
export const isUnfinished = ({ status }: Pick<SyncRun, 'status'>): boolean =>
  status === 'running' || status === 'paused';

export const recorderQuery = ({ call, customerId }: Session) => ({
  queryKey: queryKeys.recorderConnection(customerId),
  queryFn: async (): Promise<Recorder> => {
    try {
      return (await call(RECORDER)).recorderConnection ?? null;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'NOT_CONFIGURED') return 'not_configured';
      throw error;
    }
  },
});

/** Loads the customer's connection to the meeting provider. */
export const useRecorder = () =>
  useQuery({
    ...recorderQuery(useSession()),
    refetchInterval: ({ state }) => (isSyncing(state.data) ? REFRESH_SYNCING_MS : REFRESH_MS),
  });
