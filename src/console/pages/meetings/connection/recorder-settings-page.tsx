import { Skeleton } from '@mantine/core';
import { ErrorNote } from '../../../components/error-alert.tsx';
import { Page } from '../../../components/page.tsx';
import { MappingCard } from '../mapping/mapping-card.tsx';
import { NotConfigured } from '../recorder-not-configured.tsx';
import { SyncCard } from '../sync/sync-card.tsx';
import { RunsCard } from '../sync/sync-runs-card.tsx';
import { useSyncProgress } from '../sync/use-sync-progress.ts';
import { isConnection, useRecorder } from '../use-recorder.ts';
import { NotConnected } from './connect-recorder.tsx';
import { ConnectionCard } from './connection-card.tsx';

const BACK = { to: '/meetings', label: 'Meetings' };

/** The connection to the meeting provider: its key, its syncs, and what of a meeting becomes an activity. */
export default function RecorderPage() {
  const { data: recorder, error } = useRecorder();
  const connection = isConnection(recorder) ? recorder : null;
  const live = useSyncProgress(connection !== null);
  return (
    <Page
      title="Meeting recorder"
      back={BACK}
      subtitle="Where recordings, transcripts and summaries come from."
    >
      <ErrorNote error={error} />
      {recorder === undefined && !error && <Skeleton h={240} aria-label="Loading the connection" />}
      {recorder === 'not_configured' && <NotConfigured />}
      {recorder === null && <NotConnected />}
      {connection && (
        <>
          <ConnectionCard connection={connection} />
          <SyncCard connection={connection} live={live} />
        </>
      )}
      {recorder !== undefined && recorder !== 'not_configured' && (
        <>
          <RunsCard latest={connection?.lastRun ?? null} />
          <MappingCard />
        </>
      )}
    </Page>
  );
}
