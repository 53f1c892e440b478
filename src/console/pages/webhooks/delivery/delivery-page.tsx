import { Card, SimpleGrid, Skeleton, Stack, Title } from '@mantine/core';
import { IconMailOff } from '@tabler/icons-react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { LiveBadge } from '../../../components/live-badge.tsx';
import { PageLayout } from '../../../components/page-layout.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { AttemptTimeline } from './attempt-timeline.tsx';
import { DeliveryPayloadCard } from './delivery-payload-card.tsx';
import { DeliverySummary } from './delivery-summary.tsx';
import { useDelivery } from './use-delivery.ts';

const BACK = { to: '/deliveries', label: 'Deliveries' };

export default function DeliveryPage({ id }: { id: string }) {
  const { delivery, error, live } = useDelivery(id);
  if (!delivery) {
    return (
      <PageLayout title="Delivery" back={BACK}>
        <ErrorAlert error={error} />
        {delivery === undefined && !error && <Skeleton h={320} aria-label="Loading the delivery" />}
        {delivery === null && (
          <EmptyState icon={IconMailOff} title="Delivery not found">
            It may belong to another customer, or have been removed after the retention period.
          </EmptyState>
        )}
      </PageLayout>
    );
  }
  return (
    <PageLayout
      title={`Delivery of ${delivery.event}`}
      back={BACK}
      subtitle={<StatusBadge status={delivery.status} />}
      actions={<LiveBadge live={live} />}
    >
      <ErrorAlert error={error} />
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
        <DeliveryPayloadCard delivery={delivery} />
      </SimpleGrid>
    </PageLayout>
  );
}
