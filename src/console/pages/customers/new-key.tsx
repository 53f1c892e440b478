import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { CopyValue } from '../../components/copy-value.tsx';

/** A new API key, which is shown once. */
export function NewKey({ value, close }: { value: string; close: () => void }) {
  return (
    <Stack>
      <Alert color="yellow" icon={<IconEyeOff aria-hidden />} title="Copy the key now">
        The key is shown only once and cannot be retrieved later.
      </Alert>
      <CopyValue value={value} label="API key" />
      <Text size="sm" c="dimmed">
        Send it with each request as <code>Authorization: Bearer …</code>.
      </Text>
      <Group justify="flex-end">
        <Button onClick={close}>Done</Button>
      </Group>
    </Stack>
  );
}
