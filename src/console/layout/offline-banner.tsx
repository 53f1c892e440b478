import { Alert, Button, Group, Text } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useState } from 'react';
import { checkConnection, lastResponseTime, useConnected } from '../api/connection.ts';
import { useTimeFormat } from '../time-format.ts';

/** Shown on every page while the service is unreachable. */
export function OfflineBanner() {
  const connected = useConnected();
  const { formatExactTime } = useTimeFormat();
  const [checking, setChecking] = useState(false);
  if (connected) return null;
  const since = lastResponseTime();
  const retry = async (): Promise<void> => {
    setChecking(true);
    await checkConnection();
    setChecking(false);
  };
  return (
    <Alert
      color="red"
      icon={<IconPlugConnectedX aria-hidden />}
      title="The service is unreachable"
      role="alert"
      mb="lg"
      pos="sticky"
      top="calc(var(--app-shell-header-height) + 8px)"
      style={{ zIndex: 1 }}
    >
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex="1 1 240px">
          {since === null
            ? 'The console reconnects automatically.'
            : `Values in gray are from ${formatExactTime(since)} or earlier. The console reconnects automatically.`}
        </Text>
        <Button variant="default" size="xs" onClick={retry} loading={checking}>
          Retry
        </Button>
      </Group>
    </Alert>
  );
}
