import { Badge, Box, Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCircleDashed } from '@tabler/icons-react';
import { Time } from '../../components/relative-time.tsx';
import { ScoreBar } from './drift-score-bar.tsx';
import type { DriftStatus } from './use-drift.ts';

/** Share of the threshold from which on a score is worth watching. */
const NEAR = 0.75;

/** What the score means for somebody who has to decide. */
function meaning({ isDrifted, driftScore, threshold, featureDrifts }: DriftStatus): string {
  if (featureDrifts.length === 0) return 'There is nothing to compare yet.';
  if (isDrifted) {
    return 'What the model sees or predicts has moved away from what it was made on. Look at the features below; it may need retraining.';
  }
  const drifted = featureDrifts.filter((feature) => feature.drifted).length;
  if (driftScore >= threshold * NEAR)
    return 'The model still fits, but is close to the threshold: keep an eye on it.';
  if (drifted > 0) {
    const which = drifted === 1 ? 'One feature has' : `${drifted} features have`;
    return `On the whole the model still fits. ${which} moved away and may be worth a look.`;
  }
  return 'The model still fits what really happens. There is nothing to do.';
}

/** Overall score against the threshold, and what it means. */
export function StatusCard({ status }: { status: DriftStatus }) {
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
          <ScoreBar score={driftScore} threshold={threshold} max={1} drifted={isDrifted} height={16} />
          <Group justify="space-between">
            <Text size="xs" c="dimmed">
              0, as it was
            </Text>
            <Text size="xs" c="dimmed">
              1, nothing alike
            </Text>
          </Group>
        </Box>
        <Text>{meaning(status)}</Text>
        <Text size="xs" c="dimmed">
          {lastChecked ? (
            <>
              Checked <Time at={lastChecked} />
            </>
          ) : (
            'No check was made yet; this was computed just now'
          )}
          {method === 'psi' ? ', by the Population Stability Index' : `, by ${method}`}
        </Text>
      </Stack>
    </Card>
  );
}

function Verdict({ isDrifted, featureDrifts }: DriftStatus) {
  const [color, words, Icon] = isDrifted
    ? (['red', 'Drifted', IconAlertTriangle] as const)
    : featureDrifts.length === 0
      ? (['gray', 'No samples', IconCircleDashed] as const)
      : (['teal', 'Fits', IconCircleCheck] as const);
  return (
    <Badge size="lg" tt="none" variant="light" color={color} leftSection={<Icon size={14} aria-hidden />}>
      {words}
    </Badge>
  );
}
