import { Drawer, List, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { hasErrorCode } from '../../api/graphql-client.ts';
import { ChartTable } from '../../components/chart-table.tsx';
import { DescriptionList } from '../../components/description-list.tsx';
import { useFocusReturn, useIsDialogCovered } from '../../components/dialog.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { DateTime } from '../../components/time.tsx';
import { formatCount, formatNumber, formatOptional, formatShare } from '../../format.ts';
import { useSession } from '../../session/session.tsx';
import { useTimeFormat } from '../../time-format.ts';
import { qualityFindings } from './data-quality.tsx';
import { formatScore } from './drift-format.ts';
import { type DriftFeature, useDriftFeature, useDriftHistory } from './drift-queries.ts';
import type { DriftStatus } from './drift-verdict.ts';
import { FeatureHistogram } from './feature-histogram.tsx';
import { FeatureMutes } from './feature-mutes.tsx';
import { FeatureSettings } from './feature-settings-form.tsx';
import { canCompare, FeatureResult } from './feature-table-card.tsx';
import { usePlannedChanges } from './planned-changes.tsx';
import { ScoreChart } from './score-chart.tsx';

interface FeatureDrawerProps {
  /** Null: closed. */
  feature: string | null;
  /** Null: all samples. */
  stage: string | null;
  status: DriftStatus;
  onClose: () => void;
}

/** Comparison of one feature in both sets, next to the page. */
export function FeatureDrawer({ feature, stage, status, onClose }: FeatureDrawerProps) {
  useFocusReturn(feature !== null);
  const isCovered = useIsDialogCovered();
  return (
    <Drawer
      opened={feature !== null}
      onClose={onClose}
      closeOnEscape={!isCovered}
      position="right"
      size="xl"
      title={feature}
      styles={{ title: { fontWeight: 650, overflowWrap: 'anywhere' } }}
      closeButtonProps={{ 'aria-label': 'Close feature' }}
      returnFocus={false}
    >
      {feature !== null &&
        (canCompare(status.featureDrifts) ? (
          <FeatureDetails key={feature} feature={feature} stage={stage} generalThreshold={status.threshold} />
        ) : (
          <Text>The sidecar does not report details of features.</Text>
        ))}
    </Drawer>
  );
}

interface FeatureDetailsProps {
  feature: string;
  stage: string | null;
  generalThreshold: number;
}

function FeatureDetails({ feature, stage, generalThreshold }: FeatureDetailsProps) {
  const { isAdmin } = useSession();
  const { data, error } = useDriftFeature({ feature, stage });
  return (
    <Stack gap="lg">
      {hasErrorCode(error, 'NOT_FOUND') ? <Text>{error.message}</Text> : <ErrorAlert error={error} />}
      {!data && !error && <Skeleton h={500} aria-label="Loading the feature" />}
      {data && (
        <>
          <FeatureFacts drift={data} stage={stage} />
          <FeatureHistogram {...data} />
          {isAdmin && (
            <>
              <FeatureHistory
                feature={feature}
                stage={stage}
                threshold={data.threshold ?? generalThreshold}
              />
              <FeatureMutes feature={feature} stage={stage} />
              <FeatureSettings
                feature={feature}
                hasWeight={data.weight !== null}
                generalThreshold={generalThreshold}
              />
            </>
          )}
        </>
      )}
    </Stack>
  );
}

function FeatureFacts({ drift, stage }: { drift: DriftFeature; stage: string | null }) {
  const { score, driftedSince, threshold, weight, type, rows, missing, newCategories, vanishedCategories } =
    drift;
  const { noise, coverage, jensenShannon, wasserstein, outOfRange, newCategoryShare } = drift;
  const findings = qualityFindings(drift);
  return (
    <div>
      <DescriptionList
        columns={{ base: 2, sm: 3 }}
        items={[
          ['Samples', stage === null ? 'all' : `stage ${stage}`],
          ['Score now', formatScore(score)],
          ['Threshold', threshold],
          ['Noise floor', formatIfKnown(noise, formatScore)],
          ['Result', <FeatureResult key="result" drift={drift} />],
          ['Drifted over all samples since', driftedSince && <DateTime key="since" at={driftedSince} />],
          ['Type', type],
          ['Weight', weight],
          ['Reference rows', formatOptional(rows?.reference, formatNumber)],
          ['Current rows', formatOptional(rows?.current, formatNumber)],
          ['Missing in reference', formatOptional(missing?.reference, formatShare)],
          ['Missing in current', formatOptional(missing?.current, formatShare)],
          ['Rows with a value, reference', formatIfKnown(coverage?.reference, formatShare)],
          ['Rows with a value, current', formatIfKnown(coverage?.current, formatShare)],
          ['Jensen-Shannon distance', formatIfKnown(jensenShannon, formatScore)],
          ['Wasserstein distance, in reference deviations', formatIfKnown(wasserstein, formatScore)],
          ['Out of range', formatIfKnown(outOfRange, formatShare)],
          ['In new categories', formatIfKnown(newCategoryShare, formatShare)],
          ['New categories', describeCategories(newCategories)],
          ['Vanished categories', describeCategories(vanishedCategories)],
        ]}
      />
      {findings.length > 0 && (
        <section aria-label="Data quality">
          <Title order={3} size="h6" mt="md" mb={4}>
            Data quality
          </Title>
          <List size="sm">
            {findings.map((finding) => (
              <List.Item key={finding}>{finding}</List.Item>
            ))}
          </List>
        </section>
      )}
    </div>
  );
}

/** Formats a value that older sidecars do not report; null hides it. */
const formatIfKnown = (value: number | null | undefined, format: (value: number) => string): string | null =>
  value == null ? null : format(value);

/** `1: marketplace`; `none`; nothing if the sidecar does not report it. */
function describeCategories(change: DriftFeature['newCategories']): string | null {
  if (!change) return null;
  if (change.count === 0) return 'none';
  const more = change.count > change.names.length ? ', …' : '';
  return `${formatNumber(change.count)}: ${change.names.join(', ')}${more}`;
}

interface FeatureHistoryProps {
  feature: string;
  /** Null: all samples. */
  stage: string | null;
  threshold: number;
}

/** Score of a feature in past checks, as a chart and a table. */
function FeatureHistory({ feature, stage, threshold }: FeatureHistoryProps) {
  const { data, error } = useDriftHistory({ stage, feature });
  const { data: changes } = usePlannedChanges(stage);
  const { formatExactTime } = useTimeFormat();
  const points = data?.flatMap(({ id, checkedAt, featureScore, insufficientData }) =>
    featureScore == null
      ? []
      : [{ id, checkedAt, score: featureScore, drifted: !insufficientData && featureScore > threshold }],
  );
  return (
    <div>
      <Title order={3} size="h5" mb="xs">
        Score over time
      </Title>
      <ErrorAlert error={error} />
      {!points && !error && <Skeleton h={260} aria-label="Loading the scores of the feature" />}
      {points?.length === 0 && (
        <Text size="sm" c="dimmed">
          No past check has a score of this feature.
        </Text>
      )}
      {points && points.length > 0 && (
        <>
          <ScoreChart points={points} threshold={threshold} changes={changes} />
          <ChartTable
            label="Scores of the feature"
            rows={formatCount(points.length, 'check')}
            minWidthPx={320}
            head={['Checked', 'Score']}
          >
            {points.map(({ id, checkedAt, score }) => (
              <Table.Tr key={id}>
                <Table.Td>{formatExactTime(checkedAt)}</Table.Td>
                <Table.Td className="mono">{formatScore(score)}</Table.Td>
              </Table.Tr>
            ))}
          </ChartTable>
        </>
      )}
    </div>
  );
}
