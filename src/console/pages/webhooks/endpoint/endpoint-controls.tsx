import { Card, Divider, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Endpoint } from '../endpoints/use-endpoints.ts';
import { DeleteEndpoint } from './delete-endpoint.tsx';
import { RecoverDeliveries } from './recover-deliveries.tsx';
import { RotateSecret } from './rotate-secret.tsx';
import { ToggleEndpoint } from './toggle-endpoint.tsx';

const ControlRow = ({ text, children }: { text: string; children: ReactNode }) => (
  <Group justify="space-between" gap="sm">
    <Text size="sm" c="dimmed" flex="1 1 200px">
      {text}
    </Text>
    {children}
  </Group>
);

/** Management actions of an endpoint; requires write scope. */
export function EndpointControls({ endpoint }: { endpoint: Endpoint }) {
  const { id, enabled } = endpoint;
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        Manage
      </Title>
      <Stack gap="sm">
        <ControlRow
          text={
            enabled
              ? 'Events are delivered as they occur.'
              : 'No events are delivered while the endpoint is disabled.'
          }
        >
          <ToggleEndpoint id={id} enabled={enabled} />
        </ControlRow>
        <Divider />
        <ControlRow
          text={
            enabled
              ? 'Starts failed and cancelled deliveries again, each with all of its attempts. To attempt a single delivery, resend it on its page.'
              : 'Enable the endpoint to recover missed deliveries.'
          }
        >
          <RecoverDeliveries endpointId={id} enabled={enabled} />
        </ControlRow>
        <Divider />
        <ControlRow text="Replaces the secret that signs deliveries.">
          <RotateSecret id={id} />
        </ControlRow>
        <Divider />
        <ControlRow text="This cannot be undone.">
          <DeleteEndpoint endpoint={endpoint} />
        </ControlRow>
      </Stack>
    </Card>
  );
}
