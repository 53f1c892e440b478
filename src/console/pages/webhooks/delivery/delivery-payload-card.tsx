import { Button, Card, Code, CopyButton, Group, ScrollArea, Text, Title } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { formatJson } from '../../../format.ts';
import type { DeliveryDetail } from './use-delivery.ts';

/** Request body of a delivery. Copies the exact bytes, because the signature covers them. */
export function DeliveryPayloadCard({ delivery: { payload, attempts } }: { delivery: DeliveryDetail }) {
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
        viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Formatted payload' }}
      >
        <Code block className="wrapped">
          {formatJson(payload)}
        </Code>
      </ScrollArea.Autosize>
      <Text size="xs" c="dimmed" mt="xs">
        Formatted for display.{' '}
        {attempts.length > 0
          ? 'Each attempt sends the same bytes, without line breaks.'
          : 'Not sent yet; an attempt would send it without line breaks.'}
      </Text>
    </Card>
  );
}
