import { Card, Skeleton, Stack } from '@mantine/core';
import { IconMessages } from '@tabler/icons-react';
import { usePaged } from '../../../api/use-paged-list.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNote } from '../../../components/error-alert.tsx';
import { Page } from '../../../components/page.tsx';
import { MoreButton } from '../../../components/show-more.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { FilterBar } from './conversation-filter-bar.tsx';
import { ConversationTable } from './conversation-table.tsx';
import { useFilters } from './use-conversation-filters.ts';

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

/** The tenant's conversations, newest first. */
export default function ConversationsPage() {
  const { call, customerId } = useSession();
  const choice = useFilters();
  const { filters } = choice;
  const list = usePaged(
    ['conversations', customerId, filters],
    async (after) => (await call(CONVERSATIONS, { ...filters, after })).conversations,
    { refetchInterval: REFRESH_MS },
  );
  const narrowed = Object.values(filters).some((value) => value !== null);
  return (
    <Page title="Conversations" subtitle="What visitors and the bot said, newest first.">
      <FilterBar {...choice} />
      <ErrorNote error={list.error} />
      {list.loading && <Skeleton h={320} aria-label="Loading conversations" />}
      {!list.loading && !list.error && list.rows.length === 0 && (
        <EmptyState icon={IconMessages} title={narrowed ? 'None like that' : 'No conversations yet'}>
          {narrowed ? (
            'No conversation fits the filters. Widen them, or clear them.'
          ) : (
            <>
              Start one with the mutation <code>startConversation</code>, or bring in what you have with{' '}
              <code>npm run -s engagement -- conversations import</code>.
            </>
          )}
        </EmptyState>
      )}
      {list.rows.length > 0 && (
        <Stack>
          <Card withBorder p={0}>
            <ConversationTable rows={list.rows} />
          </Card>
          <MoreButton {...list} />
        </Stack>
      )}
    </Page>
  );
}
