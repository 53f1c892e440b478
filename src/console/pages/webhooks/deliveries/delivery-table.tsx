import { Anchor, Card, Skeleton, Table, Text } from '@mantine/core';
import { memo } from 'react';
import { Link } from 'wouter';
import { DataTable } from '../../../components/data-table.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { formatDuration } from '../../../format.ts';
import { type Endpoint, endpointAddress } from '../endpoints/use-endpoints.ts';
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

/** The endpoint of a row; `deleted` if it no longer exists, `loading` while that is not known. */
type RowEndpoint = Endpoint | 'deleted' | 'loading';

function EndpointCell({ id, endpoint }: { id: number; endpoint: RowEndpoint }) {
  if (endpoint === 'loading') return <Skeleton h={16} w={140} aria-label="Loading the endpoint" />;
  if (endpoint === 'deleted')
    return (
      <Text size="sm" c="dimmed">
        {id} (deleted)
      </Text>
    );
  const address = endpointAddress(endpoint);
  return (
    <Anchor component={Link} href={`/webhooks/${id}`} size="sm" display="block">
      <Text span inherit display="block" truncate>
        {endpoint.description || address}
      </Text>
      {endpoint.description && (
        <Text span size="xs" c="dimmed" display="block" truncate>
          {address}
        </Text>
      )}
    </Anchor>
  );
}

interface DeliveryRowProps {
  delivery: Delivery;
  /** Null hides the column. */
  endpoint: RowEndpoint | null;
}

/** Memoized, so that a live update renders only the rows that changed. */
const DeliveryRow = memo(({ delivery, endpoint }: DeliveryRowProps) => (
  <Table.Tr>
    <Table.Td>
      <StatusBadge status={delivery.status} />
    </Table.Td>
    <Table.Td>
      <Anchor component={Link} href={`/deliveries/${delivery.id}`} size="sm" className="mono">
        {delivery.event}
      </Anchor>
    </Table.Td>
    {endpoint && (
      <Table.Td maw={360}>
        <EndpointCell id={delivery.endpointId} endpoint={endpoint} />
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
  /** The existing endpoints; null hides the column. */
  endpoints: readonly Endpoint[] | 'loading' | null;
}

export function DeliveryTable({ rows, endpoints }: DeliveryTableProps) {
  const endpointOf = (id: number): RowEndpoint | null => {
    if (endpoints === null || endpoints === 'loading') return endpoints;
    return endpoints.find((endpoint) => endpoint.id === id) ?? 'deleted';
  };
  return (
    <Card withBorder p={0}>
      <DataTable
        label="Deliveries"
        minWidthPx={endpoints ? 860 : 700}
        head={endpoints ? COLUMNS : COLUMNS.filter((name) => name !== 'Endpoint')}
      >
        {rows.map((delivery) => (
          <DeliveryRow key={delivery.id} delivery={delivery} endpoint={endpointOf(delivery.endpointId)} />
        ))}
      </DataTable>
    </Card>
  );
}

/** Placeholder while the first page loads. */
export const DeliveryTableSkeleton = () => <Skeleton h={320} aria-label="Loading deliveries" />;
