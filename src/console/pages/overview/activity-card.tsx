import { Anchor, Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ErrorNote } from '../../components/error-note.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { graphql } from '../../generated/gql.ts';
import { useSession } from '../../session.tsx';

const ACTIVITY = graphql(`
  query LastDay($since: DateTime!) {
    activity(since: $since) {
      events {
        event
        count
      }
      deliveries {
        status
        count
      }
      conversations {
        status
        count
      }
    }
  }
`);

const DAY_MS = 86_400_000;
const REFRESH_MS = 15_000;
const number = new Intl.NumberFormat('en');

const Row = ({ name, count }: { name: ReactNode; count: number }) => (
  <Group justify="space-between">
    {name}
    <Text className="mono">{number.format(count)}</Text>
  </Group>
);

const Section = ({ title, to, children }: { title: string; to?: string; children: ReactNode[] }) => (
  <Stack gap={6}>
    {to ? (
      <Anchor component={Link} href={to} fw={600} size="sm">
        {title}
      </Anchor>
    ) : (
      <Text fw={600} size="sm">
        {title}
      </Text>
    )}
    {children.length > 0 ? (
      children
    ) : (
      <Text size="sm" c="dimmed">
        None in the last day.
      </Text>
    )}
  </Stack>
);

/** What the last 24 hours brought. */
export function ActivityCard() {
  const { call, customerId } = useSession();
  const { data, error } = useQuery({
    queryKey: ['activity', customerId],
    queryFn: () => call(ACTIVITY, { since: new Date(Date.now() - DAY_MS).toISOString() }),
    refetchInterval: REFRESH_MS,
  });
  const activity = data?.activity;
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        The last day
      </Title>
      <ErrorNote error={error} />
      {!activity && !error && <Skeleton h={200} />}
      {activity && (
        <SimpleGrid cols={{ base: 1, md: 3 }} spacing="xl">
          <Section title="Deliveries" to="/deliveries">
            {activity.deliveries
              .filter(({ count }) => count > 0)
              .map(({ status, count }) => (
                <Row key={status} name={<StatusBadge status={status} />} count={count} />
              ))}
          </Section>
          <Section title="Conversations" to="/conversations">
            {activity.conversations
              .filter(({ count }) => count > 0)
              .map(({ status, count }) => (
                <Row key={status} name={<StatusBadge status={status} />} count={count} />
              ))}
          </Section>
          <Section title="Events">
            {activity.events
              .filter(({ count }) => count > 0)
              .map(({ event, count }) => (
                <Row
                  key={event}
                  name={
                    <Text size="sm" className="mono">
                      {event}
                    </Text>
                  }
                  count={count}
                />
              ))}
          </Section>
        </SimpleGrid>
      )}
    </Card>
  );
}
