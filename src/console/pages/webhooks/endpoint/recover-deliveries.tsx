import { Alert, Button, Group, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCircleCheck } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { MomentInput } from '../../../components/date-time-input.tsx';
import { ErrorNote } from '../../../components/error-alert.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';

const RECOVER = graphql(`
  mutation RecoverDeliveries($endpointId: Int!, $since: DateTime!) {
    recoverWebhookDeliveries(endpointId: $endpointId, since: $since) {
      queued
    }
  }
`);

const DAY_MS = 86_400_000;

const outcome = (queued: number): string => {
  if (queued === 0) return 'Nothing failed or was cancelled since then.';
  return queued === 1
    ? '1 delivery is queued to be sent again.'
    : `${queued} deliveries are queued to be sent again.`;
};

interface RecoverDeliveriesProps {
  endpointId: number;
  /** Nothing can be recovered while the endpoint is off. */
  enabled: boolean;
}

/** Sends again what failed or was cancelled since a time. */
export function RecoverDeliveries({ endpointId, enabled }: RecoverDeliveriesProps) {
  const { call } = useSession();
  const [opened, { open, close }] = useDisclosure(false);
  const [since, setSince] = useState<string | null>(null);
  const recover = useMutation({ mutationFn: (from: string) => call(RECOVER, { endpointId, since: from }) });
  const begin = (): void => {
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
      <Button variant="default" disabled={!enabled} onClick={begin}>
        Recover deliveries
      </Button>
      <Modal opened={opened} onClose={close} title="Recover missed deliveries" centered>
        <form onSubmit={submit}>
          <Stack>
            <MomentInput
              label="Since"
              description="Your local time, at most 30 days ago. All that failed or was cancelled from then until now is sent again, oldest first."
              value={since}
              onChange={setSince}
            />
            <ErrorNote error={recover.error} />
            {recover.data && (
              <Alert color="teal" icon={<IconCircleCheck aria-hidden />} role="status">
                {outcome(recover.data.recoverWebhookDeliveries.queued)}
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
      </Modal>
    </>
  );
}
