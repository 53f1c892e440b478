import {
  Alert,
  Anchor,
  Button,
  Code,
  CopyButton,
  Group,
  ScrollArea,
  Stack,
  Tabs,
  Text,
  UnstyledButton,
} from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { VERIFICATION_SNIPPETS } from '../../../../shared/verification-snippets.ts';
import { CopyValue } from '../../../components/copy-value.tsx';
import { Dialog } from '../../../components/dialog.tsx';

interface SigningSecretDialogProps {
  /** Null hides the dialog. */
  secret: string | null;
  /** Null or undefined for an endpoint without a key pair. */
  publicKey: string | null | undefined;
  title: string;
  /** Must discard the secret. */
  close: () => void;
}

/** Shows a signing secret once. Only its button closes it, so that a stray click does not lose the secret. */
export function SigningSecretDialog({ secret, publicKey, title, close }: SigningSecretDialogProps) {
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
        {publicKey && (
          <Stack gap={4}>
            <Text size="sm">
              The public key verifies <code>webhook-signature</code>. It stays visible on the page of the
              endpoint.
            </Text>
            <CopyValue value={publicKey} label="public key" />
          </Stack>
        )}
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

/** Code that verifies the signature of a delivery, by language. */
function VerificationCode() {
  return (
    <Stack gap="xs">
      <Text size="sm">
        Verify each delivery with the secret before you act on it. The header <code>X-SVC-Signature</code>{' '}
        contains an HMAC-SHA256 of the timestamp and the raw body.
      </Text>
      <Tabs defaultValue={VERIFICATION_SNIPPETS[0]?.language}>
        <Tabs.List aria-label="Verification code">
          {VERIFICATION_SNIPPETS.map(({ name, language }) => (
            <Tabs.Tab key={language} value={language}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {VERIFICATION_SNIPPETS.map(({ name, language, code }) => (
          <Tabs.Panel key={language} value={language} pt="xs">
            <ScrollArea.Autosize
              mah={240}
              viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': `Code: ${name}` }}
            >
              <Code block>{code}</Code>
            </ScrollArea.Autosize>
            <Group justify="flex-end" mt={4}>
              <CopyButton value={code}>
                {({ copied, copy }) => (
                  <UnstyledButton onClick={copy} fz="sm" td="underline">
                    {copied ? 'Copied' : 'Copy code'}
                  </UnstyledButton>
                )}
              </CopyButton>
            </Group>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}
