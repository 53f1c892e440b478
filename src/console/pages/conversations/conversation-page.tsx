import { Anchor, Badge, Card, Grid, Group, Stack, Text, Title } from '@mantine/core';
import { IconCheck, IconMessageOff } from '@tabler/icons-react';
import { CopyValue } from '../../components/copy-value.tsx';
import { DescriptionList } from '../../components/description-list.tsx';
import { DetailPlaceholder } from '../../components/detail-placeholder.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { LiveBadge } from '../../components/live-badge.tsx';
import { PageLayout } from '../../components/page-layout.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { mailAddress } from '../../format.ts';
import { useSession } from '../../session/session.tsx';
import { useTimeFormat } from '../../time-format.ts';
import { ConversationActions } from './conversation-actions.tsx';
import { ConversationEventsCard } from './conversation-events-card.tsx';
import { ConversationResultsCard } from './conversation-results-card.tsx';
import { ConversationTranscriptCard } from './conversation-transcript-card.tsx';
import { PersonLinks } from './person-links.tsx';
import { type ConversationDetail, useConversation } from './use-conversation.ts';
import { fullName, visitorName } from './visitor-name.ts';

const BACK = { to: '/conversations', label: 'Conversations' };

export default function ConversationPage({ id }: { id: string }) {
  const { canWrite } = useSession();
  const { conversation, error, live } = useConversation(id);
  if (!conversation) {
    return (
      <PageLayout title="Conversation" back={BACK}>
        <DetailPlaceholder
          object={conversation}
          error={error}
          type="Conversation"
          heightPx={400}
          icon={IconMessageOff}
        >
          It may belong to another customer.
        </DetailPlaceholder>
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

function VisitorCard(conversation: ConversationDetail) {
  const { visitorId, identity } = conversation;
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        Visitor
      </Title>
      <DescriptionList
        items={[
          ['Name', fullName(identity)],
          ['Job title', identity?.jobTitle],
          ['Company', identity?.company],
          ['Email', identity?.email && <Anchor href={mailAddress(identity.email)}>{identity.email}</Anchor>],
          ['Person ID', identity && <CopyValue value={identity.resolvedPersonId} label="person ID" />],
          ['Visitor ID', <CopyValue key="visitor" value={visitorId} label="visitor ID" />],
          ['More', <PersonLinks key="links" conversation={conversation} />],
        ]}
      />
      {!identity && (
        <Text size="sm" c="dimmed" mt="sm">
          Identity not resolved.
        </Text>
      )}
    </Card>
  );
}

function ConversationDetailsCard({ id, goal, startedAt, endedAt }: ConversationDetail) {
  const { formatExactTime } = useTimeFormat();
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        Details
      </Title>
      <DescriptionList
        items={[
          ['Goal', goal],
          ['Started', formatExactTime(startedAt)],
          ['Ended', endedAt && formatExactTime(endedAt)],
          ['Conversation ID', <CopyValue key="id" value={id} label="conversation ID" />],
        ]}
      />
    </Card>
  );
}
