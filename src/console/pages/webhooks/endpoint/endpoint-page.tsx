import { Alert, Anchor, Group, SimpleGrid, Skeleton, Stack, Title } from '@mantine/core';
import { IconPlugConnectedX, IconWebhookOff } from '@tabler/icons-react';
import { Link } from 'wouter';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNote } from '../../../components/error-alert.tsx';
import { Page } from '../../../components/page.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { useSession } from '../../../session.tsx';
import { DeliveryList } from '../deliveries/delivery-list.tsx';
import { DISABLED_REASONS } from '../endpoints/disabled-reasons.ts';
import { type Endpoint, nameOf } from '../endpoints/use-endpoints.ts';
import { EditEndpoint } from './edit-endpoint.tsx';
import { EndpointControls } from './endpoint-controls.tsx';
import { EndpointSettings } from './endpoint-settings.tsx';
import { SendTest } from './send-test-event.tsx';
import { useEndpoint } from './use-endpoint.ts';

const Back = () => (
  <Anchor component={Link} href="/webhooks" inherit>
    All endpoints
  </Anchor>
);

function EndpointView({ endpoint }: { endpoint: Endpoint }) {
  const { canWrite } = useSession();
  const { enabled, disabledReason } = endpoint;
  const reason = disabledReason && DISABLED_REASONS[disabledReason];
  return (
    <Page
      title={nameOf(endpoint)}
      subtitle={
        <Group gap="sm">
          <StatusBadge status={enabled ? 'enabled' : 'disabled'} />
          <Back />
        </Group>
      }
      actions={
        canWrite && (
          <>
            <EditEndpoint endpoint={endpoint} />
            <SendTest endpoint={endpoint} />
          </>
        )
      }
    >
      {reason && (
        <Alert color="orange" icon={<IconPlugConnectedX aria-hidden />} title={reason.title}>
          {reason.text} What happens meanwhile is recorded as cancelled, and can be recovered.
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, lg: canWrite ? 2 : 1 }} spacing="lg">
        <EndpointSettings endpoint={endpoint} />
        {canWrite && <EndpointControls endpoint={endpoint} />}
      </SimpleGrid>
      <Stack gap="sm">
        <Title order={2} size="h4">
          Deliveries
        </Title>
        <DeliveryList
          endpointId={endpoint.id}
          whenEmpty={canWrite ? 'Send a test event to see one arrive.' : 'They appear here as events happen.'}
        />
      </Stack>
    </Page>
  );
}

/** One endpoint: what it is set to, what can be done with it, and what was sent to it. */
export default function EndpointPage({ id }: { id: number }) {
  const { data: endpoint, error } = useEndpoint(id);
  if (endpoint) return <EndpointView endpoint={endpoint} />;
  return (
    <Page title="Webhook endpoint" subtitle={<Back />}>
      <ErrorNote error={error} />
      {endpoint === undefined && !error && <Skeleton h={320} aria-label="Loading the endpoint" />}
      {endpoint === null && (
        <EmptyState icon={IconWebhookOff} title="There is no such endpoint">
          It may have been deleted. Its deliveries are still listed under Deliveries.
        </EmptyState>
      )}
    </Page>
  );
}
