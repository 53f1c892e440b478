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

/** Something may come yet while it goes on, and a review later. */
const REFRESH_MS = 5_000;
const REFRESH_OVER_MS = 30_000;

const GOING_ON: readonly ConversationStatus[] = ['active', 'handed_off'];
export const goesOn = (status: ConversationStatus): boolean => GOING_ON.includes(status);

/** One conversation, without what was said in it; null: there is none. */
export function useConversation(id: string) {
  const { call, customerId } = useSession();
  return useQuery({
    queryKey: ['conversation', customerId, id],
    queryFn: async () => (await call(CONVERSATION, { id })).conversation ?? null,
    refetchInterval: ({ state }) => (state.data && !goesOn(state.data.status) ? REFRESH_OVER_MS : REFRESH_MS),
  });
}
