import { useQuery } from '@tanstack/react-query';
import { graphql } from '../../../generated/gql.ts';
import type { ConversationQuery, ConversationStatus } from '../../../generated/graphql.ts';
import { useSession } from '../../../session.tsx';

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

const REFRESH_OPEN_MS = 5_000;
/** A terminal conversation still receives reviews. */
const REFRESH_TERMINAL_MS = 30_000;

const OPEN_STATUSES: readonly ConversationStatus[] = ['active', 'handed_off'];
export const isOpen = (status: ConversationStatus): boolean => OPEN_STATUSES.includes(status);

/** Loads a conversation without its transcript; null if it does not exist. */
export function useConversation(id: string) {
  const { call, customerId } = useSession();
  return useQuery({
    queryKey: ['conversation', customerId, id],
    queryFn: async () => (await call(CONVERSATION, { id })).conversation ?? null,
    refetchInterval: ({ state }) =>
      state.data && !isOpen(state.data.status) ? REFRESH_TERMINAL_MS : REFRESH_OPEN_MS,
  });
}
