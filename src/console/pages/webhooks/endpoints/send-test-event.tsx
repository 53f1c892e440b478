import { Alert, Anchor, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCircleCheck, IconFlask } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';
import { useEventTypes } from '../use-event-types.ts';
import type { Endpoint } from './use-endpoints.ts';

const SEND = graphql(`
  mutation SendTestEvent($endpointId: Int!, $event: String!) {
    sendTestWebhook(endpointId: $endpointId, event: $event) {
      id
    }
  }
`);

/** Sends a sample event of a selected type and links to its delivery. */
export function SendTestEvent({ endpoint }: { endpoint: Endpoint }) {
  const { call } = useSession();
  const eventTypes = useEventTypes();
  const [opened, { open, close }] = useDisclosure(false);
  const [selected, setSelected] = useState<string | null>(null);
  const event = selected ?? endpoint.events?.[0] ?? eventTypes[0]?.name ?? null;
  const send = useServiceMutation((name: string) => call(SEND, { endpointId: endpoint.id, event: name }));
  const submit = (submitted: FormEvent): void => {
    submitted.preventDefault();
    if (event) send.mutate(event);
  };
  return (
    <>
      <Button
        leftSection={<IconFlask size={16} aria-hidden />}
        disabled={!endpoint.enabled}
        onClick={() => {
          send.reset();
          open();
        }}
      >
        Send test event
      </Button>
      <Dialog opened={opened} onClose={close} title="Send test event">
        <form onSubmit={submit}>
          <Stack>
            <Select
              label="Event"
              description="Sends a sample event with data.test set to true, even if the endpoint does not subscribe to this event type."
              data={eventTypes.map(({ name }) => name)}
              value={event}
              onChange={setSelected}
              allowDeselect={false}
            />
            <Text size="sm" c="dimmed">
              {eventTypes.find(({ name }) => name === event)?.description}
            </Text>
            <ErrorAlert error={send.error} />
            {send.data && (
              <Alert
                color="teal"
                icon={<IconCircleCheck aria-hidden />}
                title="Test event queued"
                role="status"
              >
                <Anchor
                  component={Link}
                  href={`/deliveries/${send.data.sendTestWebhook.id}`}
                  underline="always"
                >
                  View delivery
                </Anchor>
              </Alert>
            )}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Close
              </Button>
              <Button type="submit" loading={send.isPending} disabled={event === null}>
                {send.data ? 'Send another' : 'Send'}
              </Button>
            </Group>
          </Stack>
        </form>
      </Dialog>
    </>
  );
}
