import { Badge, Box, Card, Grid, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconChartBar } from '@tabler/icons-react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ScoreBar } from './drift-score-bar.tsx';
import type { DriftStatus } from './use-drift.ts';

type Feature = DriftStatus['featureDrifts'][number];

/** What these two are, which every model has beside its own features. */
const EXPLAINED: Record<string, string> = {
  prediction: 'what the model predicts',
  residual: 'prediction less what really happened',
};

/** Each feature as a bar, the one that has moved farthest first. */
export function FeaturesCard({ status: { featureDrifts, threshold } }: { status: DriftStatus }) {
  const sorted = featureDrifts.toSorted((a, b) => b.score - a.score || a.feature.localeCompare(b.feature));
  const max = Math.max(threshold * 2, sorted[0]?.score ?? 0) * 1.05;
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb={4}>
        Features
      </Title>
      {sorted.length === 0 ? (
        <EmptyState icon={IconChartBar} title="No samples yet">
          Send the sidecar what the model was made on, and what it sees now:{' '}
          <code>npm run -s engagement -- sidecar load --set reference samples.csv</code>, then the same with{' '}
          <code>--set current</code>.
        </EmptyState>
      ) : (
        <>
          <Text size="sm" c="dimmed" mb="md">
            How far each has moved, all stages together, farthest first. The line is the threshold of{' '}
            {threshold}: beyond it a feature counts as drifted.
          </Text>
          <Box component="ol" m={0} p={0} aria-label="Features" style={{ listStyle: 'none' }}>
            {sorted.map((feature) => (
              <Row key={feature.feature} {...feature} threshold={threshold} max={max} />
            ))}
          </Box>
        </>
      )}
    </Card>
  );
}

/** One line, or two where the screen is narrow. */
const Row = ({ feature, score, drifted, threshold, max }: Feature & { threshold: number; max: number }) => (
  <Box component="li" py="xs" style={{ borderTop: '1px solid var(--mantine-color-default-border)' }}>
    <Grid align="center" gap={{ base: 4, sm: 'md' }}>
      <Grid.Col span={{ base: 8, sm: 3 }}>
        <Text size="sm" fw={drifted ? 650 : 400} className="breakable">
          {feature}
        </Text>
        {EXPLAINED[feature] && (
          <Text size="xs" c="dimmed">
            {EXPLAINED[feature]}
          </Text>
        )}
      </Grid.Col>
      <Grid.Col span={{ base: 4, sm: 1 }}>
        <Text size="sm" className="mono" ta="right">
          {score.toFixed(3)}
        </Text>
      </Grid.Col>
      <Grid.Col span={{ base: 8, sm: 6 }}>
        <ScoreBar score={score} threshold={threshold} max={max} drifted={drifted} />
      </Grid.Col>
      <Grid.Col span={{ base: 4, sm: 2 }} ta="right">
        <State drifted={drifted} beyond={score > threshold} />
      </Grid.Col>
    </Grid>
  </Box>
);

/** A score beyond the threshold that does not count comes of sets that are too small to tell. */
function State({ drifted, beyond }: { drifted: boolean; beyond: boolean }) {
  if (drifted) {
    return (
      <Badge color="red" variant="light" tt="none" leftSection={<IconAlertTriangle size={12} aria-hidden />}>
        drifted
      </Badge>
    );
  }
  return (
    <Badge color="gray" variant="light" tt="none">
      {beyond ? 'too few samples' : 'fits'}
    </Badge>
  );
}
