import { Skeleton, Table, Text, Title } from '@mantine/core';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { useTimeFormat } from '../../../time-format.ts';
import { CheckTable } from '../check-table.tsx';
import { formatScore } from '../drift-format.ts';
import { ScoreChart } from '../score-chart.tsx';
import { useDriftHistory } from '../use-drift.ts';

interface FeatureHistoryProps {
  feature: string;
  /** Null: all samples. */
  stage: string | null;
  threshold: number;
}

/** Score of a feature in past checks, as a chart and a table. */
export function FeatureHistory({ feature, stage, threshold }: FeatureHistoryProps) {
  const { data, error } = useDriftHistory({ stage, feature });
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
          <ScoreChart points={points} threshold={threshold} />
          <CheckTable
            label="Scores of the feature"
            count={points.length}
            minWidthPx={320}
            head={['Checked', 'Score']}
          >
            {points.map(({ id, checkedAt, score }) => (
              <Table.Tr key={id}>
                <Table.Td>{formatExactTime(checkedAt)}</Table.Td>
                <Table.Td className="mono">{formatScore(score)}</Table.Td>
              </Table.Tr>
            ))}
          </CheckTable>
        </>
      )}
    </div>
  );
}
