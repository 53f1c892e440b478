import { Card, Text, Title } from '@mantine/core';
import { IconChartBar } from '@tabler/icons-react';
import { useState } from 'react';
import { DataTable, type SortableHeading } from '../../../components/data-table.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import type { DriftStatus, FeatureDrift } from '../use-drift.ts';
import { canCompare } from './can-compare.ts';
import { FeatureRow } from './feature-row.tsx';

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

interface FeatureTableCardProps {
  status: DriftStatus;
  onOpen: (feature: string) => void;
}

/** Drift of each feature as a table, highest score first unless sorted otherwise. */
export function FeatureTableCard({ status, onOpen }: FeatureTableCardProps) {
  const { featureDrifts, threshold, method } = status;
  // Absent from a sidecar that does not report them, and from a check of an earlier version of the reference sidecar.
  const hasDetails = featureDrifts.some(({ type }) => type !== null);
  const [sorting, setSorting] = useState<Sorting>({ key: 'score', order: INITIAL_ORDER.score });
  const maxScore = Math.max(threshold * 2, ...featureDrifts.map(({ score }) => score)) * 1.05;
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
            above its threshold, the vertical line, counts as drifted.
            {hasDetails && ' Missing is the share of rows without a value in both sets.'}
            {canCompare(featureDrifts) && ' Select a feature to compare the sets.'}
          </Text>
          {!hasDetails && (
            <Text size="sm" mb="md">
              {canCompare(featureDrifts)
                ? 'The latest check has no types, missing values and categories of features.'
                : 'The sidecar does not report thresholds, weights, types, missing values and categories of features.'}
            </Text>
          )}
          <DataTable label="Features" minWidthPx={960} head={head}>
            {sortFeatures(featureDrifts, sorting).map((drift) => (
              <FeatureRow
                key={drift.feature}
                drift={drift}
                generalThreshold={threshold}
                maxScore={maxScore}
                onOpen={onOpen}
              />
            ))}
          </DataTable>
        </>
      )}
    </Card>
  );
}
