import { Alert, Grid, Skeleton } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useSearchParams } from 'wouter';
import { ApiError } from '../../api/graphql-client.ts';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { PageLayout } from '../../components/page-layout.tsx';
import { useSession } from '../../session.tsx';
import { CheckDriftButton } from './check-drift-button.tsx';
import { DriftHistoryCard } from './drift-history-card.tsx';
import { DriftStatusCard } from './drift-status-card.tsx';
import { FeatureDriftCard } from './feature-drift-card.tsx';
import { FunnelStageInput } from './funnel-stage-input.tsx';
import { SidecarUnavailable } from './sidecar-unavailable.tsx';
import { useDriftStatus } from './use-drift.ts';

export default function DriftPage() {
  const { isAdmin } = useSession();
  const [params, setParams] = useSearchParams();
  const stage = params.get('stage') || null;
  const { data: status, error, refetch, isFetching } = useDriftStatus();
  const isUnavailable = error instanceof ApiError && error.code === 'SERVICE_UNAVAILABLE';
  return (
    <PageLayout
      title="Drift"
      subtitle="How far the scoring model's inputs, predictions and outcomes have moved from the reference data."
      actions={
        isAdmin &&
        !isUnavailable && (
          <>
            <FunnelStageInput
              key={stage}
              stage={stage}
              onChange={(next) => setParams(next ? { stage: next } : {})}
            />
            <CheckDriftButton stage={stage} />
          </>
        )
      }
    >
      {isUnavailable ? (
        <SidecarUnavailable retry={() => void refetch()} retrying={isFetching} />
      ) : (
        <ErrorAlert error={error} />
      )}
      {!status && !error && <Skeleton h={400} aria-label="Loading drift status" />}
      {status && !isUnavailable && (
        <Grid gap="lg">
          <Grid.Col span={{ base: 12, md: 5, lg: 4 }}>
            <DriftStatusCard status={status} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 7, lg: 8 }}>
            {isAdmin ? (
              <DriftHistoryCard stage={stage} threshold={status.threshold} />
            ) : (
              <FeatureDriftCard status={status} />
            )}
          </Grid.Col>
          <Grid.Col span={12}>
            {isAdmin ? <FeatureDriftCard status={status} /> : <AdminKeyRequired />}
          </Grid.Col>
        </Grid>
      )}
    </PageLayout>
  );
}

const AdminKeyRequired = () => (
  <Alert color="gray" icon={<IconLock aria-hidden />} title="Admin key required">
    Check history, individual funnel stages and on-demand checks require an admin key.
  </Alert>
);
