import { Button, Group, Stack, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { MAX_ATTEMPTS } from '../delivery-queries.ts';
import { useEndpoint } from '../endpoint/use-endpoint.ts';
import type { Endpoint } from '../endpoints/use-endpoints.ts';
import { type DeliveryDetail, isAttemptInProgress } from './use-delivery.ts';

const RESEND = graphql(`
  mutation ResendDelivery($id: ID!) {
    resendWebhookDelivery(id: $id) {
      id
    }
  }
`);

const EFFECT = `Makes one more attempt now, in addition to the ${MAX_ATTEMPTS} scheduled ones. If it fails, the status and the schedule stay as they are.`;

/** Returns the reason why a delivery cannot be resent; null if it can. */
function resendBlocker(delivery: DeliveryDetail, endpoint: Endpoint | null | undefined): string | null {
  if (endpoint === null) return 'The endpoint is deleted.';
  if (endpoint?.enabled === false) return 'Enable the endpoint to resend this delivery.';
  if (isAttemptInProgress(delivery)) return 'An attempt is in progress.';
  return null;
}

/** Requests one more attempt, or shows why that is not possible. */
export function ResendDelivery({ delivery }: { delivery: DeliveryDetail }) {
  const { call } = useSession();
  const { data: endpoint } = useEndpoint(delivery.endpointId);
  // The subscription of the page reports the attempt.
  const resend = useServiceMutation(() => call(RESEND, { id: delivery.id }), {
    notify: () => ({
      color: 'teal',
      title: 'Resend requested',
      message: 'The result appears under Attempts.',
    }),
  });
  const blocker = resendBlocker(delivery, endpoint);
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Button
          leftSection={<IconRefresh size={16} aria-hidden />}
          disabled={blocker !== null || endpoint === undefined}
          loading={resend.isPending}
          onClick={() => resend.mutate()}
          aria-describedby="resend-effect"
        >
          Resend
        </Button>
        <Text size="sm" c="dimmed" id="resend-effect" flex="1 1 240px">
          {blocker ?? EFFECT}
        </Text>
      </Group>
      <ErrorAlert error={resend.error} />
    </Stack>
  );
}
