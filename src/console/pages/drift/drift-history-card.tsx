import { Accordion, Card, Skeleton, Table, Text, Title } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { ScrollTable } from '../../components/scroll-table.tsx';
import { formatCount, formatExactTime } from '../../format.ts';
import { DriftHistoryChart } from './drift-history-chart.tsx';
import { type DriftCheck, useDriftHistory } from './use-drift.ts';

/** Scores of past checks as a chart and a table. */
export function DriftHistoryCard({ stage, threshold }: { stage: string | null; threshold: number }) {
  const { data, error } = useDriftHistory(stage);
  // Without a stage, the history also contains the checks of single stages.
  const checks = data?.filter((check) => check.stage === stage);
  return (
    <Card withBorder h="100%">
      <Title order={2} size="h4" mb="md">
        {stage === null ? 'Score over time' : `Score over time: stage ${stage}`}
      </Title>
      <ErrorAlert error={error} />
      {!data && !error && <Skeleton h={260} aria-label="Loading the check history" />}
      {checks?.length === 0 && (
        <EmptyState icon={IconChartLine} title="No checks yet">
          {stage === null
            ? 'Run the first check with “Check now”, or wait for the next scheduled check.'
            : `Run the first check of stage ${stage} with “Check now”.`}
        </EmptyState>
      )}
      {checks && checks.length > 0 && (
        <>
          <DriftHistoryChart checks={checks} threshold={threshold} />
          <CheckTable checks={checks} />
        </>
      )}
    </Card>
  );
}

const CheckTable = ({ checks }: { checks: readonly DriftCheck[] }) => (
  <Accordion mt="sm">
    <Accordion.Item value="table" style={{ borderBottom: 0 }}>
      <Accordion.Control>
        <Text size="sm">Show {formatCount(checks.length, 'check')} as a table</Text>
      </Accordion.Control>
      <Accordion.Panel>
        <ScrollTable label="Checks" minWidthPx={360} head={['Checked', 'Score', 'Result']}>
          {checks.map(({ id, checkedAt, driftScore, isDrifted }) => (
            <Table.Tr key={id}>
              <Table.Td>{formatExactTime(checkedAt)}</Table.Td>
              <Table.Td className="mono">{driftScore.toFixed(3)}</Table.Td>
              <Table.Td>{isDrifted ? 'drifted' : 'no drift'}</Table.Td>
            </Table.Tr>
          ))}
        </ScrollTable>
      </Accordion.Panel>
    </Accordion.Item>
  </Accordion>
);
