import { Badge, Box, Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCircleDashed } from '@tabler/icons-react';
import { DescriptionList } from '../../components/description-list.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { formatCount, formatNumber, formatShare } from '../../format.ts';
import { formatScore } from './drift-format.ts';
import { DriftScoreBar } from './drift-score-bar.tsx';
import {
  type DriftStatus,
  decidingComponent,
  explain,
  scaleOf,
  type Verdict,
  verdictOf,
} from './drift-verdict.ts';

interface DriftStatusCardProps {
  status: DriftStatus;
  /** Null: all samples. */
  stage: string | null;
}

/** Score compared with the threshold, its components, and the number of rows. */
export function DriftStatusCard({ status, stage }: DriftStatusCardProps) {
  const { method, lastChecked, insufficientData, rows } = status;
  return (
    <Card withBorder h="100%">
      <Group justify="space-between" mb="md">
        <Title order={2} size="h4" className="breakable">
          {stage === null ? 'All samples' : `Stage ${stage}`}
        </Title>
        <VerdictBadge {...verdictOf(status)} />
      </Group>
      <Stack gap="sm">
        {insufficientData ? <NoScore /> : <Score status={status} />}
        <Text className="breakable">{explain(status)}</Text>
        <Components status={status} />
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

const BADGES = {
  drifted: ['red', 'Drifted', IconAlertTriangle],
  'features drifted': ['orange', 'Features drifted', IconAlertTriangle],
  'no samples': ['gray', 'No samples', IconCircleDashed],
  'too few samples': ['gray', 'Too few samples', IconCircleDashed],
  unproven: ['gray', 'No proven drift', IconCircleDashed],
  'no drift': ['teal', 'No drift', IconCircleCheck],
} as const satisfies Record<Verdict['state'], unknown>;

function VerdictBadge({ state }: Verdict) {
  const [color, label, Icon] = BADGES[state];
  return (
    <Badge size="lg" tt="none" variant="light" color={color} leftSection={<Icon size={14} aria-hidden />}>
      {label}
    </Badge>
  );
}

function Score({ status }: { status: DriftStatus }) {
  const { isDrifted, driftScore, threshold } = status;
  const maxScore = scaleOf(status);
  return (
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
        aria-valuemax={maxScore}
        aria-valuetext={`${formatScore(driftScore)}, threshold ${threshold}`}
      >
        <DriftScoreBar
          score={driftScore}
          threshold={threshold}
          maxScore={maxScore}
          drifted={isDrifted}
          heightPx={16}
        />
        <Group justify="space-between">
          <Text size="xs" c="dimmed">
            0 = unchanged
          </Text>
          <Text size="xs" c="dimmed">
            {maxScore > 1 ? formatScore(maxScore) : '1 = very different'}
          </Text>
        </Group>
        {maxScore > 1 && (
          <Text size="xs" c="dimmed">
            1 = very different. All bars end at {formatScore(maxScore)}, because the score of a feature can
            exceed 1.
          </Text>
        )}
      </Box>
    </>
  );
}

/** Replaces the score 0 of sets with too few rows, which does not mean that nothing drifted. */
const NoScore = () => (
  <Group align="baseline" gap="xs">
    <Text fz={48} lh={1} fw={650} aria-hidden>
      –
    </Text>
    <Text c="dimmed">no score</Text>
  </Group>
);

const COMPONENTS = [
  {
    name: 'features',
    label: 'Features',
    explanation:
      'weighted mean of the input features; each score counts as at most one, an insignificant one as zero',
  },
  { name: 'prediction', label: 'Prediction', explanation: 'output of the model' },
  { name: 'outcome', label: 'Outcome', explanation: 'prediction minus actual outcome' },
] as const;

/** The three components of the score, with a mark on the one that decides it. */
function Components({ status }: { status: DriftStatus }) {
  const { components, componentDetails, threshold } = status;
  if (!components) {
    return (
      <Text size="sm" c="dimmed">
        The sidecar does not report the components of the score.
      </Text>
    );
  }
  const deciding = decidingComponent(status);
  return (
    <Box component="ul" m={0} p={0} aria-label="Components of the score" style={{ listStyle: 'none' }}>
      {COMPONENTS.map(({ name, label, explanation }) => {
        const score = components[name];
        const detail = componentDetails?.[name];
        return (
          <Box component="li" key={name} py={6}>
            <Group justify="space-between" gap="xs" wrap="nowrap">
              <Group gap="xs">
                <Text size="sm" fw={name === deciding ? 650 : 400}>
                  {label}
                </Text>
                {name === deciding && (
                  <Badge size="sm" tt="none" variant="light" color="indigo">
                    decides the score
                  </Badge>
                )}
              </Group>
              <Text
                size="sm"
                className={score == null ? undefined : 'mono'}
                c={score == null ? 'dimmed' : undefined}
              >
                {score == null ? 'too few samples' : formatScore(score)}
              </Text>
            </Group>
            {score != null && (
              <DriftScoreBar
                score={score}
                threshold={threshold}
                noise={detail?.noise}
                maxScore={scaleOf(status)}
                drifted={score > threshold}
              />
            )}
            <Text size="xs" c="dimmed">
              {explanation}
            </Text>
            {detail && (
              <Text size="xs" c="dimmed">
                {describeDetail(name, detail)}
              </Text>
            )}
          </Box>
        );
      })}
    </Box>
  );
}

type ComponentDetail = NonNullable<NonNullable<DriftStatus['componentDetails']>['features']>;

/** `Noise floor 0.090, not significant. Rows with an outcome: 90% → 62%.` */
function describeDetail(
  name: (typeof COMPONENTS)[number]['name'],
  { noise, significant, rowsNeeded, coverage }: ComponentDetail,
): string {
  const verdict = significant ? 'significant' : 'not significant';
  const needed = rowsNeeded > 0 ? `, needs about ${formatCount(rowsNeeded, 'more row')}` : '';
  const subject = name === 'outcome' ? 'Rows with an outcome' : 'Rows with a value';
  const shares = `${formatShare(coverage.reference)} → ${formatShare(coverage.current)}`;
  return `Noise floor ${formatScore(noise)}, ${verdict}${needed}. ${subject}: ${shares}.`;
}
