import { Alert, Button, Group, Radio, Stack } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { messagesByPath } from '../../../api/error-messages.ts';
import { DateTimeInput } from '../../../components/date-time-input.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { TimeRangeEstimate } from './time-range-estimate.tsx';
import { useSyncActions } from './use-sync-actions.ts';

type Choice = 'range' | 'full';

const CHOICES: readonly { value: Choice; label: string; description: string }[] = [
  { value: 'range', label: 'Time range', description: 'Meetings that were created in a time range.' },
  { value: 'full', label: 'All meetings', description: 'A full resync: reads every meeting again.' },
];

/** Starts a sync of a chosen time range, or of all meetings. */
export function SyncRangeForm({ close }: { close: () => void }) {
  const [choice, setChoice] = useState<Choice>('range');
  const [since, setSince] = useState<string | null>(null);
  const [until, setUntil] = useState<string | null>(null);
  const { startRange: start } = useSyncActions();
  const messages = messagesByPath(start.error);
  const hasFieldError = 'since' in messages || 'until' in messages;

  /** Changes a value and clears the messages about the previous one. */
  const change =
    <T,>(set: (value: T) => void) =>
    (value: T): void => {
      start.reset();
      set(value);
    };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    start.mutate(choice === 'full' ? { fullResync: true } : { since, until }, { onSuccess: close });
  };

  return (
    <form onSubmit={submit}>
      <Stack>
        <Radio.Group label="Meetings" value={choice} onChange={change((value) => setChoice(value as Choice))}>
          <Stack gap="xs" mt="xs">
            {CHOICES.map((option) => (
              <Radio key={option.value} {...option} />
            ))}
          </Stack>
        </Radio.Group>
        {choice === 'range' ? (
          <>
            <DateTimeInput
              label="From"
              description="At most 10 years ago."
              value={since}
              onChange={change(setSince)}
              error={messages.since}
              required
            />
            <DateTimeInput
              label="To"
              description="Leave empty for all meetings since then."
              value={until}
              onChange={change(setUntil)}
              error={messages.until}
            />
            {since && <TimeRangeEstimate since={since} until={until} />}
          </>
        ) : (
          <Alert
            color="orange"
            icon={<IconAlertTriangle aria-hidden />}
            title="A full resync can run for hours"
          >
            It reads the whole history at the provider's rate limit, and no other sync starts until it ends or
            is cancelled. Stored meetings are updated, not duplicated. The length of the history is unknown,
            so there is no estimate; the progress shows the speed.
          </Alert>
        )}
        <ErrorAlert error={hasFieldError ? null : start.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={start.isPending} disabled={choice === 'range' && since === null}>
            Start sync
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
