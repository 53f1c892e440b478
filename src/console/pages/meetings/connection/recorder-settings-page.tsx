import { Card, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../../../api/query-keys.ts';
import { useLiveSubscription } from '../../../api/use-live-subscription.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { PageLayout } from '../../../components/page-layout.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';
import { MappingCard } from '../mapping/mapping-card.tsx';
import { RecorderNotConfigured } from '../recorder-not-configured.tsx';
import { SyncCard } from '../sync/sync-card.tsx';
import { SyncRunsCard } from '../sync/sync-runs-card.tsx';
import { useSyncActions } from '../sync/use-sync-actions.ts';
import { isConnection, type Recorder, useRecorder } from '../use-recorder.ts';
import { ConnectionCard } from './connection-card.tsx';
import { ProviderKeyForm } from './provider-key-form.tsx';
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

/** Connects the recorder and starts the first sync; requires write scope. */
function ConnectRecorder() {
  const { canWrite } = useSession();
  const { start } = useSyncActions();
  // If the sync does not start, the connection page offers a button to start it.
  const startFirstSync = () => start.mutateAsync().catch(() => {});
  if (!canWrite) {
    return (
      <EmptyState icon={IconPlugConnected} title="No recorder connected">
        Connecting a recorder requires an API key of this service with write scope.
      </EmptyState>
    );
  }
  return (
    <Card withBorder maw={640}>
      <Stack>
        <div>
          <Title order={2} size="h4">
            Connect recorder
          </Title>
          <Text size="sm" c="dimmed" mt={4}>
            The first sync starts immediately and fetches the meetings of the last 90 days.
          </Text>
        </div>
        <ProviderKeyForm action="Connect" onConnected={startFirstSync} />
      </Stack>
    </Card>
  );
}

const PROGRESS = graphql(`
  subscription SyncProgress {
    meetingSyncProgress {
      ...SyncRun
    }
  }
`);

/**
 * Updates the connection with the live progress of the customer's syncs.
 *
 * @returns true while the subscription is connected
 */
function useSyncProgress(enabled: boolean): boolean {
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
      // A new run is not in the list yet; a finished run changes the connection and the meetings.
      void queries.invalidateQueries({ queryKey: queryKeys.recorder(customerId) });
      if (run.status !== 'running')
        void queries.invalidateQueries({ queryKey: queryKeys.meetings(customerId) });
    },
    { enabled, queryKey: queryKeys.recorder(customerId) },
  );
}
