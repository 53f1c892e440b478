import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Dialog } from '../../../components/dialog.tsx';
import { ProviderKeyForm } from './provider-key-form.tsx';

export function ReplaceProviderKey({ highlighted }: { highlighted: boolean }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant={highlighted ? 'filled' : 'default'} onClick={open}>
        Replace key
      </Button>
      <Dialog opened={opened} onClose={close} title="Replace provider key">
        <Stack>
          <Text size="sm">
            A running or paused sync with the old key is cancelled. If the provider rejects the new key, the
            old key stays in place.
          </Text>
          <ProviderKeyForm action="Replace" onConnected={close}>
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
          </ProviderKeyForm>
        </Stack>
      </Dialog>
    </>
  );
}
