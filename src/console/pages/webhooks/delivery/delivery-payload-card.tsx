import { Button, Card, Code, CopyButton, Group, ScrollArea, Text, Title } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

/** JSON laid out to be read; what is none stays as it is. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** What is sent. It is shown laid out, and copied as it is, since the signature is over the exact bytes. */
export function PayloadCard({ payload }: { payload: string }) {
  return (
    <Card withBorder>
      <Group justify="space-between" mb="md">
        <Title order={2} size="h4">
          Payload
        </Title>
        <CopyButton value={payload}>
          {({ copied, copy }) => (
            <Button
              size="xs"
              variant="default"
              leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
              onClick={copy}
            >
              {copied ? 'Copied' : 'Copy exact body'}
            </Button>
          )}
        </CopyButton>
      </Group>
      <ScrollArea.Autosize
        mah={520}
        viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Payload, laid out' }}
      >
        <Code block className="wrapped">
          {pretty(payload)}
        </Code>
      </ScrollArea.Autosize>
      <Text size="xs" c="dimmed" mt="xs">
        Laid out for reading. The body is sent in one line, the same bytes at each attempt.
      </Text>
    </Card>
  );
}
