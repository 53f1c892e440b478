import { Card, Group, Skeleton } from '@mantine/core';
import { IconMessages } from '@tabler/icons-react';
import { useState } from 'react';
import { useFilters } from '../../api/use-filters.ts';
import { firstPageQuery } from '../../api/use-paged-list.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { InvalidParamsAlert } from '../../components/invalid-params-alert.tsx';
import { LiveBadge } from '../../components/live-badge.tsx';
import { NewRowsButton } from '../../components/new-rows-button.tsx';
import { PageLayout } from '../../components/page-layout.tsx';
import { PagedRows } from '../../components/paged-rows.tsx';
import { NO_PARAMS } from '../../search-params.ts';
import type { Session } from '../../session/session.tsx';
import { ConversationFilterBar, readConversationFilters } from './conversation-filters.tsx';
import { ConversationTable } from './conversation-table.tsx';
import { conversationList, useConversations } from './use-conversations.ts';

export default function ConversationsPage() {
  const view = useFilters(readConversationFilters);
  const { filters, invalid, isFiltered } = view;
  const [paused, setPaused] = useState(false);
  const conversations = useConversations(filters, { paused });
  const { rows, loading, error, live, list, position } = conversations;
  return (
    <PageLayout title="Conversations" subtitle="Conversations with visitors, newest first.">
      <InvalidParamsAlert params={invalid} />
      <Group align="flex-end" justify="space-between" gap="sm">
        <ConversationFilterBar {...view} />
        <LiveBadge live={live} pause={{ paused, setPaused }} />
      </Group>
      <PagedRows label="conversations" list={conversations}>
        <ErrorAlert error={error} />
        {loading && <Skeleton h={320} aria-label="Loading conversations" />}
        {!loading && !error && rows.length === 0 && (
          <NoConversations isFiltered={isFiltered} isFirstPage={position.after === null} />
        )}
        {rows.length > 0 && (
          <div ref={list} tabIndex={-1} style={{ scrollMarginTop: 72 }}>
            <NewRowsButton live={conversations} singular="conversation" plural="conversations" />
            <Card withBorder p={0}>
              <ConversationTable rows={rows} areFound={filters.find !== null} />
            </Card>
          </div>
        )}
      </PagedRows>
    </PageLayout>
  );
}

ConversationsPage.firstQueries = (session: Session) => [
  firstPageQuery(conversationList(session, readConversationFilters(NO_PARAMS))),
];

function NoConversations({ isFiltered, isFirstPage }: { isFiltered: boolean; isFirstPage: boolean }) {
  if (isFiltered) {
    return (
      <EmptyState icon={IconMessages} title="No matching conversations">
        Change or clear the filters.
      </EmptyState>
    );
  }
  if (!isFirstPage) {
    return (
      <EmptyState icon={IconMessages} title="No further conversations">
        Return to the newest page.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={IconMessages} title="No conversations yet">
      Start one with the mutation <code>startConversation</code>, or import existing conversations with{' '}
      <code>npm run -s engagement -- conversations import</code>.
    </EmptyState>
  );
}
