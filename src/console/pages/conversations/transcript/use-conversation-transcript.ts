import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { graphql } from '../../../generated/gql.ts';
import type { TranscriptQuery } from '../../../generated/graphql.ts';
import { useSession } from '../../../session.tsx';

const TRANSCRIPT = graphql(`
  query Transcript($id: ID!, $after: String) {
    conversation(id: $id) {
      transcript(first: 100, after: $after) {
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

/** Messages of a page. */
const PAGE = 100;
const EMPTY: Transcript = { pageInfo: { endCursor: null }, edges: [] };

/**
 * What was said. Messages are only ever added, so nothing that was read is read again: there is more for as long as
 * fewer were read than there are, on a last page that has grown too.
 *
 * @param messageCount how many there are by now
 */
export function useTranscript(id: string, messageCount: number) {
  const { call, customerId } = useSession();
  // A short transcript is shown whole, and what is said meanwhile with it; of a long one its reader says so.
  const [whole, setWhole] = useState(messageCount <= PAGE);
  const query = useInfiniteQuery({
    queryKey: ['transcript', customerId, id],
    queryFn: async ({ pageParam }) =>
      (await call(TRANSCRIPT, { id, after: pageParam || null })).conversation?.transcript ?? EMPTY,
    initialPageParam: '',
    getNextPageParam: (_last, pages) => {
      const read = pages.reduce((sum, { edges }) => sum + edges.length, 0);
      if (read >= messageCount) return null;
      // A page that was empty has no end to go on from.
      return pages.findLast(({ edges }) => edges.length > 0)?.pageInfo.endCursor ?? '';
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query;

  useEffect(() => {
    if (whole && hasNextPage && !isFetching && !isFetchNextPageError) void fetchNextPage();
  }, [whole, hasNextPage, isFetching, isFetchNextPageError, fetchNextPage]);

  return {
    /** Pages that were read; one that is there stays the same object. */
    pages: query.data?.pages.map(({ edges }) => edges) ?? [],
    loading: query.isPending,
    error: query.error,
    /** Reads the next page; undefined when there is none. */
    more: hasNextPage ? () => void fetchNextPage() : undefined,
    /** Reads all that is left, page by page. */
    rest: () => setWhole(true),
    loadingMore: query.isFetchingNextPage,
  };
}
