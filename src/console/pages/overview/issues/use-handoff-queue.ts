import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../../api/query-keys.ts';
import { graphql } from '../../../generated/gql.ts';
import type { HandedOffConversationsQuery } from '../../../generated/graphql.ts';
import { useSession } from '../../../session.tsx';

/** The service reads the handoffs of each conversation, so the page is small. */
const HANDED_OFF = graphql(`
  query HandedOffConversations {
    conversations(first: 50, status: handed_off) {
      pageInfo {
        hasNextPage
      }
      edges {
        node {
          id
          visitorId
          identity {
            firstName
            lastName
            email
          }
          handoffs {
            id
            urgency
          }
        }
      }
    }
  }
`);

/** Conversations that wait for an operator. */
export interface HandoffQueue {
  /** The newest ones. */
  conversations: readonly HandedOffConversationsQuery['conversations']['edges'][number]['node'][];
  hasMore: boolean;
}

const REFRESH_MS = 30_000;

/** Loads the newest conversations that are handed off, with the urgency of their handoffs. */
export function useHandoffQueue() {
  const { call, customerId } = useSession();
  return useQuery({
    queryKey: queryKeys.handoffQueue(customerId),
    queryFn: async (): Promise<HandoffQueue> => {
      const { edges, pageInfo } = (await call(HANDED_OFF)).conversations;
      return { conversations: edges.map(({ node }) => node), hasMore: pageInfo.hasNextPage };
    },
    refetchInterval: REFRESH_MS,
  });
}
