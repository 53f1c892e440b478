import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCircleCheck } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { MAX_ATTEMPTS } from '../../../../shared/delivery-attempts.ts';
import { useServiceMutation } from '../../../api/use-service-mutation.ts';
import { DateTimeInput } from '../../../components/date-time-input.tsx';
import { Dialog } from '../../../components/dialog.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { DAY_MS, formatCount } from '../../../format.ts';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';

const RECOVER = graphql(`
  mutation RecoverDeliveries($endpointId: Int!, $since: DateTime!) {
    recoverWebhookDeliveries(endpointId: $endpointId, since: $since) {
      queued
    }
  }
`);

const resultText = (queued: number): string =>
  queued === 0
    ? 'No failed or cancelled deliveries since then.'
    : `${formatCount(queued, 'delivery', 'deliveries')} queued for recovery.`;

interface RecoverDeliveriesProps {
  endpointId: number;
  /** The service rejects a recovery while the endpoint is disabled. */
  enabled: boolean;
}

/** Requeues the endpoint's failed and cancelled deliveries since a time. */
export function RecoverDeliveries({ endpointId, enabled }: RecoverDeliveriesProps) {
  const { call } = useSession();
  const [opened, { open, close }] = useDisclosure(false);
  const [since, setSince] = useState<string | null>(null);
  const recover = useServiceMutation((from: string) => call(RECOVER, { endpointId, since: from }));
  const openDialog = (): void => {
    recover.reset();
    setSince(new Date(Date.now() - DAY_MS).toISOString());
    open();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (since) recover.mutate(since);
  };
  return (
    <>
      <Button variant="default" disabled={!enabled} onClick={openDialog}>
        Recover deliveries
      </Button>
      <Dialog opened={opened} onClose={close} title="Recover deliveries">
        <form onSubmit={submit}>
          <Stack>
            <Text size="sm">
              Deliveries that failed or were cancelled since this time start again with attempt 1 of{' '}
              {MAX_ATTEMPTS}, oldest first. Succeeded deliveries are not repeated.
            </Text>
            <DateTimeInput
              label="Since"
              description="At most 30 days ago."
              value={since}
              onChange={setSince}
            />
            <ErrorAlert error={recover.error} />
            {recover.data && (
              <Alert color="teal" icon={<IconCircleCheck aria-hidden />} role="status">
                {resultText(recover.data.recoverWebhookDeliveries.queued)}
              </Alert>
            )}
            <Group justify="flex-end">
              <Button variant="default" onClick={close}>
                Close
              </Button>
              <Button type="submit" loading={recover.isPending} disabled={since === null}>
                Recover
              </Button>
            </Group>
          </Stack>
        </form>
      </Dialog>
    </>
  );
}
