import { Card, Divider, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Endpoint } from '../endpoints/use-endpoints.ts';
import { DeleteEndpoint } from './delete-endpoint.tsx';
import { SwitchEndpoint } from './enable-endpoint.tsx';
import { RecoverDeliveries } from './recover-deliveries.tsx';
import { RotateSecret } from './rotate-secret.tsx';

const Control = ({ text, children }: { text: string; children: ReactNode }) => (
  <Group justify="space-between" gap="sm">
    <Text size="sm" c="dimmed" flex="1 1 200px">
      {text}
    </Text>
    {children}
  </Group>
);

/** What can be done with an endpoint, and what it means; for keys that may. */
export function EndpointControls({ endpoint }: { endpoint: Endpoint }) {
  const { id, enabled } = endpoint;
  return (
    <Card withBorder>
      <Title order={2} size="h4" mb="md">
        Manage
      </Title>
      <Stack gap="sm">
        <Control text={enabled ? 'Events are sent as they happen.' : 'Nothing is sent while it is disabled.'}>
          <SwitchEndpoint id={id} enabled={enabled} />
        </Control>
        <Divider />
        <Control
          text={
            enabled
              ? 'Sends again what failed or was cancelled.'
              : 'What was missed can be sent once it is enabled.'
          }
        >
          <RecoverDeliveries endpointId={id} enabled={enabled} />
        </Control>
        <Divider />
        <Control text="Signs deliveries, so that the receiver can tell them from forged ones.">
          <RotateSecret id={id} />
        </Control>
        <Divider />
        <Control text="Cannot be taken back.">
          <DeleteEndpoint endpoint={endpoint} />
        </Control>
      </Stack>
    </Card>
  );
}
