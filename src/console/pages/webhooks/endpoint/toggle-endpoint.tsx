import { Button, Stack, Text } from '@mantine/core';
import { queryKeys } from '../../../api/query-keys.ts';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { useSession } from '../../../session.tsx';
import { UPDATE_ENDPOINT } from './use-endpoint.ts';

interface ToggleEndpointProps {
  id: number;
  enabled: boolean;
}

/** Enables an endpoint, or disables it after confirmation. */
export function ToggleEndpoint({ id, enabled }: ToggleEndpointProps) {
  const { call, customerId } = useSession();
  const toggle = useServiceMutation(() => call(UPDATE_ENDPOINT, { id, input: { enabled: !enabled } }), {
    invalidates: [queryKeys.endpoints(customerId)],
  });
  if (!enabled) {
    return (
      <Stack gap="xs">
        <Button onClick={() => toggle.mutate()} loading={toggle.isPending}>
          Enable
        </Button>
        <ErrorAlert error={toggle.error} />
      </Stack>
    );
  }
  return (
    <ConfirmDialog
      title="Disable this endpoint?"
      action="Disable"
      mutation={toggle}
      trigger={(open) => (
        <Button variant="default" onClick={open}>
          Disable
        </Button>
      )}
    >
      <Text size="sm">
        Its pending deliveries are cancelled, and no further events are delivered. Events that occur while it
        is disabled are recorded as cancelled deliveries, which you can recover after enabling it.
      </Text>
    </ConfirmDialog>
  );
}
