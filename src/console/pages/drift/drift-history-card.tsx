import { Card, Skeleton, Table, Title } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import { ChartTable } from '../../components/chart-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { DateTime } from '../../components/time.tsx';
import { formatCount, formatNumber, formatOptional } from '../../format.ts';
import { formatScore, resultLabel } from './drift-format.ts';
import { type DriftCheck, useDriftHistory } from './drift-queries.ts';
import { PlannedChanges, usePlannedChanges } from './planned-changes.tsx';
import { ScoreChart } from './score-chart.tsx';

interface DriftHistoryCardProps {
  /** Null: all samples. */
  stage: string | null;
  threshold: number;
}

/** Scores of past checks as a chart and a table. */
export function DriftHistoryCard({ stage, threshold }: DriftHistoryCardProps) {
  const { data: checks, error } = useDriftHistory({ stage });
  return (
    <Card withBorder h="100%">
      <Title order={2} size="h4" mb="md" className="breakable">
        {stage === null ? 'Score over time' : `Score over time: stage ${stage}`}
      </Title>
      <ErrorAlert error={error} />
      {!checks && !error && <Skeleton h={260} aria-label="Loading the check history" />}
      {checks?.length === 0 && (
        <EmptyState icon={IconChartLine} title="No checks yet">
          Run the first check{stage !== null && ` of stage ${stage}`} with “Check now”, or wait for the next
          scheduled check.
        </EmptyState>
      )}
      {checks && checks.length > 0 && (
        <>
          <CheckChart checks={checks} threshold={threshold} stage={stage} />
          <ChartTable label="Checks" rows={formatCount(checks.length, 'check')} minWidthPx={640} head={HEAD}>
            {checks.map((check) => (
              <CheckRow key={check.id} {...check} />
            ))}
          </ChartTable>
        </>
      )}
      <PlannedChanges stage={stage} />
    </Card>
  );
}

/** Leaves out checks with too few rows: their score is 0. */
function CheckChart({ checks, threshold, stage }: DriftHistoryCardProps & { checks: readonly DriftCheck[] }) {
  const { data: changes } = usePlannedChanges(stage);
  const points = checks
    .filter(({ insufficientData }) => !insufficientData)
    .map(({ checkedAt, driftScore, isDrifted }) => ({ checkedAt, score: driftScore, drifted: isDrifted }));
  if (points.length === 0)
    return (
      <EmptyState icon={IconChartLine} title="No scores yet">
        No check had enough samples for a score.
      </EmptyState>
    );
  return <ScoreChart points={points} threshold={threshold} changes={changes} />;
}

const HEAD = ['Checked', 'Score', 'Features', 'Prediction', 'Outcome', 'Rows', 'Result'];

function CheckRow(check: DriftCheck) {
  const { checkedAt, driftScore, components, rows } = check;
  const { features, prediction, outcome } = components ?? {};
  return (
    <Table.Tr>
      <Table.Td>
        <DateTime at={checkedAt} />
      </Table.Td>
      <Table.Td className="mono">{formatScore(driftScore)}</Table.Td>
      <Table.Td className="mono">{formatOptional(features, formatScore)}</Table.Td>
      <Table.Td className="mono">{formatOptional(prediction, formatScore)}</Table.Td>
      <Table.Td className="mono">{formatOptional(outcome, formatScore)}</Table.Td>
      <Table.Td>
        {rows ? `${formatNumber(rows.reference)} reference, ${formatNumber(rows.current)} current` : '–'}
      </Table.Td>
      <Table.Td>{resultLabel(check)}</Table.Td>
    </Table.Tr>
  );
}
