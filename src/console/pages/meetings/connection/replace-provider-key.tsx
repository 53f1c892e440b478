import { Button, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ConnectForm } from './provider-key-form.tsx';

/** Connects with another key. */
export function ReplaceKey({ urgent }: { urgent: boolean }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant={urgent ? 'filled' : 'default'} onClick={open}>
        Replace the key
      </Button>
      <Modal opened={opened} onClose={close} title="Replace the provider key" centered>
        <Stack>
          <Text size="sm">
            The new key is used from then on; a sync that is running with the old one is cancelled. When the
            provider does not accept the new key, nothing changes.
          </Text>
          <ConnectForm action="Replace it" onConnected={close}>
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
          </ConnectForm>
        </Stack>
      </Modal>
    </>
  );
}
