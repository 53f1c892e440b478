import { Anchor, Card, Skeleton, Table, Text } from '@mantine/core';
import { memo } from 'react';
import { Link } from 'wouter';
import { Time } from '../../../components/relative-time.tsx';
import { ScrollTable } from '../../../components/scroll-table.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { failureOf } from '../delivery-errors.ts';
import { type Delivery, MAX_ATTEMPTS } from '../delivery-queries.ts';
import { duration } from '../format.ts';

const NOWRAP = { whiteSpace: 'nowrap' } as const;
const COLUMNS = ['Status', 'Event', 'Endpoint', 'Last result', 'Attempts', 'Took', 'Accepted'];

/** What came of the last attempt, in a few words. */
function Result({ delivery: { status, error, responseStatus, nextRetryAt } }: { delivery: Delivery }) {
  const outcome = error ? failureOf(error).title : responseStatus && `Answered ${responseStatus}`;
  return (
    <>
      <Text size="sm">{outcome ?? '–'}</Text>
      {status === 'retrying' && nextRetryAt && (
        <Text size="xs" c="dimmed">
          next attempt <Time at={nextRetryAt} />
        </Text>
      )}
    </>
  );
}

interface RowProps {
  delivery: Delivery;
  /** What its endpoint is called; null: the endpoint is deleted; undefined: the page says it already. */
  endpoint: string | null | undefined;
}

/** Drawn again only when the delivery has changed. */
const Row = memo(({ delivery, endpoint }: RowProps) => (
  <Table.Tr>
    <Table.Td>
      <StatusBadge status={delivery.status} />
    </Table.Td>
    <Table.Td>
      <Anchor component={Link} href={`/deliveries/${delivery.id}`} size="sm" className="mono">
        {delivery.event}
      </Anchor>
    </Table.Td>
    {endpoint !== undefined && (
      <Table.Td maw={200}>
        {endpoint === null ? (
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
            {endpoint}
          </Anchor>
        )}
      </Table.Td>
    )}
    <Table.Td style={NOWRAP}>
      <Result delivery={delivery} />
    </Table.Td>
    <Table.Td className="mono" style={NOWRAP}>
      {delivery.attempt} of {MAX_ATTEMPTS}
    </Table.Td>
    <Table.Td className="mono" style={NOWRAP}>
      {delivery.durationMs === null ? '–' : duration(delivery.durationMs)}
    </Table.Td>
    <Table.Td style={NOWRAP}>
      <Time at={delivery.createdAt} />
    </Table.Td>
  </Table.Tr>
));

interface DeliveryTableProps {
  rows: Delivery[];
  /** Names of the endpoints by id, where the table is of more than one; the others are deleted. */
  endpoints?: ReadonlyMap<number, string>;
  /** Dimmed while another page is read. */
  turning: boolean;
}

export function DeliveryTable({ rows, endpoints, turning }: DeliveryTableProps) {
  return (
    <Card withBorder p={0} opacity={turning ? 0.5 : 1}>
      <ScrollTable
        label="Deliveries"
        minWidth={endpoints ? 860 : 700}
        head={endpoints ? COLUMNS : COLUMNS.filter((name) => name !== 'Endpoint')}
      >
        {rows.map((delivery) => (
          <Row
            key={delivery.id}
            delivery={delivery}
            endpoint={endpoints && (endpoints.get(delivery.endpointId) ?? null)}
          />
        ))}
      </ScrollTable>
    </Card>
  );
}

/** Stands where the table will be. */
export const DeliveriesLoading = () => <Skeleton h={320} aria-label="Loading deliveries" />;
