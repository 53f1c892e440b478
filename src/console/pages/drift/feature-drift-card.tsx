import { Badge, Box, Card, Grid, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconChartBar } from '@tabler/icons-react';
import { EmptyState } from '../../components/empty-state.tsx';
import { DriftScoreBar } from './drift-score-bar.tsx';
import type { DriftStatus } from './use-drift.ts';

type Feature = DriftStatus['featureDrifts'][number];

/** Explanations of the two built-in features that every model has. */
const BUILT_IN_FEATURES: Record<string, string> = {
  prediction: 'output of the model',
  residual: 'prediction minus actual outcome',
};

/** Drift score of each feature as a bar, highest first. */
export function FeatureDriftCard({ status: { featureDrifts, threshold } }: { status: DriftStatus }) {
  const sorted = featureDrifts.toSorted((a, b) => b.score - a.score || a.feature.localeCompare(b.feature));
  const maxScore = Math.max(threshold * 2, sorted[0]?.score ?? 0) * 1.05;
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb={4}>
        Features
      </Title>
      {sorted.length === 0 ? (
        <EmptyState icon={IconChartBar} title="No samples yet">
          Load the data that the model was trained on with{' '}
          <code>npm run -s engagement -- sidecar load --set reference samples.csv</code>, then load current
          data with <code>--set current</code>.
        </EmptyState>
      ) : (
        <>
          <Text size="sm" c="dimmed" mb="md">
            Drift score of each feature over all stages, highest first. A feature above the threshold of{' '}
            {threshold}, the vertical line, counts as drifted.
          </Text>
          <Box component="ol" m={0} p={0} aria-label="Features" style={{ listStyle: 'none' }}>
            {sorted.map((feature) => (
              <FeatureRow key={feature.feature} {...feature} threshold={threshold} maxScore={maxScore} />
            ))}
          </Box>
        </>
      )}
    </Card>
  );
}

const FeatureRow = ({
  feature,
  score,
  drifted,
  threshold,
  maxScore,
}: Feature & { threshold: number; maxScore: number }) => (
  <Box component="li" py="xs" style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}>
    <Grid align="center" gap={{ base: 4, sm: 'md' }}>
      <Grid.Col span={{ base: 8, sm: 3 }}>
        <Text size="sm" fw={drifted ? 650 : 400} className="breakable">
          {feature}
        </Text>
        {BUILT_IN_FEATURES[feature] && (
          <Text size="xs" c="dimmed">
            {BUILT_IN_FEATURES[feature]}
          </Text>
        )}
      </Grid.Col>
      <Grid.Col span={{ base: 4, sm: 1 }}>
        <Text size="sm" className="mono" ta="right">
          {score.toFixed(3)}
        </Text>
      </Grid.Col>
      <Grid.Col span={{ base: 8, sm: 6 }}>
        <DriftScoreBar score={score} threshold={threshold} maxScore={maxScore} drifted={drifted} />
      </Grid.Col>
      <Grid.Col span={{ base: 4, sm: 2 }} ta="right">
        <FeatureState drifted={drifted} aboveThreshold={score > threshold} />
      </Grid.Col>
    </Grid>
  </Box>
);

/** A feature above the threshold is not drifted if its sets have too few samples. */
function FeatureState({ drifted, aboveThreshold }: { drifted: boolean; aboveThreshold: boolean }) {
  if (drifted) {
    return (
      <Badge color="red" variant="light" tt="none" leftSection={<IconAlertTriangle size={12} aria-hidden />}>
        drifted
      </Badge>
    );
  }
  return (
    <Badge color="gray" variant="light" tt="none">
      {aboveThreshold ? 'too few samples' : 'no drift'}
    </Badge>
  );
}
