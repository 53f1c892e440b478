import { Accordion, Anchor, Box, Card, Code, Group, Skeleton, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { queryKeys } from '../../api/query-keys.ts';
import { BreakableText } from '../../components/breakable-text.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { formatJson } from '../../format.ts';
import { graphql } from '../../generated/gql.ts';
import { useSession } from '../../session/session.tsx';
import type { ConversationDetail } from './use-conversation.ts';

const PAYLOADS = graphql(`
  query ConversationPayloads($id: ID!) {
    conversation(id: $id) {
      events {
        id
        payload
      }
    }
  }
`);

/** Webhook events of a conversation; loads the payloads when the first one is expanded. */
export function ConversationEventsCard({ id, events }: ConversationDetail) {
  const [opened, setOpened] = useState<string[]>([]);
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb={4}>
        Webhook events
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        Events emitted for this conversation, oldest first. Expand one to view its payload.{' '}
        <Anchor component={Link} href={`/deliveries?conversation=${id}`} inherit>
          Deliveries of this conversation
        </Anchor>
      </Text>
      {events.length === 0 && (
        <Text size="sm">No events. They are removed with their deliveries after the retention period.</Text>
      )}
      <Accordion multiple value={opened} onChange={setOpened} order={3}>
        {events.map(({ id: eventId, event, createdAt }) => (
          <Accordion.Item key={eventId} value={eventId}>
            <Group gap="xs" wrap="nowrap">
              <Box flex="1 1 auto" miw={0}>
                <Accordion.Control>
                  <Text size="sm" className="mono breakable">
                    <BreakableText>{event}</BreakableText>
                  </Text>
                </Accordion.Control>
              </Box>
              <Text size="xs" c="dimmed" pr="sm" style={{ whiteSpace: 'nowrap' }}>
                <RelativeTime at={createdAt} />
              </Text>
            </Group>
            <Accordion.Panel>
              {opened.includes(eventId) && (
                <Payload conversationId={id} eventId={eventId} eventCount={events.length} />
              )}
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    </Card>
  );
}

interface PayloadProps {
  conversationId: string;
  eventId: string;
  /** Number of events; an additional event makes the payloads load again. */
  eventCount: number;
}

function Payload({ conversationId, eventId, eventCount }: PayloadProps) {
  const { call, customerId } = useSession();
  const { data, error } = useQuery({
    queryKey: queryKeys.conversationPayloads(customerId, conversationId, eventCount),
    queryFn: async () => (await call(PAYLOADS, { id: conversationId })).conversation?.events ?? [],
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <ErrorAlert error={error} />;
  if (!data) return <Skeleton h={80} />;
  const event = data.find(({ id }) => id === eventId);
  return (
    <>
      <Code block tabIndex={0} role="region" aria-label="Payload">
        {event ? formatJson(event.payload) : 'This event was removed after the retention period.'}
      </Code>
      <Anchor
        component={Link}
        href={`/deliveries?event_id=${eventId}`}
        size="sm"
        mt="xs"
        display="inline-block"
      >
        Deliveries of this event
      </Anchor>
    </>
  );
}
