import { Anchor, Card, Skeleton, Table, Text } from '@mantine/core';
import { memo } from 'react';
import { Link } from 'wouter';
import { DataTable } from '../../../components/data-table.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { formatDuration } from '../../../format.ts';
import { describeError } from './delivery-errors.ts';
import { type Delivery, scheduledAttempts } from './delivery-queries.ts';

const NOWRAP = { whiteSpace: 'nowrap' } as const;
const COLUMNS = ['Status', 'Event', 'Endpoint', 'Last result', 'Attempts', 'Duration', 'Created'];

/** Result of the last attempt. */
function LastResult({ delivery: { status, error, responseStatus, nextRetryAt } }: { delivery: Delivery }) {
  const result = error ? describeError(error).title : responseStatus && `HTTP ${responseStatus}`;
  return (
    <>
      <Text size="sm">{result ?? '–'}</Text>
      {status === 'retrying' && nextRetryAt && (
        <Text size="xs" c="dimmed">
          next attempt <RelativeTime at={nextRetryAt} />
        </Text>
      )}
    </>
  );
}

interface DeliveryRowProps {
  delivery: Delivery;
  /** Null if the endpoint is deleted; undefined hides the column. */
  endpointName: string | null | undefined;
}

/** Memoized, so that a live update renders only the rows that changed. */
const DeliveryRow = memo(({ delivery, endpointName }: DeliveryRowProps) => (
  <Table.Tr>
    <Table.Td>
      <StatusBadge status={delivery.status} />
    </Table.Td>
    <Table.Td>
      <Anchor component={Link} href={`/deliveries/${delivery.id}`} size="sm" className="mono">
        {delivery.event}
      </Anchor>
    </Table.Td>
    {endpointName !== undefined && (
      <Table.Td maw={150}>
        {endpointName === null ? (
          <Text size="sm" c="dimmed">
            {delivery.endpointId} (deleted)
          </Text>
        ) : (
          <Anchor
            component={Link}
            href={`/webhooks/${delivery.endpointId}`}
            size="sm"
            truncate
            display="block"
          >
            {endpointName}
          </Anchor>
        )}
      </Table.Td>
    )}
    <Table.Td style={NOWRAP}>
      <LastResult delivery={delivery} />
    </Table.Td>
    <Table.Td className="mono" style={NOWRAP}>
      {scheduledAttempts(delivery) ?? '–'}
    </Table.Td>
    <Table.Td className="mono" style={NOWRAP}>
      {delivery.durationMs === null ? '–' : formatDuration(delivery.durationMs)}
    </Table.Td>
    <Table.Td style={NOWRAP}>
      <RelativeTime at={delivery.createdAt} />
    </Table.Td>
  </Table.Tr>
));

interface DeliveryTableProps {
  rows: Delivery[];
  /** Names of the existing endpoints by ID; undefined hides the column. */
  endpointNames?: ReadonlyMap<number, string>;
}

export function DeliveryTable({ rows, endpointNames }: DeliveryTableProps) {
  return (
    <Card withBorder p={0}>
      <DataTable
        label="Deliveries"
        minWidthPx={endpointNames ? 860 : 700}
        head={endpointNames ? COLUMNS : COLUMNS.filter((name) => name !== 'Endpoint')}
      >
        {rows.map((delivery) => (
          <DeliveryRow
            key={delivery.id}
            delivery={delivery}
            endpointName={endpointNames && (endpointNames.get(delivery.endpointId) ?? null)}
          />
        ))}
      </DataTable>
    </Card>
  );
}

/** Placeholder while the first page loads. */
export const DeliveryTableSkeleton = () => <Skeleton h={320} aria-label="Loading deliveries" />;
