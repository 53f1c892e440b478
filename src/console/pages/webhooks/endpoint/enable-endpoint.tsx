import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Confirm } from '../../../components/confirm-dialog.tsx';
import { ErrorNote } from '../../../components/error-alert.tsx';
import { useUpdateEndpoint } from './use-update-endpoint.ts';

interface SwitchEndpointProps {
  id: number;
  enabled: boolean;
}

/** Switches an endpoint on; or off, after asking, since what waits is cancelled. */
export function SwitchEndpoint({ id, enabled }: SwitchEndpointProps) {
  const update = useUpdateEndpoint(id);
  const enable = useMutation({ mutationFn: () => update({ enabled: true }) });
  if (!enabled) {
    return (
      <Stack gap="xs">
        <Button onClick={() => enable.mutate()} loading={enable.isPending}>
          Enable
        </Button>
        <ErrorNote error={enable.error} />
      </Stack>
    );
  }
  return (
    <Confirm
      title="Disable the endpoint?"
      action="Disable"
      run={() => update({ enabled: false })}
      trigger={(open) => (
        <Button variant="default" onClick={open}>
          Disable
        </Button>
      )}
    >
      <Text size="sm">
        Nothing is sent to it any more, and what waits is cancelled. Events that happen meanwhile are recorded
        as cancelled; once it is enabled again they can be recovered.
      </Text>
    </Confirm>
  );
}
