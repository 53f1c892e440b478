import { Alert, SimpleGrid, Skeleton, Stack, Title } from '@mantine/core';
import { IconPlugConnectedX, IconWebhookOff } from '@tabler/icons-react';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { PageLayout } from '../../../components/page-layout.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { useSession } from '../../../session.tsx';
import { DeliveryList } from '../deliveries/delivery-list.tsx';
import { DISABLED_REASONS, disabledTitle } from '../endpoints/disabled-reasons.ts';
import { type Endpoint, endpointName } from '../endpoints/use-endpoints.ts';
import { CreatedNotice } from './created-notice.tsx';
import { EditEndpoint } from './edit-endpoint.tsx';
import { EndpointControls } from './endpoint-controls.tsx';
import { EndpointSettings } from './endpoint-settings.tsx';
import { SendTestEvent } from './send-test-event.tsx';
import { useEndpoint } from './use-endpoint.ts';

const BACK = { to: '/webhooks', label: 'Webhook endpoints' };

/** One layout for all states, whose heading keeps the focus when the endpoint is loaded. */
export default function EndpointPage({ id }: { id: number }) {
  const { canWrite } = useSession();
  const { data: endpoint, error } = useEndpoint(id);
  return (
    <PageLayout
      title={endpoint ? endpointName(endpoint) : 'Webhook endpoint'}
      back={BACK}
      subtitle={endpoint && <StatusBadge status={endpoint.enabled ? 'enabled' : 'disabled'} />}
      actions={
        canWrite &&
        endpoint && (
          <>
            <EditEndpoint endpoint={endpoint} />
            <SendTestEvent endpoint={endpoint} />
          </>
        )
      }
    >
      {!endpoint && <ErrorAlert error={error} />}
      {endpoint === undefined && !error && <Skeleton h={320} aria-label="Loading the endpoint" />}
      {endpoint === null && (
        <EmptyState icon={IconWebhookOff} title="Endpoint not found">
          It may have been deleted, or belong to another customer.
        </EmptyState>
      )}
      {endpoint && <EndpointContent endpoint={endpoint} />}
    </PageLayout>
  );
}

function EndpointContent({ endpoint }: { endpoint: Endpoint }) {
  const { canWrite } = useSession();
  const { disabledReason } = endpoint;
  return (
    <>
      {canWrite && <CreatedNotice endpoint={endpoint} />}
      {disabledReason && (
        <Alert color="orange" icon={<IconPlugConnectedX aria-hidden />} title={disabledTitle(disabledReason)}>
          {DISABLED_REASONS[disabledReason].advice} Events that occur while it is disabled are recorded as
          cancelled deliveries, which you can recover after enabling it.
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
          whenEmpty={
            canWrite ? 'Send a test event to create one.' : 'Deliveries appear here as events occur.'
          }
        />
      </Stack>
    </>
  );
}
