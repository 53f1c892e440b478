import { Card, Group, Skeleton, Table, Text } from '@mantine/core';
import { IconRss } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../../api/query-keys.ts';
import { DataTable } from '../../../components/data-table.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { LongText } from '../../../components/long-text.tsx';
import { PageLayout } from '../../../components/page-layout.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { DateTime, RelativeTime } from '../../../components/time.tsx';
import { formatCount } from '../../../format.ts';
import { graphql } from '../../../generated/gql.ts';
import type { EventFeedsQuery } from '../../../generated/graphql.ts';
import { type Session, useSession } from '../../../session/session.tsx';
import { DeleteFeed } from './delete-feed.tsx';
import { SeekFeed } from './seek-feed.tsx';

const EVENT_FEEDS = graphql(`
  query EventFeeds {
    eventFeeds {
      name
      consumer
      heldUntil
      usedAt
      behind
      behindSince
      lost
    }
  }
`);

const REFRESH_MS = 10_000;

type EventFeed = EventFeedsQuery['eventFeeds'][number];

const eventFeedsQuery = ({ call, customerId }: Session) => ({
  queryKey: queryKeys.eventFeeds(customerId),
  queryFn: async () => (await call(EVENT_FEEDS)).eventFeeds,
});

/** The customer's event feeds, with their consumers and how far each is behind. */
export default function EventFeedsPage() {
  const session = useSession();
  const { customerId, canWrite } = session;
  const { data: feeds, error } = useQuery({ ...eventFeedsQuery(session), refetchInterval: REFRESH_MS });
  return (
    <PageLayout
      title="Event feeds"
      subtitle="Positions from which receivers without a public URL pull the events."
    >
      <ErrorAlert error={error} />
      {!feeds && !error && <Skeleton h={160} aria-label="Loading event feeds" />}
      {feeds?.length === 0 && (
        <EmptyState icon={IconRss} title="No event feeds yet">
          The first pull of a name creates its feed:{' '}
          <span className="mono breakable">GET /api/v1/customers/{customerId}/event-feeds/crm?wait=20</span>
        </EmptyState>
      )}
      {feeds && feeds.length > 0 && (
        <Card withBorder p={0}>
          <DataTable label="Event feeds" minWidthPx={760} head={canWrite ? [...COLUMNS, 'Actions'] : COLUMNS}>
            {feeds.map((feed) => (
              <FeedRow key={feed.name} feed={feed} />
            ))}
          </DataTable>
        </Card>
      )}
    </PageLayout>
  );
}

EventFeedsPage.firstQueries = (session: Session) => [eventFeedsQuery(session)];

const COLUMNS = ['Feed', 'Consumer', 'Position', 'Last used'];

function FeedRow({ feed }: { feed: EventFeed }) {
  const { canWrite } = useSession();
  const { name, usedAt } = feed;
  return (
    <Table.Tr>
      <Table.Td miw={120} maw={280}>
        <LongText fw={600}>{name}</LongText>
      </Table.Td>
      <Table.Td miw={160} maw={280}>
        <Consumer feed={feed} />
      </Table.Td>
      <Table.Td miw={160}>
        <Position feed={feed} />
      </Table.Td>
      <Table.Td>
        <RelativeTime at={usedAt} />
      </Table.Td>
      {canWrite && (
        <Table.Td>
          <Group gap="xs" wrap="nowrap">
            <SeekFeed name={name} />
            <DeleteFeed name={name} />
          </Group>
        </Table.Td>
      )}
    </Table.Tr>
  );
}

function Consumer({ feed: { consumer, heldUntil } }: { feed: EventFeed }) {
  if (consumer === null)
    return (
      <Text size="sm" c="dimmed">
        none yet
      </Text>
    );
  const isHeld = Date.parse(heldUntil) > Date.now();
  return (
    <>
      <LongText>{consumer}</LongText>
      <Text size="xs" c="dimmed">
        {isHeld ? 'holds the feed until ' : 'held the feed until '}
        <DateTime at={heldUntil} format={isHeld ? 'formatClockTime' : 'formatDateTime'} />
      </Text>
    </>
  );
}

function Position({ feed: { behind, behindSince, lost } }: { feed: EventFeed }) {
  return (
    <>
      {lost > 0 && (
        <Group gap="xs">
          <StatusBadge status="gone" />
          <Text size="xs">
            Retention has removed up to {formatCount(lost, 'event')} after it. Seek to continue.
          </Text>
        </Group>
      )}
      <Text size="sm">{behind === 0 ? 'up to date' : `${formatCount(behind, 'event')} behind`}</Text>
      {behindSince && (
        <Text size="xs" c="dimmed">
          the first of <RelativeTime at={behindSince} />
        </Text>
      )}
    </>
  );
}
