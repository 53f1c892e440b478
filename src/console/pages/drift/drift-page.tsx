import { Alert, Grid, Skeleton } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useSearchParams } from 'wouter';
import { ApiError } from '../../api/graphql-client.ts';
import { ErrorNote } from '../../components/error-alert.tsx';
import { Page } from '../../components/page.tsx';
import { useSession } from '../../session.tsx';
import { CheckNow } from './check-drift-button.tsx';
import { HistoryCard } from './drift-history-card.tsx';
import { StatusCard } from './drift-status-card.tsx';
import { FeaturesCard } from './feature-drift-card.tsx';
import { StageField } from './funnel-stage-input.tsx';
import { SidecarDown } from './sidecar-unavailable.tsx';
import { useDriftStatus } from './use-drift.ts';

/** Whether the scoring model still fits reality. */
export default function DriftPage() {
  const { isAdmin } = useSession();
  const [params, setParams] = useSearchParams();
  const stage = params.get('stage') || null;
  const { data: status, error, refetch, isFetching } = useDriftStatus();
  const isDown = error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE';
  return (
    <Page
      title="Drift"
      subtitle="Whether what the scoring model predicts still fits what really happens."
      actions={
        isAdmin &&
        !isDown && (
          <>
            <StageField
              key={stage}
              stage={stage}
              onChange={(next) => setParams(next ? { stage: next } : {})}
            />
            <CheckNow stage={stage} />
          </>
        )
      }
    >
      {isDown ? (
        <SidecarDown retry={() => void refetch()} retrying={isFetching} />
      ) : (
        <ErrorNote error={error} />
      )}
      {!status && !error && <Skeleton h={400} aria-label="Loading drift" />}
      {status && !isDown && (
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 5, lg: 4 }}>
            <StatusCard status={status} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 7, lg: 8 }}>
            {isAdmin ? (
              <HistoryCard stage={stage} threshold={status.threshold} />
            ) : (
              <FeaturesCard status={status} />
            )}
          </Grid.Col>
          <Grid.Col span={12}>{isAdmin ? <FeaturesCard status={status} /> : <ForAdmins />}</Grid.Col>
        </Grid>
      )}
    </Page>
  );
}

const ForAdmins = () => (
  <Alert color="gray" icon={<IconLock aria-hidden />} title="The history is for admins">
    Past checks, single funnel stages and checking at once need an admin key. Sign in with one to see them
    here.
  </Alert>
);
