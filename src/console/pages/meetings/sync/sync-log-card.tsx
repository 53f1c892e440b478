import { Table, Text } from '@mantine/core';
import { queryKeys } from '../../../api/query-keys.ts';
import { usePagedList } from '../../../api/use-paged-list.ts';
import { DataTable } from '../../../components/data-table.tsx';
import { LongText } from '../../../components/long-text.tsx';
import { PagedListCard } from '../../../components/paged-list-card.tsx';
import { DateTime } from '../../../components/time.tsx';
import { formatDuration, formatNumber } from '../../../format.ts';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';
import type { SyncRun } from '../use-recorder.ts';

const LOG = graphql(`
  query SyncLog($id: ID!, $after: String) {
    meetingSyncRun(id: $id) {
      log(first: 50, after: $after) {
        pageInfo {
          hasNextPage
          endCursor
        }
        edges {
          cursor
          node {
            at
            type
            page
            count
            durationMs
            detail
          }
        }
      }
    }
  }
`);

const NO_LOG = { pageInfo: { hasNextPage: false }, edges: [] };
const HEAD = ['Time', 'Entry', 'Page', 'Count', 'Duration', 'Detail'];
const NONE = '–';

interface SyncLogCardProps {
  id: string;
  /** Status of the sync: the log is reloaded when it changes. */
  status: SyncRun['status'];
  /** Interval at which the log is reloaded; undefined after the end of the sync. */
  refreshMs: number | undefined;
}

/** Log of a sync, newest first. */
export function SyncLogCard({ id, status, refreshMs }: SyncLogCardProps) {
  const { call, customerId } = useSession();
  const log = usePagedList(
    {
      key: queryKeys.syncLog(customerId, id, status),
      async loadPage(after) {
        const { edges, pageInfo } = (await call(LOG, { id, after })).meetingSyncRun?.log ?? NO_LOG;
        return { pageInfo, edges: edges.map(({ cursor, node }) => ({ node: { cursor, ...node } })) };
      },
    },
    { refetchInterval: refreshMs },
  );
  return (
    <PagedListCard title="Log" list={log}>
      {log.rows.length === 0 && !log.loading && !log.error ? (
        <Text c="dimmed" px="md" pb="md">
          The log has no entries.
        </Text>
      ) : (
        <DataTable label="Log" head={HEAD}>
          {log.rows.map(({ cursor, at, type, page, count, durationMs, detail }) => (
            <Table.Tr key={cursor}>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                <DateTime at={at} />
              </Table.Td>
              <Table.Td>{type.replaceAll('_', ' ')}</Table.Td>
              <Table.Td className="mono">{page ?? NONE}</Table.Td>
              <Table.Td className="mono">{count == null ? NONE : formatNumber(count)}</Table.Td>
              <Table.Td className="mono">{durationMs == null ? NONE : formatDuration(durationMs)}</Table.Td>
              <Table.Td>
                <LongText>{detail?.replaceAll('_', ' ') ?? NONE}</LongText>
              </Table.Td>
            </Table.Tr>
          ))}
        </DataTable>
      )}
    </PagedListCard>
  );
}
