import { Anchor, Card, Group, Skeleton, Table, Text } from '@mantine/core';
import { IconWebhook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { queryKeys } from '../../../api/query-keys.ts';
import { DataTable } from '../../../components/data-table.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { PageLayout } from '../../../components/page-layout.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { graphql } from '../../../generated/gql.ts';
import type { ListedEndpointsQuery } from '../../../generated/graphql.ts';
import { useSession } from '../../../session/session.tsx';
import { CreateEndpoint } from './create-endpoint.tsx';
import { DISABLED_REASONS, ENDPOINTS_REFRESH_MS, endpointName, endpointState } from './use-endpoints.ts';

const LISTED_ENDPOINTS = graphql(`
  query ListedEndpoints {
    webhookEndpoints(first: 50) {
      edges {
        node {
          ...EndpointRow
          deliveries(first: 1) {
            edges {
              node {
                id
                status
                createdAt
              }
            }
          }
        }
      }
    }
  }
`);

export default function EndpointsPage() {
  const { call, customerId, canWrite } = useSession();
  const { data, error } = useQuery({
    queryKey: queryKeys.endpointList(customerId, 'listed'),
    queryFn: () => call(LISTED_ENDPOINTS),
    refetchInterval: ENDPOINTS_REFRESH_MS,
  });
  const endpoints = data?.webhookEndpoints.edges.map(({ node }) => node);
  return (
    <PageLayout
      title="Webhook endpoints"
      subtitle="URLs that receive signed events as they occur."
      actions={canWrite && <CreateEndpoint />}
    >
      <ErrorAlert error={error} />
      {!endpoints && !error && <Skeleton h={240} aria-label="Loading endpoints" />}
      {endpoints?.length === 0 && (
        <EmptyState icon={IconWebhook} title="No endpoints yet">
          {canWrite
            ? 'Create an endpoint with the URL of your receiver, then send a test event.'
            : 'Creating an endpoint requires a key with write scope.'}
        </EmptyState>
      )}
      {endpoints && endpoints.length > 0 && (
        <Card withBorder p={0}>
          <EndpointTable endpoints={endpoints} />
        </Card>
      )}
    </PageLayout>
  );
}

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
      <Anchor component={Link} href={`/deliveries/${last.id}`} aria-label={`Last delivery: ${last.status}`}>
        <StatusBadge status={last.status} />
      </Anchor>
      <Text size="sm">
        <RelativeTime at={last.createdAt} />
      </Text>
    </Group>
  );
}

function EndpointTable({ endpoints }: { endpoints: ListedEndpoint[] }) {
  return (
    <DataTable label="Webhook endpoints" minWidthPx={760} head={COLUMNS}>
      {endpoints.map(
        ({
          id,
          url,
          description,
          events,
          enabled,
          disabledReason,
          paused,
          circuit,
          createdAt,
          deliveries,
        }) => (
          <Table.Tr key={id}>
            <Table.Td miw={200} maw={340}>
              <Anchor
                component={Link}
                href={`/webhooks/${id}`}
                size="sm"
                display="block"
                className="breakable"
              >
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
              <StatusBadge status={endpointState({ enabled, paused, circuit })} />
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
        ),
      )}
    </DataTable>
  );
}
