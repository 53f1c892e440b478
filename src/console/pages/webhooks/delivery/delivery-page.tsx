import { Anchor, Card, Group, SimpleGrid, Skeleton, Stack, Title } from '@mantine/core';
import { IconMailOff } from '@tabler/icons-react';
import { Link } from 'wouter';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNote } from '../../../components/error-alert.tsx';
import { LiveBadge } from '../../../components/live-badge.tsx';
import { Page } from '../../../components/page.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { AttemptTimeline } from './attempt-timeline.tsx';
import { PayloadCard } from './delivery-payload-card.tsx';
import { DeliverySummary } from './delivery-summary.tsx';
import { useDelivery } from './use-delivery.ts';

const Back = () => (
  <Anchor component={Link} href="/deliveries" inherit>
    All deliveries
  </Anchor>
);

/** One delivery: where it stands, each attempt, what is sent. Follows what happens. */
export default function DeliveryPage({ id }: { id: string }) {
  const { delivery, error, live } = useDelivery(id);
  if (!delivery) {
    return (
      <Page title="Delivery" subtitle={<Back />}>
        <ErrorNote error={error} />
        {delivery === undefined && !error && <Skeleton h={320} aria-label="Loading the delivery" />}
        {delivery === null && (
          <EmptyState icon={IconMailOff} title="There is no such delivery">
            Deliveries are removed some time after they are done.
          </EmptyState>
        )}
      </Page>
    );
  }
  return (
    <Page
      title={`Delivery of ${delivery.event}`}
      subtitle={
        <Group gap="sm">
          <StatusBadge status={delivery.status} />
          <Back />
        </Group>
      }
      actions={<LiveBadge live={live} />}
    >
      <ErrorNote error={error} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg" style={{ alignItems: 'start' }}>
        <Stack gap="lg">
          <DeliverySummary delivery={delivery} />
          <Card withBorder>
            <Title order={2} size="h4" mb="md">
              Attempts
            </Title>
            <AttemptTimeline delivery={delivery} />
          </Card>
        </Stack>
        <PayloadCard payload={delivery.payload} />
      </SimpleGrid>
    </Page>
  );
}
