import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { queryKeys } from '../../../api/query-keys.ts';
import { graphql } from '../../../generated/gql.ts';
import type { TranscriptQuery } from '../../../generated/graphql.ts';
import { useSession } from '../../../session.tsx';

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
export type MessageEdges = Transcript['edges'];
export type Message = MessageEdges[number]['node'];

const EMPTY_PAGE: Transcript = { pageInfo: { endCursor: null }, edges: [] };

/**
 * Loads a transcript page by page. Messages are append-only, so loaded pages are never refetched; there is a next page
 * while fewer messages are loaded than the conversation has, even if the last page was not full.
 *
 * @param messageCount current number of messages in the conversation
 */
export function useConversationTranscript(id: string, messageCount: number) {
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
