import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import { messagesByPath } from '../../../api/error-messages.ts';
import { queryKeys } from '../../../api/query-keys.ts';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { DateTimeInput } from '../../../components/date-time-input.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';

const SEEK = graphql(`
  mutation SeekEventFeed($name: String!, $to: String!) {
    seekEventFeed(name: $name, to: $to) {
      name
    }
  }
`);

const POSITIONS = [
  { value: 'beginning', label: 'Beginning', description: 'Before the oldest stored event.' },
  { value: 'end', label: 'End', description: 'After the newest event: all others are skipped.' },
  { value: 'time', label: 'Time', description: 'Before the first event from then on.' },
];

/** Button and dialog that set the position of an event feed. */
export function SeekFeed({ name }: { name: string }) {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button size="compact-sm" variant="default" aria-label={`Seek ${name}`} onClick={open}>
        Seek
      </Button>
      {opened && (
        <Dialog opened onClose={close} title={`Set the position of ${name}`}>
          <SeekForm name={name} close={close} />
        </Dialog>
      )}
    </>
  );
}

function SeekForm({ name, close }: { name: string; close: () => void }) {
  const { call, customerId } = useSession();
  const [position, setPosition] = useState('beginning');
  const [time, setTime] = useState<string | null>(null);
  const seek = useServiceMutation((to: string) => call(SEEK, { name, to }), {
    invalidates: [queryKeys.eventFeeds(customerId)],
    notify: () => ({ message: `Position set: ${name}.`, color: 'teal' }),
  });
  const to = position === 'time' ? time : position;
  const messages = messagesByPath(seek.error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (to !== null) seek.mutate(to, { onSuccess: close });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">
          The next pull begins there. Stop the consumer first: while it holds the feed, its position cannot be
          set.
        </Text>
        <Radio.Group label="Position" value={position} onChange={setPosition}>
          <Stack gap="xs" mt="xs">
            {POSITIONS.map((option) => (
              <Radio key={option.value} {...option} />
            ))}
          </Stack>
        </Radio.Group>
        {position === 'time' && (
          <DateTimeInput label="From" value={time} onChange={setTime} error={messages.to} required />
        )}
        <ErrorAlert error={messages.to ? null : seek.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={seek.isPending} disabled={to === null}>
            Set position
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
