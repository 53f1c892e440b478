import { Box, Divider, Group, Paper, Text } from '@mantine/core';
import { IconHeadset, IconRobot, IconUser } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Fragment, memo, useEffect, useState } from 'react';
import { queryKeys } from '../../api/query-keys.ts';
import { DateTime } from '../../components/time.tsx';
import { TranscriptCard } from '../../components/transcript-card.tsx';
import { formatCount, formatNumber } from '../../format.ts';
import { graphql } from '../../generated/gql.ts';
import type { MessageRole, TranscriptQuery } from '../../generated/graphql.ts';
import { useSession } from '../../session/session.tsx';
import { useTimeFormat } from '../../time-format.ts';

/** Maximum page size of the API. */
const PAGE_SIZE = 100;

const TRANSCRIPT = graphql(`
  query Transcript($id: ID!, $first: Int!, $after: String) {
    conversation(id: $id) {
      transcript(first: $first, after: $after) {
        pageInfo {
          endCursor
        }
        edges {
          node {
            id
            role
            text
            sentAt
          }
        }
      }
    }
  }
`);

type Transcript = NonNullable<TranscriptQuery['conversation']>['transcript'];
type MessageEdges = Transcript['edges'];
type Message = MessageEdges[number]['node'];

const EMPTY_PAGE: Transcript = { pageInfo: { endCursor: null }, edges: [] };

/**
 * Loads a transcript page by page. Messages are append-only, so loaded pages are never refetched; there is a next page
 * while fewer messages are loaded than the conversation has, even if the last page was not full.
 *
 * @param messageCount current number of messages in the conversation
 */
function useConversationTranscript(id: string, messageCount: number) {
  const { call, customerId } = useSession();
  // A short transcript is loaded completely and stays complete as messages arrive; a long one on request.
  const [loadAll, setLoadAll] = useState(messageCount <= PAGE_SIZE);
  const query = useInfiniteQuery({
    queryKey: queryKeys.conversationTranscript(customerId, id),
    queryFn: async ({ pageParam }) => {
      const { conversation } = await call(TRANSCRIPT, { id, first: PAGE_SIZE, after: pageParam || null });
      return conversation?.transcript ?? EMPTY_PAGE;
    },
    initialPageParam: '',
    getNextPageParam: (_last, pages) => {
      const loadedCount = pages.reduce((sum, { edges }) => sum + edges.length, 0);
      if (loadedCount >= messageCount) return null;
      // An empty page has no end cursor.
      return pages.findLast(({ edges }) => edges.length > 0)?.pageInfo.endCursor ?? '';
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query;

  useEffect(() => {
    if (loadAll && hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage();
  }, [loadAll, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage]);

  return {
    /** Loaded pages; a loaded page keeps its identity. */
    pages: query.data?.pages.map(({ edges }) => edges) ?? [],
    loading: query.isPending,
    error: query.error,
    /** Loads the next page; undefined if all messages are loaded. */
    showMore: hasNextPage ? () => void fetchNextPage() : undefined,
    showAll: () => setLoadAll(true),
    loadingMore: query.isFetchingNextPage,
  };
}

interface ConversationTranscriptCardProps {
  conversationId: string;
  messageCount: number;
}

export function ConversationTranscriptCard({
  conversationId,
  messageCount,
}: ConversationTranscriptCardProps) {
  const { pages, loading, error, showMore, showAll, loadingMore } = useConversationTranscript(
    conversationId,
    messageCount,
  );
  const loadedCount = pages.reduce((sum, edges) => sum + edges.length, 0);
  const count = formatCount(messageCount, 'message');
  return (
    <TranscriptCard
      count={showMore ? `${formatNumber(loadedCount)} of ${count}` : count}
      loading={loading}
      error={error}
      showMore={loadedCount > 0 ? showMore : undefined}
      showAll={showAll}
      loadingMore={loadingMore}
    >
      {!loading && loadedCount === 0 && !error && <Text c="dimmed">No messages yet.</Text>}
      {loadedCount > 0 && (
        <Box
          mah="min(70vh, 760px)"
          pr="sm"
          style={{ overflowY: 'auto' }}
          tabIndex={0}
          role="region"
          aria-label="Transcript"
        >
          {pages.map((edges, index) => (
            <MessagePage
              key={edges[0]?.node.id ?? index}
              edges={edges}
              previousSentAt={pages[index - 1]?.at(-1)?.node.sentAt ?? null}
            />
          ))}
        </Box>
      )}
    </TranscriptCard>
  );
}

/** Estimated height of a message before it is rendered. */
const MESSAGE_HEIGHT_PX = 90;

interface MessagePageProps {
  edges: MessageEdges;
  /** Time of the last message of the previous page; null on the first page. */
  previousSentAt: string | null;
}

/**
 * A page of messages with a divider before each day. The browser renders it only when it scrolls into view, and
 * loading another page does not render it again, which keeps transcripts of 10,000 messages fast.
 */
const MessagePage = memo(function MessagePage({ edges, previousSentAt }: MessagePageProps) {
  const { formatWeekdayDate } = useTimeFormat();
  return (
    <ol
      style={{
        listStyle: 'none',
        margin: 0,
        padding: 0,
        contentVisibility: 'auto',
        containIntrinsicSize: `auto ${edges.length * MESSAGE_HEIGHT_PX}px`,
      }}
    >
      {edges.map(({ node }, index) => {
        const date = formatWeekdayDate(node.sentAt);
        const previous = index === 0 ? previousSentAt : edges[index - 1]?.node.sentAt;
        return (
          <Fragment key={node.id}>
            {(!previous || formatWeekdayDate(previous) !== date) && (
              <li>
                <Divider label={date} mb="md" />
              </li>
            )}
            <MessageItem message={node} />
          </Fragment>
        );
      })}
    </ol>
  );
});

/** Visitors on the left, the customer's side on the right. */
const ROLES: Record<
  MessageRole,
  { name: string; icon: typeof IconUser; side: 'start' | 'end'; color: string }
> = {
  visitor: { name: 'Visitor', icon: IconUser, side: 'start', color: 'gray' },
  bot: { name: 'Bot', icon: IconRobot, side: 'end', color: 'indigo' },
  operator: { name: 'Operator', icon: IconHeadset, side: 'end', color: 'teal' },
};

function MessageItem({ message }: { message: Message }) {
  const { name, icon: Icon, side, color } = ROLES[message.role];
  return (
    <li
      style={{
        display: 'flex',
        flexDirection: 'column',
        alignItems: `flex-${side}`,
        paddingBottom: 'var(--mantine-spacing-md)',
      }}
    >
      <Group gap={6} mb={4}>
        <Icon size={14} aria-hidden />
        <Text size="xs" fw={600}>
          {name}
        </Text>
        <Text size="xs" c="dimmed" component="span">
          <DateTime at={message.sentAt} format="formatClockTime" />
        </Text>
      </Group>
      <Paper px="md" py="xs" bg={`var(--mantine-color-${color}-light)`} maw="min(85%, 36rem)">
        <Text size="sm" className="breakable" style={{ whiteSpace: 'pre-wrap' }}>
          {message.text}
        </Text>
      </Paper>
    </li>
  );
}
