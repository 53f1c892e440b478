import { useLivePagedList } from '../../api/live-rows/use-live-paged-list.ts';
import { queryKeys } from '../../api/query-keys.ts';
import type { ListQuery } from '../../api/use-paged-list.ts';
import { graphql } from '../../generated/gql.ts';
import type { ConversationsQuery } from '../../generated/graphql.ts';
import { type Session, useSession } from '../../session/session.tsx';
import { type ConversationFilters, SEARCHES } from './conversation-filters.tsx';

const CONVERSATIONS = graphql(`
  query Conversations(
    $after: String
    $status: ConversationStatus
    $converted: Boolean
    $since: DateTime
    $text: String
    $email: String
    $visitorId: String
    $resolvedPersonId: String
    $company: String
  ) {
    conversations(
      first: 50
      after: $after
      status: $status
      converted: $converted
      since: $since
      text: $text
      email: $email
      visitorId: $visitorId
      resolvedPersonId: $resolvedPersonId
      company: $company
    ) {
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
            resolvedPersonId
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
        resolvedPersonId
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

export function conversationList(
  { call, customerId }: Session,
  filters: ConversationFilters,
): ListQuery<ConversationRow> {
  const { by, find, ...listed } = filters;
  const person = find === null ? {} : { [SEARCHES[by ?? 'text'].argument]: find };
  return {
    key: queryKeys.conversationList(customerId, filters),
    loadPage: async (after) => (await call(CONVERSATIONS, { ...listed, ...person, after })).conversations,
  };
}

/** Loads a page of conversations, latest start first, and keeps them up to date. */
export function useConversations(filters: ConversationFilters, { paused }: { paused: boolean }) {
  const { find, status, converted, since } = filters;
  return useLivePagedList(conversationList(useSession(), filters), SUBSCRIPTION, {
    paused,
    orderOf: ({ startedAt, id }) => startedAt + id,
    // Whether a changed conversation matches a search is known to the service only.
    matches: (row) =>
      find === null &&
      (status === null || row.status === status) &&
      (converted === null || row.converted === converted) &&
      (since === null || row.startedAt >= since),
  });
}
