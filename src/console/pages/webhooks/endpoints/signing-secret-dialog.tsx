import { Alert, Anchor, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { CopyValue } from '../../../components/copy-value.tsx';

interface SecretDialogProps {
  /** Null: nothing is shown. */
  secret: string | null;
  title: string;
  /** Forgets it. */
  close: () => void;
}

/** Shows a signing secret, once. It goes away on purpose only: not by a stray click or key. */
export function SecretDialog({ secret, title, close }: SecretDialogProps) {
  return (
    <Modal
      opened={secret !== null}
      onClose={close}
      title={title}
      size="lg"
      centered
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Alert color="orange" icon={<IconAlertTriangle aria-hidden />} title="Copy the secret now">
          It is shown this once and cannot be read again. If it gets lost, rotate it.
        </Alert>
        <CopyValue value={secret ?? ''} label="secret" />
        <Text size="sm" c="dimmed">
          Your receiver verifies each delivery with it: <code>X-SVC-Signature</code> is an HMAC-SHA256 over
          time and body. The{' '}
          <Anchor href="/api/v1/docs" inherit underline="always" target="_blank">
            documentation
          </Anchor>{' '}
          says how.
        </Text>
        <Group justify="flex-end">
          <Button onClick={close}>I have stored it</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
