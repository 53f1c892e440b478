import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCircleCheck } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { DateTimeInput } from '../../../components/date-time-input.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { DAY_MS, formatCount } from '../../../format.ts';

/** What a user selects in the dialog. */
export interface RangeSelection {
  /** Creation times of the deliveries. ISO 8601. */
  since: string;
  until: string | null;
  /** Null for any. */
  choice: string | null;
}

interface CountedDeliveries {
  count: number;
  /** What else the user should know about the selection. */
  note?: string | undefined;
}

interface RangeActionProps {
  /** Label of the button that opens the dialog, and its title. */
  title: string;
  /** Label of the button that executes the action. */
  action: string;
  disabled: boolean;
  explanation: string;
  /** Longest time range that the service accepts; absent without a limit. */
  maxDays?: number;
  /** Condition besides the time range. */
  choice?: { label: string; data: readonly string[] };
  /** Completes “5 deliveries …” after the action. */
  done: string;
  /** Counts the selected deliveries in a dry run, and otherwise executes the action. */
  execute: (selection: RangeSelection, dryRun: boolean) => Promise<CountedDeliveries>;
}

/** An action on the deliveries of a time range, which are counted first. */
export function RangeAction({
  title,
  action,
  disabled,
  explanation,
  maxDays,
  choice: condition,
  done,
  execute,
}: RangeActionProps) {
  const [opened, { open, close }] = useDisclosure(false);
  const [since, setSince] = useState<string | null>(null);
  const [until, setUntil] = useState<string | null>(null);
  const [choice, setChoice] = useState<string | null>(null);
  const run = useServiceMutation(async (dryRun: boolean) => ({
    ...(await execute({ since: since ?? '', until, choice }, dryRun)),
    dryRun,
  }));
  const openDialog = (): void => {
    run.reset();
    setSince(new Date(Date.now() - DAY_MS).toISOString());
    setUntil(new Date().toISOString());
    open();
  };
  /** Sets a condition: the count of another selection no longer holds. */
  const changing =
    <T,>(set: (value: T) => void) =>
    (value: T): void => {
      run.reset();
      set(value);
    };
  const counted = run.data?.dryRun ? run.data.count : null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    run.mutate(counted === null);
  };
  return (
    <>
      <Button variant="default" disabled={disabled} onClick={openDialog}>
        {title}
      </Button>
      <Dialog opened={opened} onClose={close} title={title}>
        <form onSubmit={submit}>
          <Stack>
            <Text size="sm">{explanation}</Text>
            <DateTimeInput label="Since" value={since} onChange={changing(setSince)} />
            <DateTimeInput
              label="Until"
              description={maxDays === undefined ? undefined : `At most ${maxDays} days after the start.`}
              value={until}
              onChange={changing(setUntil)}
            />
            {condition && (
              <Select
                label={condition.label}
                placeholder="Any"
                clearable
                data={condition.data}
                value={choice}
                onChange={changing(setChoice)}
              />
            )}
            <ErrorAlert error={run.error} />
            {run.data && (
              <Alert color="teal" icon={<IconCircleCheck aria-hidden />} role="status">
                {formatCount(run.data.count, 'delivery', 'deliveries')} {run.data.dryRun ? 'found.' : done}
                {run.data.note && ` ${run.data.note}`}
              </Alert>
            )}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Close
              </Button>
              <Button type="submit" loading={run.isPending} disabled={since === null || counted === 0}>
                {counted === null ? 'Count' : action}
              </Button>
            </Group>
          </Stack>
        </form>
      </Dialog>
    </>
  );
}
