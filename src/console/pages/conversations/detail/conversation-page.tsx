import { Badge, Grid, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconCheck, IconMessageOff } from '@tabler/icons-react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { LiveBadge } from '../../../components/live-badge.tsx';
import { PageLayout } from '../../../components/page-layout.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { useSession } from '../../../session.tsx';
import { ConversationTranscriptCard } from '../transcript/conversation-transcript-card.tsx';
import { visitorName } from '../visitor-name.ts';
import { ConversationActions } from './conversation-actions.tsx';
import { ConversationDetailsCard } from './conversation-details-card.tsx';
import { ConversationEventsCard } from './conversation-events-card.tsx';
import { ConversationResultsCard } from './conversation-results-card.tsx';
import { type ConversationDetail, useConversation } from './use-conversation.ts';
import { VisitorCard } from './visitor-card.tsx';

const BACK = { to: '/conversations', label: 'Conversations' };

export default function ConversationPage({ id }: { id: string }) {
  const { canWrite } = useSession();
  const { conversation, error, live } = useConversation(id);
  if (!conversation) {
    return (
      <PageLayout title="Conversation" back={BACK}>
        <ErrorAlert error={error} />
        {conversation === undefined && !error && <Skeleton h={400} aria-label="Loading the conversation" />}
        {conversation === null && (
          <EmptyState icon={IconMessageOff} title="Conversation not found">
            It may belong to another customer.
          </EmptyState>
        )}
      </PageLayout>
    );
  }
  return (
    <PageLayout
      title={visitorName(conversation)}
      back={BACK}
      subtitle={<Summary conversation={conversation} live={live} />}
      actions={canWrite && <ConversationActions {...conversation} />}
    >
      <ErrorAlert error={error} />
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack gap="lg">
            <ConversationTranscriptCard
              key={id}
              conversationId={id}
              messageCount={conversation.messageCount}
            />
            <ConversationEventsCard {...conversation} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="lg">
            <VisitorCard {...conversation} />
            <ConversationResultsCard {...conversation} />
            <ConversationDetailsCard {...conversation} />
          </Stack>
        </Grid.Col>
      </Grid>
    </PageLayout>
  );
}

interface SummaryProps {
  conversation: ConversationDetail;
  live: boolean;
}

const Summary = ({ conversation: { status, converted, startedAt }, live }: SummaryProps) => (
  <Group gap="xs">
    <StatusBadge status={status} />
    {converted && status !== 'converted' && (
      <Badge color="teal" variant="light" tt="none" leftSection={<IconCheck size={12} aria-hidden />}>
        converted
      </Badge>
    )}
    <Text size="sm">
      Started <RelativeTime at={startedAt} />
    </Text>
    <LiveBadge live={live} />
  </Group>
);
