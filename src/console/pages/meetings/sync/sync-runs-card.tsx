import { Anchor, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { DataTable } from '../../../components/data-table.tsx';
import { PagedListCard } from '../../../components/paged-list-card.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { DateTime, RelativeTime } from '../../../components/time.tsx';
import { formatDuration, formatNumber, millisecondsBetween } from '../../../format.ts';
import { useTimeFormat } from '../../../time-format.ts';
import { syncRunPath } from '../meeting-paths.ts';
import type { SyncRun } from '../use-recorder.ts';
import { SYNC_COUNTS } from './sync-run-summary.tsx';
import { useSyncRuns } from './use-sync-runs.ts';

/** The page of a sync has its number of pages as well. */
const COUNTS = SYNC_COUNTS.filter(([name]) => name !== 'pages');
const HEAD = ['Started', 'Status', 'Since', 'Duration', ...COUNTS.map(([, label]) => label)];

interface SyncRunsCardProps {
  /** The newest run with live progress, which replaces its row in the list; null if there is none. */
  latest: SyncRun | null;
}

/** Sync runs, newest first. */
export function SyncRunsCard({ latest }: SyncRunsCardProps) {
  const runs = useSyncRuns();
  // A page after the last run keeps its way back.
  if (runs.rows.length === 0 && !runs.error && runs.position.after === null) return null;
  return (
    <PagedListCard title="Syncs" list={runs}>
      <DataTable label="Syncs" minWidthPx={960} head={HEAD}>
        {runs.rows.map((row) => (
          <SyncRunRow key={row.id} run={row.id === latest?.id ? latest : row} />
        ))}
      </DataTable>
    </PagedListCard>
  );
}

function SyncRunRow({ run }: { run: SyncRun }) {
  const { formatDateTime } = useTimeFormat();
  return (
    <Table.Tr>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <Anchor component={Link} href={syncRunPath(run.id)} inherit>
          <time dateTime={run.startedAt}>{formatDateTime(run.startedAt)}</time>
        </Anchor>
        <Text size="xs" c="dimmed">
          <RelativeTime at={run.startedAt} />
        </Text>
      </Table.Td>
      <Table.Td>
        <StatusBadge status={run.status} />
        {run.error && (
          <Text size="xs" mt={4} maw={260} miw={{ base: 0, sm: 180 }} lineClamp={3} className="breakable">
            {run.error.message}
          </Text>
        )}
      </Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <DateTime at={run.since} format="formatDate" />
      </Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        {run.finishedAt ? formatDuration(millisecondsBetween(run.startedAt, run.finishedAt)) : '–'}
      </Table.Td>
      {COUNTS.map(([name]) => (
        <Table.Td key={name} className="mono">
          {formatNumber(run[name])}
        </Table.Td>
      ))}
    </Table.Tr>
  );
}
