import { Card, Stack, Table, Text, Title } from '@mantine/core';
import { usePaged } from '../../../api/use-paged-list.ts';
import { ErrorNote } from '../../../components/error-alert.tsx';
import { Time } from '../../../components/relative-time.tsx';
import { ScrollTable } from '../../../components/scroll-table.tsx';
import { MoreButton } from '../../../components/show-more.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { number } from '../../../format.ts';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { day, secondsBetween, span } from '../format.ts';
import { recorderKey, type SyncRun } from '../use-recorder.ts';
import { COUNTS } from './sync-counts.tsx';

const RUNS = graphql(`
  query SyncRuns($after: String) {
    meetingSyncRuns(first: 10, after: $after) {
      pageInfo {
        hasNextPage
        endCursor
      }
      edges {
        node {
          ...SyncRun
        }
      }
    }
  }
`);

const HEAD = ['Started', 'Result', 'Since', 'Took', ...COUNTS.map(([, words]) => words)];

/** All syncs, newest first. @param latest the newest one as it is by now, which may be further than when it was read */
export function RunsCard({ latest }: { latest: SyncRun | null }) {
  const { call, customerId } = useSession();
  const runs = usePaged(
    [...recorderKey(customerId), 'runs'],
    async (after) => (await call(RUNS, { after })).meetingSyncRuns,
  );
  if (runs.rows.length === 0 && !runs.error) return null;
  return (
    <Card withBorder p={0}>
      <Title order={2} size="h4" p="md">
        Syncs
      </Title>
      <ErrorNote error={runs.error} />
      <ScrollTable label="Syncs" minWidth={960} head={HEAD}>
        {runs.rows.map((row) => (
          <Row key={row.id} run={row.id === latest?.id ? latest : row} />
        ))}
      </ScrollTable>
      <Stack p={runs.more && 'md'}>
        <MoreButton {...runs} />
      </Stack>
    </Card>
  );
}

const Row = ({ run }: { run: SyncRun }) => (
  <Table.Tr>
    <Table.Td style={{ whiteSpace: 'nowrap' }}>
      <Time at={run.startedAt} />
    </Table.Td>
    <Table.Td>
      <StatusBadge status={run.status} />
      {run.error && (
        <Text size="xs" mt={4} maw={260} miw={180}>
          {run.error.message}
        </Text>
      )}
    </Table.Td>
    <Table.Td style={{ whiteSpace: 'nowrap' }}>{day.format(new Date(run.since))}</Table.Td>
    <Table.Td style={{ whiteSpace: 'nowrap' }}>
      {run.finishedAt ? span(secondsBetween(run.startedAt, run.finishedAt)) : 'still running'}
    </Table.Td>
    {COUNTS.map(([name]) => (
      <Table.Td key={name} className="mono">
        {number.format(run[name])}
      </Table.Td>
    ))}
  </Table.Tr>
);
