import { Card, Stack, Title } from '@mantine/core';
import { IconRefreshOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../../api/query-keys.ts';
import { DetailPlaceholder } from '../../../components/detail-placeholder.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { PageLayout } from '../../../components/page-layout.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';
import { isUnfinished } from '../use-recorder.ts';
import { SyncLogCard } from './sync-log-card.tsx';
import { SyncRunSummary } from './sync-run-summary.tsx';

const RUN = graphql(`
  query SyncRunDetails($id: ID!) {
    meetingSyncRun(id: $id) {
      ...SyncRun
    }
  }
`);

const BACK = { to: '/meetings/settings', label: 'Meeting recorder' };
const REFRESH_MS = 3_000;

/** A sync with its log. */
export default function SyncRunPage({ id }: { id: string }) {
  const { call, customerId } = useSession();
  const { data: run, error } = useQuery({
    queryKey: queryKeys.syncRun(customerId, id),
    queryFn: async () => (await call(RUN, { id })).meetingSyncRun ?? null,
    refetchInterval: ({ state }) => (state.data && isUnfinished(state.data) ? REFRESH_MS : false),
  });
  return (
    <PageLayout title="Sync" back={BACK}>
      {run ? (
        <>
          <ErrorAlert error={error} />
          <Card withBorder>
            <Stack>
              <Title order={2} size="h4">
                Summary
              </Title>
              <SyncRunSummary run={run} />
            </Stack>
          </Card>
          <SyncLogCard id={id} status={run.status} refreshMs={isUnfinished(run) ? REFRESH_MS : undefined} />
        </>
      ) : (
        <DetailPlaceholder object={run} error={error} type="Sync" heightPx={240} icon={IconRefreshOff}>
          It may belong to another customer. Syncs are kept for 180 days.
        </DetailPlaceholder>
      )}
    </PageLayout>
  );
}
