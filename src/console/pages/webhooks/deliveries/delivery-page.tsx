import {
  Button,
  Card,
  Code,
  CopyButton,
  Group,
  ScrollArea,
  SimpleGrid,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { IconCheck, IconCopy, IconMailOff } from '@tabler/icons-react';
import { DetailPlaceholder } from '../../../components/detail-placeholder.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { LiveBadge } from '../../../components/live-badge.tsx';
import { PageLayout } from '../../../components/page-layout.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { formatJson } from '../../../format.ts';
import { AttemptTimeline } from './attempt-timeline.tsx';
import { DeliverySummary } from './delivery-summary.tsx';
import { ExplainEvent } from './explain-event.tsx';
import { type DeliveryDetail, useDelivery } from './use-delivery.ts';

const BACK = { to: '/deliveries', label: 'Deliveries' };

export default function DeliveryPage({ id }: { id: string }) {
  const { delivery, error, live } = useDelivery(id);
  if (!delivery) {
    return (
      <PageLayout title="Delivery" back={BACK}>
        <DetailPlaceholder object={delivery} error={error} type="Delivery" heightPx={320} icon={IconMailOff}>
          It may belong to another customer, or have been removed after the retention period.
        </DetailPlaceholder>
      </PageLayout>
    );
  }
  return (
    <PageLayout
      title={`Delivery of ${delivery.event}`}
      back={BACK}
      subtitle={<StatusBadge status={delivery.status} />}
      actions={
        <>
          <LiveBadge live={live} />
          <ExplainEvent endpointId={delivery.endpointId} eventId={delivery.eventId} />
        </>
      }
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

/** Request body of a delivery. Copies the exact bytes, because the signature covers them. */
function DeliveryPayloadCard({ delivery: { payload, attempts } }: { delivery: DeliveryDetail }) {
  return (
    <Card withBorder>
      <Group justify="space-between" mb="md">
        <Title order={2} size="h4">
          Payload
        </Title>
        <CopyButton value={payload}>
          {({ copied, copy }) => (
            <Button
              size="xs"
              variant="default"
              leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
              onClick={copy}
            >
              {copied ? 'Copied' : 'Copy exact body'}
            </Button>
          )}
        </CopyButton>
      </Group>
      <ScrollArea.Autosize
        mah={520}
        viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Formatted payload' }}
      >
        <Code block className="wrapped">
          {formatJson(payload)}
        </Code>
      </ScrollArea.Autosize>
      <Text size="xs" c="dimmed" mt="xs">
        Formatted for display.{' '}
        {attempts.length > 0
          ? 'Each attempt sends the same bytes, without line breaks.'
          : 'Not sent yet; an attempt would send it without line breaks.'}
      </Text>
    </Card>
  );
}
