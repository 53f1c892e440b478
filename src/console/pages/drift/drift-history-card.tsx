import { Accordion, Card, Skeleton, Table, Text, Title } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNote } from '../../components/error-alert.tsx';
import { absolute } from '../../components/relative-time.tsx';
import { ScrollTable } from '../../components/scroll-table.tsx';
import { HistoryChart } from './drift-history-chart.tsx';
import { type DriftCheck, useDriftHistory } from './use-drift.ts';

/** Scores of past checks, as a chart and as a table. */
export function HistoryCard({ stage, threshold }: { stage: string | null; threshold: number }) {
  const { data, error } = useDriftHistory(stage);
  // Asked without a stage, the history has the checks of every stage as well.
  const checks = data?.filter((check) => check.stage === stage);
  return (
    <Card withBorder h="100%">
      <Title order={2} size="h4" mb="md">
        {stage === null ? 'Score over time' : `Score over time: stage ${stage}`}
      </Title>
      <ErrorNote error={error} />
      {!data && !error && <Skeleton h={260} aria-label="Loading the history" />}
      {checks?.length === 0 && (
        <EmptyState icon={IconChartLine} title="No check yet">
          {stage === null
            ? 'Checks are made on a schedule. “Check now” makes the first one.'
            : `“Check now” makes the first one of the stage ${stage}.`}
        </EmptyState>
      )}
      {checks && checks.length > 0 && (
        <>
          <HistoryChart checks={checks} threshold={threshold} />
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
        <Text size="sm">
          The same as a table: {checks.length} {checks.length === 1 ? 'check' : 'checks'}
        </Text>
      </Accordion.Control>
      <Accordion.Panel>
        <ScrollTable label="Checks" minWidth={360} head={['Checked', 'Score', 'Result']}>
          {checks.map(({ id, checkedAt, driftScore, isDrifted }) => (
            <Table.Tr key={id}>
              <Table.Td>{absolute.format(new Date(checkedAt))}</Table.Td>
              <Table.Td className="mono">{driftScore.toFixed(3)}</Table.Td>
              <Table.Td>{isDrifted ? 'drifted' : 'fits'}</Table.Td>
            </Table.Tr>
          ))}
        </ScrollTable>
      </Accordion.Panel>
    </Accordion.Item>
  </Accordion>
);
