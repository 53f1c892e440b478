import { Badge, Box, Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCircleDashed } from '@tabler/icons-react';
import { RelativeTime } from '../../components/relative-time.tsx';
import { formatCount } from '../../format.ts';
import { DriftScoreBar } from './drift-score-bar.tsx';
import type { DriftStatus } from './use-drift.ts';

/** Scores above this fraction of the threshold count as close to it. */
const NEAR_THRESHOLD_RATIO = 0.75;

/** Explains the score and the recommended action. */
function explain({ isDrifted, driftScore, threshold, featureDrifts }: DriftStatus): string {
  if (featureDrifts.length === 0) return 'No samples to compare yet.';
  if (isDrifted) {
    return 'The data or the predictions of the model have drifted from its reference data. Review the features below; the model may need retraining.';
  }
  const driftedCount = featureDrifts.filter((feature) => feature.drifted).length;
  if (driftScore >= threshold * NEAR_THRESHOLD_RATIO)
    return 'No drift detected, but the score is close to the threshold.';
  if (driftedCount > 0)
    return `No overall drift, but ${formatCount(driftedCount, 'feature')} drifted. Review the features below.`;
  return 'No drift detected. No action needed.';
}

/** Overall score compared with the threshold. */
export function DriftStatusCard({ status }: { status: DriftStatus }) {
  const { isDrifted, driftScore, threshold, method, lastChecked } = status;
  return (
    <Card withBorder h="100%">
      <Group justify="space-between" mb="md">
        <Title order={2} size="h4">
          Overall
        </Title>
        <Verdict {...status} />
      </Group>
      <Stack gap="sm">
        <Group align="baseline" gap="xs">
          <Text className="mono" fz={48} lh={1} fw={650}>
            {driftScore.toFixed(2)}
          </Text>
          <Text c="dimmed">
            {isDrifted ? 'above' : 'within'} the threshold of {threshold}
          </Text>
        </Group>
        <Box
          role="meter"
          aria-label="Drift score"
          aria-valuenow={driftScore}
          aria-valuemin={0}
          aria-valuemax={1}
          aria-valuetext={`${driftScore.toFixed(2)} of 1, threshold ${threshold}`}
        >
          <DriftScoreBar
            score={driftScore}
            threshold={threshold}
            maxScore={1}
            drifted={isDrifted}
            heightPx={16}
          />
          <Group justify="space-between">
            <Text size="xs" c="dimmed">
              0 = unchanged
            </Text>
            <Text size="xs" c="dimmed">
              1 = very different
            </Text>
          </Group>
        </Box>
        <Text>{explain(status)}</Text>
        <Text size="xs" c="dimmed">
          {lastChecked ? (
            <>
              Checked <RelativeTime at={lastChecked} />
            </>
          ) : (
            'No checks yet; computed from the current samples'
          )}
          {method === 'psi' ? ' (Population Stability Index)' : ` (${method})`}
        </Text>
      </Stack>
    </Card>
  );
}

function Verdict({ isDrifted, featureDrifts }: DriftStatus) {
  const [color, label, Icon] = isDrifted
    ? (['red', 'Drifted', IconAlertTriangle] as const)
    : featureDrifts.length === 0
      ? (['gray', 'No samples', IconCircleDashed] as const)
      : (['teal', 'No drift', IconCircleCheck] as const);
  return (
    <Badge size="lg" tt="none" variant="light" color={color} leftSection={<Icon size={14} aria-hidden />}>
      {label}
    </Badge>
  );
}
