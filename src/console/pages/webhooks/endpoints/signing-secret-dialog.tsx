import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { CopyValue } from '../../../components/copy-value.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { VerificationCode } from './verification-code.tsx';

interface SigningSecretDialogProps {
  /** Null hides the dialog. */
  secret: string | null;
  title: string;
  /** Must discard the secret. */
  close: () => void;
}

/** Shows a signing secret once. Only its button closes it, so that a stray click does not lose the secret. */
export function SigningSecretDialog({ secret, title, close }: SigningSecretDialogProps) {
  return (
    <Dialog
      opened={secret !== null}
      onClose={close}
      title={title}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      <Stack>
        <Alert color="orange" icon={<IconAlertTriangle aria-hidden />} title="Copy the secret now">
          The secret is shown only once and cannot be retrieved later. If you lose it, rotate it.
        </Alert>
        <CopyValue value={secret ?? ''} label="secret" />
        <VerificationCode />
        <Text size="sm" c="dimmed">
          All headers and event types are in the{' '}
          <Anchor href="/api/v1/docs" inherit underline="always" target="_blank">
            REST documentation
          </Anchor>
          .
        </Text>
        <Group justify="flex-end">
          <Button onClick={close}>I have saved the secret</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
