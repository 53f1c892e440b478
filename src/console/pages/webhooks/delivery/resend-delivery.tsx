import { Button, Group, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { ErrorNote } from '../../../components/error-alert.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { useEndpoint } from '../endpoint/use-endpoint.ts';
import type { Endpoint } from '../endpoints/use-endpoints.ts';
import { type DeliveryDetail, isUnderWay } from './use-delivery.ts';

const RESEND = graphql(`
  mutation ResendDelivery($id: ID!) {
    resendWebhookDelivery(id: $id) {
      id
    }
  }
`);

/** Why a delivery cannot be resent now; null when it can. */
function obstacle(delivery: DeliveryDetail, endpoint: Endpoint | null | undefined): string | null {
  if (endpoint === null) return 'It cannot be resent: its endpoint is deleted.';
  if (endpoint?.enabled === false) return 'It cannot be resent while its endpoint is disabled.';
  if (isUnderWay(delivery)) return 'An attempt is under way.';
  return null;
}

/** Makes one more attempt at once, where that is possible; says why where it is not. */
export function ResendDelivery({ delivery }: { delivery: DeliveryDetail }) {
  const { call } = useSession();
  const { data: endpoint } = useEndpoint(delivery.endpointId);
  const resend = useMutation({
    mutationFn: () => call(RESEND, { id: delivery.id }),
    onSuccess: () =>
      notifications.show({
        color: 'teal',
        title: 'One more attempt is being made',
        message: 'What comes of it appears among the attempts.',
      }),
  });
  const reason = obstacle(delivery, endpoint);
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Button
          leftSection={<IconRefresh size={16} aria-hidden />}
          disabled={reason !== null || endpoint === undefined}
          loading={resend.isPending}
          onClick={() => resend.mutate()}
          aria-describedby={reason ? 'resend-obstacle' : undefined}
        >
          Resend
        </Button>
        {reason && (
          <Text size="sm" c="dimmed" id="resend-obstacle">
            {reason}
          </Text>
        )}
      </Group>
      <ErrorNote error={resend.error} />
    </Stack>
  );
}
