import { Alert, Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { messagesByPath } from '../../../api/error-messages.ts';
import { DateTimeInput } from '../../../components/date-time-input.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { DateTime } from '../../../components/time.tsx';
import { formatCount, formatDuration, millisecondsBetween } from '../../../format.ts';
import type { SyncRun } from '../use-recorder.ts';
import { useSyncActions } from './use-sync-actions.ts';
import { useNewestSyncRuns } from './use-sync-runs.ts';

/** Button that opens the form for a sync of a time range. */
export function SyncRangeDialog() {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={open}>
        Sync time range
      </Button>
      <Dialog opened={opened} onClose={close} title="Sync time range">
        <SyncRangeForm close={close} />
      </Dialog>
    </>
  );
}

type Choice = 'range' | 'full';

const CHOICES: readonly { value: Choice; label: string; description: string }[] = [
  { value: 'range', label: 'Time range', description: 'Meetings that were created in a time range.' },
  { value: 'full', label: 'All meetings', description: 'A full resync: reads every meeting again.' },
];

/** Starts a sync of a chosen time range, or of all meetings. */
function SyncRangeForm({ close }: { close: () => void }) {
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

/** Returns the sync to estimate from: the one of a time range that succeeded and read the most meetings. */
const findReference = (runs: readonly SyncRun[]): SyncRun | undefined =>
  runs
    .filter(({ status, scope, fetched }) => status === 'succeeded' && scope !== 'full' && fetched > 0)
    .toSorted((a, b) => b.fetched - a.fetched)[0];

interface TimeRangeEstimateProps {
  since: string;
  /** Null: now. */
  until: string | null;
}

/** Expected meetings and duration of the sync of a time range, from the meetings per day of an earlier sync. */
function TimeRangeEstimate({ since, until }: TimeRangeEstimateProps) {
  const runs = useNewestSyncRuns();
  const rangeMs = millisecondsBetween(since, until ?? new Date().toISOString());
  if (!runs || rangeMs <= 0) return null;
  const reference = findReference(runs);
  if (!reference?.finishedAt) return <Text size="sm">No estimate: no sync has read meetings yet.</Text>;
  const { fetched, startedAt, finishedAt } = reference;
  const meetingCount =
    (fetched * rangeMs) / millisecondsBetween(reference.since, reference.until ?? startedAt);
  const durationMs = (meetingCount * millisecondsBetween(startedAt, finishedAt)) / fetched;
  return (
    <Text size="sm">
      Estimate: about {formatCount(Math.round(meetingCount), 'meeting')} in {formatDuration(durationMs)}, from
      the sync of <DateTime at={startedAt} format="formatDate" />.
    </Text>
  );
}
