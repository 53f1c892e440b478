import { Card, Skeleton } from '@mantine/core';
import { IconMessages } from '@tabler/icons-react';
import { usePagedList } from '../../../api/use-paged-list.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { PageLayout } from '../../../components/page-layout.tsx';
import { PagedRows } from '../../../components/paged-rows.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { ConversationFilterBar } from './conversation-filter-bar.tsx';
import { ConversationTable } from './conversation-table.tsx';
import { useConversationFilters } from './use-conversation-filters.ts';

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

const REFRESH_MS = 20_000;

export default function ConversationsPage() {
  const { call, customerId } = useSession();
  const view = useConversationFilters();
  const { filters, isFiltered } = view;
  const list = usePagedList(
    ['conversations', customerId, filters],
    async (after) => (await call(CONVERSATIONS, { ...filters, after })).conversations,
    { refetchInterval: REFRESH_MS },
  );
  return (
    <PageLayout title="Conversations" subtitle="Conversations with visitors, newest first.">
      <ConversationFilterBar {...view} />
      <PagedRows label="conversations" list={list}>
        <ErrorAlert error={list.error} />
        {list.loading && <Skeleton h={320} aria-label="Loading conversations" />}
        {!list.loading && !list.error && list.rows.length === 0 && (
          <EmptyState
            icon={IconMessages}
            title={isFiltered ? 'No matching conversations' : 'No conversations yet'}
          >
            {isFiltered ? (
              'Change or clear the filters.'
            ) : (
              <>
                Start one with the mutation <code>startConversation</code>, or import existing conversations
                with <code>npm run -s engagement -- conversations import</code>.
              </>
            )}
          </EmptyState>
        )}
        {list.rows.length > 0 && (
          <Card withBorder p={0}>
            <ConversationTable rows={list.rows} />
          </Card>
        )}
      </PagedRows>
    </PageLayout>
  );
}
