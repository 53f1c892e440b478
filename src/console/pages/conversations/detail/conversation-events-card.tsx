import { Accordion, Card, Code, Group, Skeleton, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorNote } from '../../../components/error-alert.tsx';
import { Time } from '../../../components/relative-time.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
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

const pretty = (payload: string): string => JSON.stringify(JSON.parse(payload), null, 2);

/** What webhook endpoints were told, in the order in which it happened; an event's payload when it is asked for. */
export function EventsCard({ id, events }: ConversationDetail) {
  const [opened, setOpened] = useState<string[]>([]);
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb={4}>
        Webhook events
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        What endpoints were told of it, oldest first. Open one to see what was sent.
      </Text>
      {events.length === 0 && (
        <Text size="sm">None is kept: events go when their deliveries do, after the retention time.</Text>
      )}
      <Accordion multiple value={opened} onChange={setOpened} order={3}>
        {events.map(({ id: eventId, event, createdAt }) => (
          <Accordion.Item key={eventId} value={eventId}>
            <Accordion.Control>
              <Group justify="space-between" gap="xs" pr="sm">
                <Text size="sm" className="mono">
                  {event}
                </Text>
                <Text size="xs" c="dimmed">
                  <Time at={createdAt} />
                </Text>
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              {opened.includes(eventId) && (
                <Payload conversationId={id} eventId={eventId} count={events.length} />
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
  /** How many events there are: with one more, payloads are read again. */
  count: number;
}

function Payload({ conversationId, eventId, count }: PayloadProps) {
  const { call, customerId } = useSession();
  const { data, error } = useQuery({
    queryKey: ['conversation-payloads', customerId, conversationId, count],
    queryFn: async () => (await call(PAYLOADS, { id: conversationId })).conversation?.events ?? [],
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <ErrorNote error={error} />;
  if (!data) return <Skeleton h={80} />;
  const found = data.find(({ id }) => id === eventId);
  return (
    <Code block tabIndex={0} role="region" aria-label="Payload">
      {found ? pretty(found.payload) : 'It is no longer kept.'}
    </Code>
  );
}
