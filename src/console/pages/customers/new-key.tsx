import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { CopyValue } from '../../components/copy-value.tsx';

/** A new API key, which is shown once. */
export function NewKey({ value, close }: { value: string; close: () => void }) {
  const content = useRef<HTMLDivElement>(null);
  // The button that had the focus is gone.
  useEffect(() => content.current?.focus(), []);
  return (
    <Stack ref={content} tabIndex={-1}>
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
