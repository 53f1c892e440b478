import { Alert, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCircleCheck } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { DateTimeInput } from '../../../components/date-time-input.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { DAY_MS, formatCount } from '../../../format.ts';
import { graphql } from '../../../generated/gql.ts';
import type { WebhookDeliveryStatus } from '../../../generated/graphql.ts';
import { useSession } from '../../../session/session.tsx';

const REPLAY = graphql(`
  mutation ReplayDeliveries(
    $endpointId: Int!
    $since: DateTime!
    $until: DateTime
    $status: WebhookDeliveryStatus
    $dryRun: Boolean!
  ) {
    replayWebhookDeliveries(
      endpointId: $endpointId
      since: $since
      until: $until
      status: $status
      dryRun: $dryRun
    ) {
      count
    }
  }
`);

const STATUSES = ['succeeded', 'failed', 'cancelled'] as const satisfies WebhookDeliveryStatus[];

interface ReplayDeliveriesProps {
  endpointId: number;
  /** The service rejects a replay while the endpoint is disabled. */
  enabled: boolean;
}

/** Counts the deliveries of a time range, and sends them again. */
export function ReplayDeliveries({ endpointId, enabled }: ReplayDeliveriesProps) {
  const { call } = useSession();
  const [opened, { open, close }] = useDisclosure(false);
  const [since, setSince] = useState<string | null>(null);
  const [until, setUntil] = useState<string | null>(null);
  const [status, setStatus] = useState<string | null>(null);
  const replay = useServiceMutation(async (dryRun: boolean) => {
    const selection = {
      endpointId,
      since: since ?? '',
      until,
      status: status as WebhookDeliveryStatus | null,
    };
    const { replayWebhookDeliveries } = await call(REPLAY, { ...selection, dryRun });
    return { ...replayWebhookDeliveries, dryRun };
  });
  const openDialog = (): void => {
    replay.reset();
    setSince(new Date(Date.now() - DAY_MS).toISOString());
    setUntil(new Date().toISOString());
    open();
  };
  /** Sets a condition: the count of another selection no longer holds. */
  const changing =
    <T,>(set: (value: T) => void) =>
    (value: T): void => {
      replay.reset();
      set(value);
    };
  const counted = replay.data?.dryRun ? replay.data.count : null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    replay.mutate(counted === null);
  };
  return (
    <>
      <Button variant="default" disabled={!enabled} onClick={openDialog}>
        Replay deliveries
      </Button>
      <Dialog opened={opened} onClose={close} title="Replay deliveries">
        <form onSubmit={submit}>
          <Stack>
            <Text size="sm">
              Deliveries of this time range start again with attempt 1, oldest first. The receiver gets those
              that it has accepted before once more.
            </Text>
            <DateTimeInput label="Since" value={since} onChange={changing(setSince)} />
            <DateTimeInput
              label="Until"
              description="At most 30 days after the start."
              value={until}
              onChange={changing(setUntil)}
            />
            <Select
              label="Status"
              placeholder="Any"
              clearable
              data={STATUSES}
              value={status}
              onChange={changing(setStatus)}
            />
            <ErrorAlert error={replay.error} />
            {replay.data && (
              <Alert color="teal" icon={<IconCircleCheck aria-hidden />} role="status">
                {formatCount(replay.data.count, 'delivery', 'deliveries')}{' '}
                {replay.data.dryRun ? 'found.' : 'queued for replay.'}
              </Alert>
            )}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Close
              </Button>
              <Button type="submit" loading={replay.isPending} disabled={since === null || counted === 0}>
                {counted === null ? 'Count' : 'Replay'}
              </Button>
            </Group>
          </Stack>
        </form>
      </Dialog>
    </>
  );
}
