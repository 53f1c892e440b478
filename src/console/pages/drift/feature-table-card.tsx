import { Anchor, Badge, Box, Card, Group, Table, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconBellOff, IconChartBar, IconCircleOff } from '@tabler/icons-react';
import { useState } from 'react';
import { DataTable, type SortableHeading } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { formatCount, formatNumber, formatOptional, formatShare } from '../../format.ts';
import { DataQuality } from './data-quality.tsx';
import { formatScore, resultLabel } from './drift-format.ts';
import { DriftScoreBar } from './drift-score-bar.tsx';
import { type DriftStatus, type FeatureDrift, scaleOf } from './drift-verdict.ts';
import { useDriftMutes } from './feature-mutes.tsx';

type SortKey = 'feature' | 'score';
interface Sorting {
  key: SortKey;
  order: 'ascending' | 'descending';
}

const INITIAL_ORDER = { feature: 'ascending', score: 'descending' } as const;
const REVERSED = { ascending: 'descending', descending: 'ascending' } as const;

const byFeature = (a: FeatureDrift, b: FeatureDrift): number => a.feature.localeCompare(b.feature);

/** Sorts features; those with the same score by name. */
function sortFeatures(features: readonly FeatureDrift[], { key, order }: Sorting): FeatureDrift[] {
  const direction = order === 'ascending' ? 1 : -1;
  return features.toSorted((a, b) =>
    key === 'feature' ? direction * byFeature(a, b) : direction * (a.score - b.score) || byFeature(a, b),
  );
}

/** Returns false for a sidecar without thresholds and types of features: it does not know their bins either. */
export const canCompare = (features: readonly Pick<FeatureDrift, 'type' | 'threshold'>[]): boolean =>
  features.some(({ type, threshold }) => type !== null || threshold !== null);

interface FeatureTableCardProps {
  status: DriftStatus;
  /** Null: all samples. */
  stage: string | null;
  onOpen: (feature: string) => void;
}

/** Drift of each feature as a table, highest score first unless sorted otherwise. */
export function FeatureTableCard({ status, stage, onOpen }: FeatureTableCardProps) {
  const { data: mutes = [] } = useDriftMutes(stage);
  const { featureDrifts, threshold, method } = status;
  // Some sidecars do not report details, and checks of older versions do not have them.
  const hasDetails = featureDrifts.some(({ type }) => type !== null);
  const hasNoise = featureDrifts.some(({ noise }) => noise !== null);
  const [sorting, setSorting] = useState<Sorting>({ key: 'score', order: INITIAL_ORDER.score });
  const heading = (text: string, key: SortKey): SortableHeading => ({
    heading: text,
    order: sorting.key === key ? sorting.order : null,
    onSort: () =>
      setSorting({ key, order: sorting.key === key ? REVERSED[sorting.order] : INITIAL_ORDER[key] }),
  });
  const head = [
    heading('Feature', 'feature'),
    heading('Score', 'score'),
    'Result',
    'Noise floor',
    'Threshold',
    'Weight',
    'Type',
    'Missing',
    'Categories',
  ];
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb={4}>
        Features
      </Title>
      {featureDrifts.length === 0 ? (
        <EmptyState icon={IconChartBar} title="No samples yet">
          Load the data that the model was trained on with{' '}
          <code>npm run -s engagement -- sidecar load --set reference samples.csv</code>, then load current
          data with <code>--set current</code>.
        </EmptyState>
      ) : (
        <>
          <Text size="sm" c="dimmed" mb="md">
            {method === 'psi' ? 'Population Stability Index' : `Score (${method})`} of each feature. A feature
            above its threshold, the solid line, counts as drifted
            {hasNoise && ' if it is also above the dotted line, the highest score that chance alone explains'}
            .{hasDetails && ' Missing is the share of rows without a value in both sets.'}
            {canCompare(featureDrifts) && ' Select a feature to compare the sets.'}
          </Text>
          {!hasDetails && (
            <Text size="sm" mb="md">
              {canCompare(featureDrifts)
                ? 'The latest check has no types, missing values and categories of features.'
                : 'The sidecar does not report thresholds, weights, types, missing values and categories of features.'}
            </Text>
          )}
          <DataQuality drifts={featureDrifts} />
          <DataTable label="Features" minWidthPx={900} head={head}>
            {sortFeatures(featureDrifts, sorting).map((drift) => (
              <FeatureRow
                key={drift.feature}
                drift={drift}
                generalThreshold={threshold}
                maxScore={scaleOf(status)}
                muted={mutes.some(({ feature }) => feature === drift.feature)}
                onOpen={onOpen}
              />
            ))}
          </DataTable>
        </>
      )}
    </Card>
  );
}

/** Explanations of the two built-in features that every model has. */
const BUILT_IN_FEATURES: Record<string, string> = {
  prediction: 'output of the model',
  residual: 'prediction minus actual outcome',
};

interface FeatureRowProps {
  drift: FeatureDrift;
  /** Threshold of features without one of their own. */
  generalThreshold: number;
  /** Score at the right end of the bar. */
  maxScore: number;
  muted: boolean;
  onOpen: (feature: string) => void;
}

function FeatureRow({ drift, generalThreshold, maxScore, muted, onOpen }: FeatureRowProps) {
  const { feature, score, drifted, type, weight, threshold, noise, missing } = drift;
  return (
    <Table.Tr>
      <Table.Td miw={170} maw={280}>
        <Anchor
          component="button"
          type="button"
          ta="left"
          size="sm"
          fw={drifted ? 650 : 400}
          lineClamp={2}
          className="breakable"
          onClick={() => onOpen(feature)}
        >
          {feature}
        </Anchor>
        {BUILT_IN_FEATURES[feature] && (
          <Text size="xs" c="dimmed">
            {BUILT_IN_FEATURES[feature]}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Group gap="sm" wrap="nowrap">
          <Text span size="sm" className="mono" miw={48} ta="right">
            {formatScore(score)}
          </Text>
          <Box w={{ base: 120, sm: 80, xl: 120 }}>
            <DriftScoreBar
              score={score}
              threshold={threshold ?? generalThreshold}
              noise={noise}
              maxScore={maxScore}
              drifted={drifted}
            />
          </Box>
        </Group>
      </Table.Td>
      <Table.Td>
        <FeatureResult drift={drift} />
        {muted && (
          <Badge
            mt={4}
            color="gray"
            variant="outline"
            tt="none"
            miw="max-content"
            leftSection={<IconBellOff size={12} aria-hidden />}
          >
            muted
          </Badge>
        )}
      </Table.Td>
      <Table.Td className="mono">{formatOptional(noise, formatScore)}</Table.Td>
      <Table.Td className="mono">{threshold ?? '–'}</Table.Td>
      <Table.Td className="mono">{weight ?? '–'}</Table.Td>
      <Table.Td>{type ?? '–'}</Table.Td>
      <Table.Td className="mono">
        {missing ? `${formatShare(missing.reference)} → ${formatShare(missing.current)}` : '–'}
      </Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{describeCategories(drift)}</Table.Td>
    </Table.Tr>
  );
}

/** `1 new, 2 vanished`; `–` without a change, and if the sidecar does not report it. */
function describeCategories({ newCategories, vanishedCategories }: FeatureDrift): string {
  const changes = [
    { count: newCategories?.count ?? 0, label: 'new' },
    { count: vanishedCategories?.count ?? 0, label: 'vanished' },
  ];
  const texts = changes
    .filter(({ count }) => count > 0)
    .map(({ count, label }) => `${formatNumber(count)} ${label}`);
  return texts.join(', ') || '–';
}

interface FeatureResultProps {
  drift: Pick<FeatureDrift, 'drifted' | 'insufficientData' | 'rowsNeeded' | 'noData'>;
}

/** Result of the comparison of a feature; `no data` is a state of its own, besides drift. */
export const FeatureResult = ({
  drift: { drifted, insufficientData, rowsNeeded, noData },
}: FeatureResultProps) => (
  <Group gap={4}>
    {noData && (
      <Badge
        color="orange"
        variant="light"
        tt="none"
        miw="max-content"
        leftSection={<IconCircleOff size={12} aria-hidden />}
      >
        no data
      </Badge>
    )}
    {(drifted || !noData) && (
      <Badge
        color={drifted ? 'red' : 'gray'}
        variant="light"
        tt="none"
        miw="max-content"
        leftSection={drifted && <IconAlertTriangle size={12} aria-hidden />}
      >
        {resultLabel({ isDrifted: drifted, insufficientData })}
      </Badge>
    )}
    {insufficientData && rowsNeeded != null && rowsNeeded > 0 && (
      <Text size="xs" c="dimmed">
        needs about {formatCount(rowsNeeded, 'more row')}
      </Text>
    )}
  </Group>
);
