import { Alert, Group, Text } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useHistoryState } from 'wouter/use-browser-location';
import { CREATED_STATE } from '../endpoints/created-state.ts';
import type { Endpoint } from '../endpoints/use-endpoints.ts';
import { SendTestEvent } from './send-test-event.tsx';

/** The next step after the creation of an endpoint; absent on later visits. */
export function CreatedNotice({ endpoint }: { endpoint: Endpoint }) {
  if (useHistoryState() !== CREATED_STATE) return null;
  return (
    <Alert color="teal" icon={<IconCircleCheck aria-hidden />} title="Endpoint created">
      <Group justify="space-between" gap="sm">
        <Text size="sm" flex="1 1 260px">
          Next step: start your receiver and send it a test event. The delivery below shows its response.
        </Text>
        <SendTestEvent endpoint={endpoint} />
      </Group>
    </Alert>
  );
}
