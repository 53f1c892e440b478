import { Code, CopyButton, Group, ScrollArea, Stack, Tabs, Text, UnstyledButton } from '@mantine/core';
import { VERIFICATION_SNIPPETS } from '../../../../features/webhooks/signature/verification-snippets.ts';

/** Code that verifies the signature of a delivery, by language. */
export function VerificationCode() {
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
