import { Badge, Box, Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCircleDashed } from '@tabler/icons-react';
import { DescriptionList } from '../../components/description-list.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { formatCount, formatNumber } from '../../format.ts';
import { DriftComponentsList, decidingComponent } from './drift-components-list.tsx';
import { formatScore } from './drift-format.ts';
import { DriftScoreBar } from './drift-score-bar.tsx';
import type { DriftStatus } from './use-drift.ts';

/** Scores above this fraction of the threshold count as close to it. */
const NEAR_THRESHOLD_RATIO = 0.75;

/** Explanation of drift by the component that decides the score. */
const EXPLANATIONS = {
  features: 'The input features have drifted from the reference data.',
  prediction: 'The predictions of the model have drifted from the reference data.',
  outcome: 'The predictions diverge from the actual outcomes more than in the reference data.',
};

/** Explains the score and the recommended action. */
function explain(status: DriftStatus): string {
  const { isDrifted, driftScore, threshold, method, featureDrifts, insufficientData, components } = status;
  if (featureDrifts.length === 0) return 'No samples to compare yet.';
  if (insufficientData)
    return `${method === 'psi' ? 'Each set needs at least 30 rows' : 'The sets have too few rows'} for a score. The scores of the features below do not count as drift.`;
  if (isDrifted) {
    const deciding = decidingComponent(components);
    const cause = deciding
      ? EXPLANATIONS[deciding]
      : 'The data or the predictions of the model have drifted from its reference data.';
    return `${cause} Review the features below; the model may need retraining.`;
  }
  const driftedCount = featureDrifts.filter((feature) => feature.drifted).length;
  if (driftedCount > 0)
    return `No drift of the model, but ${formatCount(driftedCount, 'feature')} drifted. Review the features below.`;
  if (driftScore >= threshold * NEAR_THRESHOLD_RATIO)
    return 'No drift detected, but the score is close to the threshold.';
  return 'No drift detected. No action needed.';
}

interface DriftStatusCardProps {
  status: DriftStatus;
  /** Null: all samples. */
  stage: string | null;
}

/** Score compared with the threshold, its components, and the number of rows. */
export function DriftStatusCard({ status, stage }: DriftStatusCardProps) {
  const { threshold, method, lastChecked, insufficientData, components, rows } = status;
  return (
    <Card withBorder h="100%">
      <Group justify="space-between" mb="md">
        <Title order={2} size="h4" className="breakable">
          {stage === null ? 'All samples' : `Stage ${stage}`}
        </Title>
        <Verdict {...status} />
      </Group>
      <Stack gap="sm">
        {insufficientData ? <NoScore /> : <Score {...status} />}
        <Text>{explain(status)}</Text>
        <DriftComponentsList components={components} threshold={threshold} />
        <DescriptionList
          columns={2}
          items={[
            ['Reference rows', rows ? formatNumber(rows.reference) : 'not reported'],
            ['Current rows', rows ? formatNumber(rows.current) : 'not reported'],
          ]}
        />
        <Text size="xs" c="dimmed">
          {lastChecked ? (
            <>
              Checked <RelativeTime at={lastChecked} />
            </>
          ) : (
            'Time of the latest check not reported'
          )}
          {method === 'psi' ? ' (Population Stability Index)' : ` (${method})`}
        </Text>
      </Stack>
    </Card>
  );
}

const Score = ({ isDrifted, driftScore, threshold }: DriftStatus) => (
  <>
    <Group align="baseline" gap="xs">
      <Text className="mono" fz={48} lh={1} fw={650}>
        {formatScore(driftScore)}
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
      aria-valuetext={`${formatScore(driftScore)} of 1, threshold ${threshold}`}
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
  </>
);

/** Replaces the score 0 of sets with too few rows, which does not mean that nothing drifted. */
const NoScore = () => (
  <Group align="baseline" gap="xs">
    <Text fz={48} lh={1} fw={650} aria-hidden>
      –
    </Text>
    <Text c="dimmed">no score</Text>
  </Group>
);

function Verdict({ isDrifted, featureDrifts, insufficientData }: DriftStatus) {
  const [color, label, Icon] = isDrifted
    ? (['red', 'Drifted', IconAlertTriangle] as const)
    : featureDrifts.length === 0
      ? (['gray', 'No samples', IconCircleDashed] as const)
      : insufficientData
        ? (['gray', 'Too few samples', IconCircleDashed] as const)
        : (['teal', 'No drift', IconCircleCheck] as const);
  return (
    <Badge size="lg" tt="none" variant="light" color={color} leftSection={<Icon size={14} aria-hidden />}>
      {label}
    </Badge>
  );
}
