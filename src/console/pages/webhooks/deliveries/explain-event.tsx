import { Alert, Button, Group, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconHelp, IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { queryKeys } from '../../../api/query-keys.ts';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { TextWithTimes } from '../../../components/text-with-times.tsx';
import { useSession } from '../../../session/session.tsx';
import { EXPLAIN } from './delivery-queries.ts';

interface ExplainEventProps {
  endpointId: number;
  /** Event that the dialog begins with. */
  eventId?: string;
}

/** Explains why an endpoint received an event, or did not. */
export function ExplainEvent({ endpointId, eventId = '' }: ExplainEventProps) {
  const { call, customerId } = useSession();
  const [opened, { open, close }] = useDisclosure(false);
  const [text, setText] = useState(eventId);
  const [asked, setAsked] = useState(eventId);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: queryKeys.explanation(customerId, endpointId, asked),
    queryFn: async () => (await call(EXPLAIN, { eventId: asked, endpointId })).explainDelivery,
    enabled: opened && asked !== '',
    staleTime: 0,
  });
  const submit = (submitted: FormEvent): void => {
    submitted.preventDefault();
    if (text === asked) void refetch();
    else setAsked(text);
  };
  return (
    <>
      <Button variant="default" leftSection={<IconHelp size={16} aria-hidden />} onClick={open}>
        Explain
      </Button>
      <Dialog opened={opened} onClose={close} title="Explain">
        <form onSubmit={submit}>
          <Stack>
            <TextInput
              label="Event ID"
              description="Shows why this endpoint received the event, or did not."
              value={text}
              maxLength={24}
              data-autofocus
              onChange={({ currentTarget }) => setText(currentTarget.value.trim())}
            />
            <ErrorAlert error={error} />
            {data && (
              <Alert
                icon={<IconInfoCircle aria-hidden />}
                title={data.reason.replaceAll('_', ' ')}
                role="status"
              >
                <TextWithTimes>{data.message}</TextWithTimes>
              </Alert>
            )}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Close
              </Button>
              <Button type="submit" loading={isFetching} disabled={text === ''}>
                Explain event
              </Button>
            </Group>
          </Stack>
        </form>
      </Dialog>
    </>
  );
}
