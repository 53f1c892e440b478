import { Card, Skeleton, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.ts';
import { DataTable } from '../../components/data-table.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { formatNumber } from '../../format.ts';
import { graphql } from '../../generated/gql.ts';
import { type Session, useSession } from '../../session/session.tsx';

const ERASURES = graphql(`
  query Erasures {
    erasures(first: 10) {
      edges {
        node {
          id
          status
          dryRun
          suppress
          startedAt
          counts {
            count
          }
        }
      }
    }
  }
`);

const HEAD = ['Started', 'Type', 'Status', 'Suppression', 'Objects', 'ID'];
const REFRESH_MS = 30_000;

export const erasuresQuery = ({ call, customerId }: Session) => ({
  queryKey: queryKeys.erasures(customerId),
  queryFn: async () => (await call(ERASURES)).erasures.edges.map(({ node }) => node),
});

/** The latest erasures and previews; none names its person. */
export function ErasuresCard() {
  const { data, error } = useQuery({ ...erasuresQuery(useSession()), refetchInterval: REFRESH_MS });
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="sm">
        Latest erasures
      </Title>
      <ErrorAlert error={error} />
      {!data && !error && <Skeleton h={120} aria-label="Loading the erasures" />}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          No person was erased yet.
        </Text>
      )}
      {data && data.length > 0 && (
        <DataTable label="Latest erasures" minWidthPx={760} head={HEAD}>
          {data.map(({ id, status, dryRun, suppress, startedAt, counts }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <RelativeTime at={startedAt} />
              </Table.Td>
              <Table.Td>{dryRun ? 'preview' : 'erasure'}</Table.Td>
              <Table.Td>
                <StatusBadge status={status} />
              </Table.Td>
              <Table.Td>{!dryRun && suppress ? 'yes' : 'no'}</Table.Td>
              <Table.Td className="mono">
                {formatNumber(counts.reduce((sum, { count }) => sum + count, 0))}
              </Table.Td>
              <Table.Td className="mono breakable">{id}</Table.Td>
            </Table.Tr>
          ))}
        </DataTable>
      )}
    </Card>
  );
}
