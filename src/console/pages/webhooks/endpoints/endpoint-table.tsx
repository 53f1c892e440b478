import { Anchor, Group, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { DataTable } from '../../../components/data-table.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import type { ListedEndpointsQuery } from '../../../generated/graphql.ts';
import { DISABLED_REASONS } from './disabled-reasons.ts';
import { endpointName } from './use-endpoints.ts';

const COLUMNS = ['Endpoint', 'State', 'Events', 'Last delivery', 'Created'];
const NOWRAP = { whiteSpace: 'nowrap' } as const;

type ListedEndpoint = ListedEndpointsQuery['webhookEndpoints']['edges'][number]['node'];

function SubscribedEvents({ events }: Pick<ListedEndpoint, 'events'>) {
  if (events === null) return <Text size="sm">All</Text>;
  const [first, ...others] = events;
  return (
    <Text size="sm">
      <span className="mono">{first}</span>
      {others.length > 0 && ` and ${others.length} more`}
    </Text>
  );
}

function LastDelivery({ deliveries }: Pick<ListedEndpoint, 'deliveries'>) {
  const last = deliveries.edges[0]?.node;
  if (!last)
    return (
      <Text size="sm" c="dimmed">
        none yet
      </Text>
    );
  return (
    <Group gap="xs">
      <StatusBadge status={last.status} />
      <Anchor component={Link} href={`/deliveries/${last.id}`} size="sm">
        <RelativeTime at={last.createdAt} />
      </Anchor>
    </Group>
  );
}

export function EndpointTable({ endpoints }: { endpoints: ListedEndpoint[] }) {
  return (
    <DataTable label="Webhook endpoints" minWidthPx={760} head={COLUMNS}>
      {endpoints.map(({ id, url, description, events, enabled, disabledReason, createdAt, deliveries }) => (
        <Table.Tr key={id}>
          <Table.Td miw={200} maw={340}>
            <Anchor component={Link} href={`/webhooks/${id}`} size="sm" display="block" className="breakable">
              <Text span inherit fw={600} lineClamp={2}>
                {endpointName({ description, url })}
              </Text>
              {description && (
                <Text span size="xs" c="dimmed" lineClamp={2}>
                  {url}
                </Text>
              )}
            </Anchor>
          </Table.Td>
          <Table.Td>
            <StatusBadge status={enabled ? 'enabled' : 'disabled'} />
            {disabledReason && (
              <Text size="xs" c="dimmed" mt={4}>
                {DISABLED_REASONS[disabledReason].cause}
              </Text>
            )}
          </Table.Td>
          <Table.Td>
            <SubscribedEvents events={events} />
          </Table.Td>
          <Table.Td style={NOWRAP}>
            <LastDelivery deliveries={deliveries} />
          </Table.Td>
          <Table.Td style={NOWRAP}>
            <RelativeTime at={createdAt} />
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}
