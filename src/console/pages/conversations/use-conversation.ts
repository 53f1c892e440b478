import { useQuery, useQueryClient } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.ts';
import { useBatchedCallback } from '../../api/use-batched-callback.ts';
import { useLiveSubscription } from '../../api/use-live-subscription.ts';
import { graphql } from '../../generated/gql.ts';
import type { ConversationQuery, ConversationStatus } from '../../generated/graphql.ts';
import { useSession } from '../../session/session.tsx';

const CONVERSATION = graphql(`
  query Conversation($id: ID!) {
    conversation(id: $id) {
      id
      visitorId
      status
      converted
      goal
      startedAt
      endedAt
      messageCount
      identity {
        resolvedPersonId
        firstName
        lastName
        email
        company
        jobTitle
      }
      outcome {
        category
        markedAt
      }
      conversions {
        id
        type
        goal
        value
        recordedAt
      }
      resolutions {
        id
        resolvedPersonId
        resolvedCompany
        recordedAt
      }
      handoffs {
        id
        schemaName
        urgency
        reason
        requestedAt
      }
      events {
        id
        event
        createdAt
      }
    }
  }
`);

export type ConversationDetail = NonNullable<ConversationQuery['conversation']>;

const CONVERSATION_CHANGE = graphql(`
  subscription ConversationChange($id: ID!) {
    conversationUpdated(id: $id) {
      id
    }
  }
`);

/** Shows what no change reports: a record that repeats the previous one, and events that are stored after the change. */
const REFRESH_MS = 30_000;

const OPEN_STATUSES: readonly ConversationStatus[] = ['active', 'handed_off'];
export const isOpen = (status: ConversationStatus): boolean => OPEN_STATUSES.includes(status);

/** Loads a conversation without its transcript, and refetches it on changes; null if it does not exist. */
export function useConversation(id: string) {
  const { call, customerId } = useSession();
  const queries = useQueryClient();
  const queryKey = queryKeys.conversation(customerId, id);
  const query = useQuery({
    queryKey,
    queryFn: async () => (await call(CONVERSATION, { id })).conversation ?? null,
    refetchInterval: REFRESH_MS,
  });
  const invalidate = useBatchedCallback(() => void queries.invalidateQueries({ queryKey }));
  const live = useLiveSubscription(CONVERSATION_CHANGE, { id }, invalidate, {
    enabled: query.data != null,
    queryKey,
  });
  return { conversation: query.data, error: query.error, live };
}
