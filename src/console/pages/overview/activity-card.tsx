import { Anchor, Card, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { BreakableText } from '../../components/breakable-text.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { formatBoundedCount } from '../../format.ts';
import { useRecentActivity } from './use-recent-activity.ts';

const Row = ({ name, count }: { name: ReactNode; count: number }) => (
  <Group justify="space-between">
    {name}
    <Text className="mono">{formatBoundedCount(count)}</Text>
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
        None in the last 24 hours.
      </Text>
    )}
  </Stack>
);

export function ActivityCard() {
  const { data: activity, error } = useRecentActivity();
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        Last 24 hours
      </Title>
      <ErrorAlert error={error} />
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
                      <BreakableText>{event}</BreakableText>
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
