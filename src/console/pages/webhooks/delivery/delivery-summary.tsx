import { Alert, Anchor, Card, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from 'wouter';
import { CopyValue } from '../../../components/copy-value.tsx';
import { DescriptionList } from '../../../components/description-list.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { useSession } from '../../../session.tsx';
import { describeError } from '../delivery-errors.ts';
import { hasNextAttempt, STATUS_DESCRIPTIONS, scheduledAttempts } from '../delivery-queries.ts';
import { useEndpoint } from '../endpoint/use-endpoint.ts';
import { endpointName } from '../endpoints/use-endpoints.ts';
import { ResendDelivery } from './resend-delivery.tsx';
import type { DeliveryDetail } from './use-delivery.ts';

function EndpointLink({ id }: { id: number }) {
  const { data: endpoint } = useEndpoint(id);
  if (endpoint === null) return `${id} (deleted)`;
  return (
    <Anchor component={Link} href={`/webhooks/${id}`} inherit lineClamp={3}>
      {endpoint ? endpointName(endpoint) : id}
    </Anchor>
  );
}

/** Status of a delivery, advice on its last error, and the resend action. */
export function DeliverySummary({ delivery }: { delivery: DeliveryDetail }) {
  const { canWrite } = useSession();
  const { id, endpointId, eventId, status, error, nextRetryAt, createdAt } = delivery;
  const lastError =
    error === null || status === 'succeeded'
      ? null
      : describeError(error, { hasNextAttempt: hasNextAttempt(delivery) });
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        Status
      </Title>
      <Stack>
        <Text size="sm">{STATUS_DESCRIPTIONS[status]}</Text>
        {lastError && (
          <Alert color="orange" icon={<IconAlertTriangle aria-hidden />} title={lastError.title}>
            {lastError.advice}
          </Alert>
        )}
        <DescriptionList
          items={[
            ['Endpoint', <EndpointLink key="endpoint" id={endpointId} />],
            ['Scheduled attempts started', scheduledAttempts(delivery) ?? 'none'],
            ['Next attempt', nextRetryAt && <RelativeTime at={nextRetryAt} />],
            ['Created', <RelativeTime key="created" at={createdAt} />],
            ['Delivery ID', <CopyValue key="delivery" value={id} label="delivery ID" />],
            ['Event ID', <CopyValue key="event" value={eventId} label="event ID" />],
          ]}
        />
        {canWrite && <ResendDelivery delivery={delivery} />}
      </Stack>
    </Card>
  );
}
