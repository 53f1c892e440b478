import { Alert, Anchor, Button, Group, JsonInput, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCircleCheck, IconClock, IconFlask, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { CUSTOM_EVENT, isCustomType } from '../../../../shared/custom-events.ts';
import { messagesByPath } from '../../../api/error-messages.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';
import { AttemptTimeline } from '../deliveries/attempt-timeline.tsx';
import { describeStatus } from '../deliveries/delivery-status.ts';
import { useDelivery } from '../deliveries/use-delivery.ts';
import { useEventNames, useEventTypes } from '../use-event-types.ts';
import { parseJsonObject } from './json-object.ts';
import type { Endpoint } from './use-endpoints.ts';

const SEND = graphql(`
  mutation SendTestEvent($endpointId: Int!, $event: String!, $data: JSON) {
    sendTestWebhook(endpointId: $endpointId, event: $event, data: $data) {
      id
    }
  }
`);

const EXAMPLES = graphql(`
  query EventExamples {
    eventTypes {
      name
      example
    }
  }
`);

/** Loads the examples of `data` by event type, without the keys that the service sets. */
function useEventExamples({ enabled }: { enabled: boolean }) {
  const { call } = useSession();
  const { data } = useQuery({
    queryKey: queryKeys.eventExamples,
    queryFn: () => call(EXAMPLES),
    staleTime: Number.POSITIVE_INFINITY,
    enabled,
  });
  return new Map(
    data?.eventTypes.map(({ name, example: { customerId: _customerId, orgId: _orgId, ...own } }) => [
      name,
      JSON.stringify(own, null, 2),
    ]),
  );
}

/** Sends a sample event of a selected type, with editable data, and shows the response. */
export function SendTestEvent({ endpoint }: { endpoint: Endpoint }) {
  const { call } = useSession();
  const eventTypes = useEventTypes();
  const eventNames = useEventNames();
  const [opened, { open, close }] = useDisclosure(false);
  const examples = useEventExamples({ enabled: opened });
  const [selected, setSelected] = useState<string | null>(null);
  const [edited, setEdited] = useState<string | null>(null);
  const event = selected ?? endpoint.events?.[0] ?? eventTypes[0]?.name ?? null;
  const isCustom = event !== null && isCustomType(event);
  const text = edited ?? examples.get(isCustom ? CUSTOM_EVENT : (event ?? '')) ?? '';
  const data = parseJsonObject(text);
  const send = useServiceMutation((name: string) =>
    call(SEND, { endpointId: endpoint.id, event: name, data }),
  );
  const problems = Object.entries(messagesByPath(send.error)).filter(([path]) => path.startsWith('data'));
  const submit = (submitted: FormEvent): void => {
    submitted.preventDefault();
    if (event && data !== undefined) send.mutate(event);
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
      <Dialog opened={opened} onClose={close} title="Send test event" size="lg">
        <form onSubmit={submit}>
          <Stack>
            <Select
              label="Event"
              description="Sends a sample event, even if the endpoint does not subscribe to this event type or its filter leaves it out."
              data={eventNames}
              value={event}
              onChange={(name) => {
                setSelected(name);
                setEdited(null);
                send.reset();
              }}
              allowDeselect={false}
            />
            <Text size="sm" c="dimmed">
              {isCustom
                ? 'A custom event. The service sets its type.'
                : eventTypes.find(({ name }) => name === event)?.description}
            </Text>
            <JsonInput
              label="Data"
              description="The service adds customerId, orgId and test: true."
              autosize
              minRows={4}
              maxRows={14}
              classNames={{ input: 'mono' }}
              value={text}
              onChange={setEdited}
              error={
                data === undefined
                  ? 'Must be a JSON object.'
                  : problems.length > 0 && problems.map(([path, message]) => `${path}: ${message}`).join(' ')
              }
            />
            {problems.length === 0 && <ErrorAlert error={send.error} />}
            {send.data && <TestResult key={send.data.sendTestWebhook.id} id={send.data.sendTestWebhook.id} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Close
              </Button>
              <Button
                type="submit"
                loading={send.isPending}
                disabled={event === null || text === '' || data === undefined}
              >
                {send.data ? 'Send another' : 'Send'}
              </Button>
            </Group>
          </Stack>
        </form>
      </Dialog>
    </>
  );
}

const ICON = { 'aria-hidden': true } as const;

/** Delivery of a test event with the response of the receiver, updated as attempts end. */
function TestResult({ id }: { id: string }) {
  const { delivery, error } = useDelivery(id);
  if (!delivery) return <ErrorAlert error={error} />;
  const { status, attempts } = delivery;
  const hasFailed = attempts.at(-1)?.error != null;
  const [color, icon] =
    status === 'succeeded'
      ? ['teal', <IconCircleCheck key="icon" {...ICON} />]
      : hasFailed
        ? ['red', <IconX key="icon" {...ICON} />]
        : ['gray', <IconClock key="icon" {...ICON} />];
  return (
    <Alert color={color} icon={icon} title={`Test event ${status}`} role="status">
      <Stack gap="sm">
        <Text size="sm">{describeStatus(delivery)}</Text>
        <AttemptTimeline delivery={delivery} />
        <Anchor component={Link} href={`/deliveries/${id}`} size="sm" underline="always">
          View delivery
        </Anchor>
      </Stack>
    </Alert>
  );
}
