import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { useUpdateEndpoint } from './use-update-endpoint.ts';

interface ToggleEndpointProps {
  id: number;
  enabled: boolean;
}

/** Enables an endpoint, or disables it after confirmation. */
export function ToggleEndpoint({ id, enabled }: ToggleEndpointProps) {
  const update = useUpdateEndpoint(id);
  const enable = useMutation({ mutationFn: () => update({ enabled: true }) });
  if (!enabled) {
    return (
      <Stack gap="xs">
        <Button onClick={() => enable.mutate()} loading={enable.isPending}>
          Enable
        </Button>
        <ErrorAlert error={enable.error} />
      </Stack>
    );
  }
  return (
    <ConfirmDialog
      title="Disable this endpoint?"
      action="Disable"
      run={() => update({ enabled: false })}
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
