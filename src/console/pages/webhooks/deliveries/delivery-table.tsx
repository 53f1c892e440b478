import { Anchor, Card, Skeleton, Table, Text } from '@mantine/core';
import { memo, type ReactNode } from 'react';
import { Link } from 'wouter';
import { BreakableText, EVENT_COLUMN_PX } from '../../../components/breakable-text.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { formatDuration } from '../../../format.ts';
import { type Endpoint, endpointAddress } from '../endpoints/use-endpoints.ts';
import { describeError } from './delivery-errors.ts';
import { type Delivery, type DeliverySubject, scheduledAttempts } from './delivery-queries.ts';
import { cancellationCause, WAIT_DESCRIPTIONS } from './delivery-status.ts';
import { SubjectLine } from './delivery-subject.tsx';

const NOWRAP = { whiteSpace: 'nowrap' } as const;
const COLUMNS = ['Status', 'Event', 'Endpoint', 'Last result', 'Attempts', 'Duration', 'Created'];

const Reason = ({ children }: { children: ReactNode }) => (
  <Text size="xs" c="dimmed" maw={220} style={{ whiteSpace: 'normal' }}>
    {children}
  </Text>
);

/** Result of the last attempt, and what follows. */
function LastResult({ delivery, endpoint }: { delivery: Delivery; endpoint: RowEndpoint }) {
  const { status, error, responseStatus, nextRetryAt, waitingFor } = delivery;
  const result = error ? describeError(error).title : responseStatus && `HTTP ${responseStatus}`;
  return (
    <>
      <Text size="sm">{result ?? '–'}</Text>
      {waitingFor && <Reason>waits for {WAIT_DESCRIPTIONS[waitingFor]}</Reason>}
      {status === 'cancelled' && endpoint !== 'loading' && (
        <Reason>{cancellationCause(delivery, endpoint)}</Reason>
      )}
      {status === 'retrying' && nextRetryAt && !waitingFor && (
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
    <Anchor component={Link} href={`/webhooks/${id}`} size="sm" display="block" className="breakable">
      <Text span inherit lineClamp={2}>
        <BreakableText>{endpoint.description || address}</BreakableText>
      </Text>
      {endpoint.description && (
        <Text span size="xs" c="dimmed" lineClamp={2}>
          <BreakableText>{address}</BreakableText>
        </Text>
      )}
    </Anchor>
  );
}

interface DeliveryRowProps {
  delivery: Delivery;
  subject: DeliverySubject | undefined;
  endpoint: RowEndpoint;
  hasEndpointColumn: boolean;
}

/** Memoized, so that a live update renders only the rows that changed. */
const DeliveryRow = memo(({ delivery, subject, endpoint, hasEndpointColumn }: DeliveryRowProps) => (
  <Table.Tr>
    <Table.Td>
      <StatusBadge status={delivery.status} />
    </Table.Td>
    <Table.Td miw={EVENT_COLUMN_PX}>
      <Anchor component={Link} href={`/deliveries/${delivery.id}`} size="sm" className="mono">
        <BreakableText>{delivery.event}</BreakableText>
      </Anchor>
      <SubjectLine subject={subject ?? null} />
    </Table.Td>
    {hasEndpointColumn && (
      <Table.Td miw={200}>
        <EndpointCell id={delivery.endpointId} endpoint={endpoint} />
      </Table.Td>
    )}
    <Table.Td style={NOWRAP}>
      <LastResult delivery={delivery} endpoint={endpoint} />
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
  /** By the ID of the delivery. */
  subjects: ReadonlyMap<string, DeliverySubject>;
  /** The existing endpoints. */
  endpoints: readonly Endpoint[] | 'loading';
  hasEndpointColumn: boolean;
}

export function DeliveryTable({ rows, subjects, endpoints, hasEndpointColumn }: DeliveryTableProps) {
  const endpointOf = (id: number): RowEndpoint => {
    if (endpoints === 'loading') return endpoints;
    return endpoints.find((endpoint) => endpoint.id === id) ?? 'deleted';
  };
  return (
    <Card withBorder p={0}>
      <DataTable
        label="Deliveries"
        minWidthPx={hasEndpointColumn ? 900 : 700}
        head={hasEndpointColumn ? COLUMNS : COLUMNS.filter((name) => name !== 'Endpoint')}
      >
        {rows.map((delivery) => (
          <DeliveryRow
            key={delivery.id}
            delivery={delivery}
            subject={subjects.get(delivery.id)}
            endpoint={endpointOf(delivery.endpointId)}
            hasEndpointColumn={hasEndpointColumn}
          />
        ))}
      </DataTable>
    </Card>
  );
}

/** Placeholder while the first page loads. */
export const DeliveryTableSkeleton = () => <Skeleton h={320} aria-label="Loading deliveries" />;
