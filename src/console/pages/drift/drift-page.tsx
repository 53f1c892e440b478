import { Alert, Anchor, Button, Card, Code, Grid, Skeleton, Stack, Text } from '@mantine/core';
import { IconChartBar, IconLock, IconPlugConnectedX } from '@tabler/icons-react';
import { Link, useSearchParams } from 'wouter';
import { hasErrorCode } from '../../api/graphql-client.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { PageLayout } from '../../components/page-layout.tsx';
import { withSearchParams } from '../../search-params.ts';
import { type Session, useSession } from '../../session/session.tsx';
import { AlertsCard, driftAlertsQuery } from './alerts-card.tsx';
import { CheckDriftButton } from './check-drift-button.tsx';
import { DriftHistoryCard } from './drift-history-card.tsx';
import {
  ALL_SAMPLES,
  driftHistoryQuery,
  driftStagesQuery,
  driftStatusQuery,
  useDriftStages,
  useDriftStatus,
} from './drift-queries.ts';
import { DriftStatusCard } from './drift-status-card.tsx';
import type { DriftStatus } from './drift-verdict.ts';
import { FeatureDrawer } from './feature-drawer.tsx';
import { FeatureTableCard } from './feature-table-card.tsx';
import { ModelSelect } from './model-select.tsx';
import { driftPerformanceQuery, PerformanceCard } from './performance-card.tsx';
import { StageTabs } from './stage-tabs.tsx';

export default function DriftPage() {
  const { isAdmin } = useSession();
  const [params, setParams] = useSearchParams();
  const stage = params.get('stage') || null;
  const stages = useDriftStages();
  const names = stages.data?.map((entry) => entry.stage) ?? [];
  const overall = useDriftStatus();
  // A sidecar can have stages without listing them: the list is optional.
  const isUnlisted = stage !== null && stages.isSuccess && names.length === 0;
  const selected = useDriftStatus(stage, {
    enabled: stage === null || names.includes(stage) || isUnlisted,
  });
  const isMissing =
    stage !== null &&
    ((names.length > 0 && !names.includes(stage)) ||
      hasErrorCode(selected.error, 'NOT_FOUND') ||
      // The service rejects the status if the sidecar ignores the stage and reports all samples.
      (isUnlisted && overall.isSuccess && selected.isError));
  const error = overall.error ?? stages.error ?? (isMissing ? null : selected.error);
  const isUnavailable = hasErrorCode(error, 'SERVICE_UNAVAILABLE');
  const retry = (): void => {
    for (const query of [overall, stages, selected]) if (query.error) void query.refetch();
  };
  return (
    <PageLayout
      title="Drift"
      subtitle="How far the scoring model's inputs, predictions and outcomes have moved from the reference data."
      actions={isAdmin && !isUnavailable && !isMissing && <CheckDriftButton stage={stage} />}
    >
      {isUnavailable ? (
        <SidecarUnavailable retry={retry} retrying={overall.isFetching || selected.isFetching} />
      ) : (
        <>
          <ModelSelect onSelect={(model) => setParams(model === null ? {} : { model })} />
          <ErrorAlert error={error} />
          <StageTabs
            stages={names}
            selected={stage}
            onSelect={(next) =>
              setParams((current) => withSearchParams(current, { stage: next, feature: null }))
            }
            overall={overall.data}
          >
            {isMissing ? (
              <StageWithoutSamples
                stage={stage}
                allSamples={`/drift?${withSearchParams(params, { stage: null, feature: null })}`}
              />
            ) : selected.data ? (
              <StageDrift
                stage={stage}
                status={selected.data}
                feature={params.get('feature')}
                onOpenFeature={(feature) => setParams((current) => withSearchParams(current, { feature }))}
              />
            ) : (
              !error && <Skeleton h={400} aria-label="Loading drift status" />
            )}
          </StageTabs>
        </>
      )}
    </PageLayout>
  );
}

DriftPage.firstQueries = (session: Session) => [
  driftStatusQuery(session, ALL_SAMPLES),
  driftStagesQuery(session, ALL_SAMPLES),
  driftPerformanceQuery(session, ALL_SAMPLES),
  driftHistoryQuery(session, ALL_SAMPLES),
  driftAlertsQuery(session, ALL_SAMPLES),
];

interface StageDriftProps {
  /** Null: all samples. */
  stage: string | null;
  status: DriftStatus;
  /** Feature whose details are open; null for none. */
  feature: string | null;
  onOpenFeature: (feature: string | null) => void;
}

/** Drift of all samples or of a stage: score, history and features. */
function StageDrift({ stage, status, feature, onOpenFeature }: StageDriftProps) {
  const { isAdmin } = useSession();
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 5, lg: 4 }}>
        <DriftStatusCard status={status} stage={stage} />
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 7, lg: 8 }}>
        {isAdmin ? <DriftHistoryCard stage={stage} threshold={status.threshold} /> : <AdminKeyRequired />}
      </Grid.Col>
      {isAdmin && (
        <Grid.Col span={12}>
          <AlertsCard stage={stage} />
        </Grid.Col>
      )}
      <Grid.Col span={12}>
        <FeatureTableCard status={status} stage={stage} onOpen={onOpenFeature} />
      </Grid.Col>
      <Grid.Col span={12}>
        <PerformanceCard stage={stage} />
      </Grid.Col>
      <FeatureDrawer feature={feature} stage={stage} status={status} onClose={() => onOpenFeature(null)} />
    </Grid>
  );
}

const AdminKeyRequired = () => (
  <Alert color="gray" icon={<IconLock aria-hidden />} title="Admin key required">
    Check history, on-demand checks, alerts, muted features, planned changes, and weights and thresholds of
    features require an admin key.
  </Alert>
);

/** Replaces the page content while the ML sidecar is unavailable. */
function SidecarUnavailable({ retry, retrying }: { retry: () => void; retrying: boolean }) {
  return (
    <Card withBorder role="alert">
      <EmptyState icon={IconPlugConnectedX} title="ML sidecar unavailable">
        <Stack align="center" gap="sm">
          <Text inherit>
            The ML sidecar computes drift, so no drift data is available right now. The rest of the service is
            not affected.
          </Text>
          <Text inherit>
            In embedded mode, the service restarts its sidecar within seconds. Otherwise, check that the
            sidecar at <Code>ML_SIDECAR_URL</Code> is running. Run{' '}
            <Code>npm run -s engagement -- doctor</Code> to diagnose the problem.
          </Text>
          <Button onClick={retry} loading={retrying}>
            Try again
          </Button>
        </Stack>
      </EmptyState>
    </Card>
  );
}

/** Replaces the drift of a stage that has no samples. @param allSamples path of the page without a stage */
const StageWithoutSamples = ({ stage, allSamples }: { stage: string; allSamples: string }) => (
  <Card withBorder>
    <EmptyState icon={IconChartBar} title={`No samples for stage ${stage}`}>
      Load samples of this stage, or{' '}
      <Anchor component={Link} href={allSamples} inherit>
        show all samples
      </Anchor>
      .
    </EmptyState>
  </Card>
);
