import { Alert, Anchor, Card, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from 'wouter';
import { CopyValue } from '../../../components/copy-value.tsx';
import { Facts } from '../../../components/description-list.tsx';
import { Time } from '../../../components/relative-time.tsx';
import { useSession } from '../../../session.tsx';
import { failureOf } from '../delivery-errors.ts';
import { MAX_ATTEMPTS, STATUS_MEANING } from '../delivery-queries.ts';
import { useEndpoint } from '../endpoint/use-endpoint.ts';
import { nameOf } from '../endpoints/use-endpoints.ts';
import { ResendDelivery } from './resend-delivery.tsx';
import type { DeliveryDetail } from './use-delivery.ts';

function Target({ id }: { id: number }) {
  const { data: endpoint } = useEndpoint(id);
  if (endpoint === null) return `${id} (deleted)`;
  return (
    <Anchor component={Link} href={`/webhooks/${id}`} inherit>
      {endpoint ? nameOf(endpoint) : id}
    </Anchor>
  );
}

/** Where a delivery stands, and what can be done about it. */
export function DeliverySummary({ delivery }: { delivery: DeliveryDetail }) {
  const { canWrite } = useSession();
  const { id, endpointId, eventId, status, error, attempt, nextRetryAt, createdAt } = delivery;
  const failure = error === null || status === 'succeeded' ? null : failureOf(error);
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        Where it stands
      </Title>
      <Stack>
        <Text size="sm">{STATUS_MEANING[status]}</Text>
        {failure && (
          <Alert color="orange" icon={<IconAlertTriangle aria-hidden />} title={failure.title}>
            {failure.advice}
          </Alert>
        )}
        <Facts
          facts={[
            ['Endpoint', <Target key="endpoint" id={endpointId} />],
            ['Scheduled attempts begun', `${attempt} of ${MAX_ATTEMPTS}`],
            ['Next attempt', nextRetryAt && <Time at={nextRetryAt} />],
            ['Accepted', <Time key="accepted" at={createdAt} />],
            ['Delivery', <CopyValue key="delivery" value={id} label="delivery id" />],
            ['Event', <CopyValue key="event" value={eventId} label="event id" />],
          ]}
        />
        {canWrite && <ResendDelivery delivery={delivery} />}
      </Stack>
    </Card>
  );
}
