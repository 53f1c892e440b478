import { useLiveRows } from '../../../api/live-rows/use-live-rows.ts';
import { usePagedList } from '../../../api/use-paged-list.ts';
import { graphql } from '../../../generated/gql.ts';
import type { ConversationsQuery } from '../../../generated/graphql.ts';
import { useSession } from '../../../session.tsx';
import type { ConversationFilters } from './use-conversation-filters.ts';

const CONVERSATIONS = graphql(`
  query Conversations($after: String, $status: ConversationStatus, $converted: Boolean, $since: DateTime) {
    conversations(first: 50, after: $after, status: $status, converted: $converted, since: $since) {
      pageInfo {
        hasNextPage
        endCursor
      }
      edges {
        node {
          id
          visitorId
          status
          converted
          goal
          startedAt
          messageCount
          identity {
            firstName
            lastName
            email
            company
          }
          outcome {
            category
          }
        }
      }
    }
  }
`);

const CONVERSATION_CHANGES = graphql(`
  subscription ConversationChanges {
    conversationUpdated {
      id
      visitorId
      status
      converted
      goal
      startedAt
      messageCount
      identity {
        firstName
        lastName
        email
        company
      }
      outcome {
        category
      }
    }
  }
`);

export type ConversationRow = ConversationsQuery['conversations']['edges'][number]['node'];

const SUBSCRIPTION = {
  document: CONVERSATION_CHANGES,
  variables: {},
  rowOf: ({ conversationUpdated }: { conversationUpdated: ConversationRow }) => conversationUpdated,
};

/** Loads a page of conversations, latest start first, and keeps them up to date. */
export function useConversations(filters: ConversationFilters, { paused }: { paused: boolean }) {
  const { call, customerId } = useSession();
  const listKey = ['conversations', customerId, filters];
  const page = usePagedList(
    listKey,
    async (after) => (await call(CONVERSATIONS, { ...filters, after })).conversations,
    { refetchOnWindowFocus: false },
  );
  const { rows, requestedAt, next, position, loadingPage, refetch } = page;
  const { status, converted, since } = filters;
  const liveRows = useLiveRows(SUBSCRIPTION, {
    loaded: requestedAt === null ? undefined : { rows, requestedAt, isComplete: next === null },
    showsNewest: position.after === null && !loadingPage,
    paused,
    queryKey: [...listKey, position.after],
    refetch,
    orderOf: ({ startedAt, id }) => startedAt + id,
    matches: (row) =>
      (status === null || row.status === status) &&
      (converted === null || row.converted === converted) &&
      (since === null || row.startedAt >= since),
  });
  return { ...page, ...liveRows };
}
