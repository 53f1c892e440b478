import { Skeleton } from '@mantine/core';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { PageLayout } from '../../../components/page-layout.tsx';
import { useSession } from '../../../session.tsx';
import { MappingCard } from '../mapping/mapping-card.tsx';
import { RecorderNotConfigured } from '../recorder-not-configured.tsx';
import { SyncCard } from '../sync/sync-card.tsx';
import { SyncRunsCard } from '../sync/sync-runs-card.tsx';
import { useSyncProgress } from '../sync/use-sync-progress.ts';
import { isConnection, useRecorder } from '../use-recorder.ts';
import { ConnectRecorder } from './connect-recorder.tsx';
import { ConnectionCard } from './connection-card.tsx';
import { RecorderWebhookCard } from './recorder-webhook-card.tsx';

const BACK = { to: '/meetings', label: 'Meetings' };

export default function RecorderSettingsPage() {
  const { canWrite } = useSession();
  const { data: recorder, error } = useRecorder();
  const connection = isConnection(recorder) ? recorder : null;
  const live = useSyncProgress(connection !== null);
  return (
    <PageLayout
      title="Meeting recorder"
      back={BACK}
      subtitle="Connection to the meeting provider, syncs, webhook and field mapping."
    >
      <ErrorAlert error={error} />
      {recorder === undefined && !error && <Skeleton h={240} aria-label="Loading the connection" />}
      {recorder === 'not_configured' && <RecorderNotConfigured />}
      {recorder === null && <ConnectRecorder />}
      {connection && (
        <>
          <ConnectionCard connection={connection} />
          <SyncCard connection={connection} live={live} />
        </>
      )}
      {recorder !== undefined && recorder !== 'not_configured' && (
        <>
          <SyncRunsCard latest={connection?.lastRun ?? null} />
          {connection && canWrite && <RecorderWebhookCard />}
          <MappingCard />
        </>
      )}
    </PageLayout>
  );
}
