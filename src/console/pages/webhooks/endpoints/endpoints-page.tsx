import { Anchor, Card, Group, Skeleton, Table, Text } from '@mantine/core';
import { IconWebhook } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { queryKeys } from '../../../api/query-keys.ts';
import { BreakableText, EVENT_COLUMN_PX } from '../../../components/breakable-text.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { PageLayout } from '../../../components/page-layout.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { RelativeTime } from '../../../components/time.tsx';
import { formatCount, formatDuration, formatNumber } from '../../../format.ts';
import { graphql } from '../../../generated/gql.ts';
import type { ListedEndpointsQuery } from '../../../generated/graphql.ts';
import { type Session, useSession } from '../../../session/session.tsx';
import { CreateEndpoint } from './create-endpoint.tsx';
import { describeBacklog, describeSuccess } from './describe-statistics.ts';
import { rankEndpoints } from './endpoint-problems.ts';
import {
  endpointBacklogsQuery,
  endpointResultsQuery,
  useAllEndpointStatistics,
} from './use-endpoint-statistics.ts';
import {
  DISABLED_REASONS,
  ENDPOINTS_REFRESH_MS,
  endpointName,
  endpointState,
  NOT_ACCEPTING,
} from './use-endpoints.ts';

const LISTED_ENDPOINTS = graphql(`
  query ListedEndpoints {
    webhookEndpoints(first: 50) {
      edges {
        node {
          ...EndpointRow
          ...LatestAttempts
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

const listedEndpointsQuery = ({ call, customerId }: Session) => ({
  queryKey: queryKeys.endpointList(customerId, 'listed'),
  queryFn: () => call(LISTED_ENDPOINTS),
});

export default function EndpointsPage() {
  const session = useSession();
  const { canWrite } = session;
  const { data, error } = useQuery({
    ...listedEndpointsQuery(session),
    refetchInterval: ENDPOINTS_REFRESH_MS,
  });
  const endpoints = data?.webhookEndpoints.edges.map(({ node }) => node);
  const ranked = rankEndpoints(endpoints ?? []);
  const troubled = ranked.filter(({ problems }) => problems.length > 0).length;
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
      {ranked.length > 0 && (
        <>
          {troubled > 0 && (
            <Text size="sm">
              {formatNumber(troubled)} of {formatCount(ranked.length, 'endpoint')}{' '}
              {troubled === 1 ? 'needs' : 'need'} attention, listed first.
            </Text>
          )}
          <Card withBorder p={0}>
            <EndpointTable ranked={ranked} />
          </Card>
        </>
      )}
    </PageLayout>
  );
}

EndpointsPage.firstQueries = (session: Session) => [
  listedEndpointsQuery(session),
  endpointResultsQuery(session),
  endpointBacklogsQuery(session),
];

const COLUMNS = ['Endpoint', 'State', 'Last 24 hours', 'Backlog', 'Newest delivery', 'Events'];
const NOWRAP = { whiteSpace: 'nowrap' } as const;

type ListedEndpoint = ListedEndpointsQuery['webhookEndpoints']['edges'][number]['node'];

function SubscribedEvents({ events, filter }: Pick<ListedEndpoint, 'events' | 'filter'>) {
  const [first, ...others] = events ?? [];
  return (
    <>
      <Text size="sm">
        {events === null ? (
          'All'
        ) : (
          <span className="mono">{first && <BreakableText>{first}</BreakableText>}</span>
        )}
        {others.length > 0 && ` and ${others.length} more`}
      </Text>
      {filter && (
        <Text size="xs" c="dimmed">
          that fulfil its filter
        </Text>
      )}
    </>
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
      <Anchor component={Link} href={`/deliveries/${last.id}`} aria-label={`Newest delivery: ${last.status}`}>
        <StatusBadge status={last.status} />
      </Anchor>
      <Text size="sm">
        <RelativeTime at={last.createdAt} />
      </Text>
    </Group>
  );
}

type AllStatistics = ReturnType<typeof useAllEndpointStatistics>;

/** With a smaller share of successful attempts, an endpoint needs attention. */
const HEALTHY_SHARE = 0.95;

function Results({ id, results: { data, error } }: { id: number; results: AllStatistics['results'] }) {
  if (error) return <Text size="sm">unknown</Text>;
  if (!data) return <Skeleton h={16} w={120} aria-label="Loading the results" />;
  const statistics = data.get(id)?.statistics;
  if (!statistics) return null;
  const { attempts, failedAttempts, p95 } = statistics;
  const isFailing = attempts - failedAttempts < HEALTHY_SHARE * attempts;
  return (
    <>
      <Text size="sm" {...(isFailing && { c: 'var(--mantine-color-error)', fw: 600 })}>
        {describeSuccess(statistics)}
      </Text>
      {p95 !== null && (
        <Text size="xs" c="dimmed">
          p95 {formatDuration(p95)}
        </Text>
      )}
    </>
  );
}

interface BacklogProps {
  endpoint: ListedEndpoint;
  backlogs: AllStatistics['backlogs'];
}

function Backlog({ endpoint, backlogs: { data, error } }: BacklogProps) {
  if (error) return <Text size="sm">unknown</Text>;
  if (!data) return <Skeleton h={16} w={80} aria-label="Loading the backlog" />;
  const waiting = data.get(endpoint.id);
  if (!waiting) return null;
  const { backlog, oldestWaitingAt } = waiting;
  return (
    <>
      <Text size="sm" {...(backlog === 0 && { c: 'dimmed' })}>
        {describeBacklog(endpoint, waiting)}
      </Text>
      {oldestWaitingAt && (
        <Text size="xs" c="dimmed">
          oldest <RelativeTime at={oldestWaitingAt} />
        </Text>
      )}
    </>
  );
}

function EndpointTable({ ranked }: { ranked: ReturnType<typeof rankEndpoints<ListedEndpoint>> }) {
  const { results, backlogs } = useAllEndpointStatistics();
  return (
    <DataTable label="Webhook endpoints" minWidthPx={900} head={COLUMNS}>
      {ranked.map(({ endpoint, problems }) => {
        const { id, url, description, disabledReason } = endpoint;
        const state = endpointState(endpoint);
        return (
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
                  <BreakableText>{endpointName(endpoint)}</BreakableText>
                </Text>
                {description && (
                  <Text span size="xs" c="dimmed" lineClamp={2}>
                    <BreakableText>{url}</BreakableText>
                  </Text>
                )}
              </Anchor>
            </Table.Td>
            <Table.Td maw={200}>
              <StatusBadge status={state} />
              {disabledReason && <Detail>{DISABLED_REASONS[disabledReason].cause}</Detail>}
              {endpoint.enabled && problems.map(({ id: key, title }) => <Detail key={key}>{title}</Detail>)}
              {state === 'not_accepting' && <Detail>{NOT_ACCEPTING.effect}</Detail>}
            </Table.Td>
            <Table.Td>
              <Results id={id} results={results} />
            </Table.Td>
            <Table.Td maw={220}>
              <Backlog endpoint={endpoint} backlogs={backlogs} />
            </Table.Td>
            <Table.Td style={NOWRAP}>
              <LastDelivery {...endpoint} />
            </Table.Td>
            <Table.Td miw={EVENT_COLUMN_PX}>
              <SubscribedEvents {...endpoint} />
            </Table.Td>
          </Table.Tr>
        );
      })}
    </DataTable>
  );
}

/** A line below the badge of the state. */
const Detail = ({ children }: { children: string }) => (
  <Text size="xs" c="dimmed" mt={4}>
    {children}
  </Text>
);
