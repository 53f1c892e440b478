import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { queryKeys } from '../../api/query-keys.ts';
import { useServiceMutation } from '../../api/use-service-mutation.ts';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { formatNumber } from '../../format.ts';
import { graphql } from '../../generated/gql.ts';
import type { TenantDeletionQuery } from '../../generated/graphql.ts';
import { useSession } from '../../session/session.tsx';

const DELETE = graphql(`
  mutation DeleteTenant($customerId: Int!, $input: DeleteTenantInput!) {
    deleteTenant(customerId: $customerId, input: $input) {
      id
    }
  }
`);

const DELETION = graphql(`
  query TenantDeletion($customerId: Int!) {
    tenantDeletion(customerId: $customerId) {
      status
      dryRun
      error
      counts {
        collection
        count
      }
    }
  }
`);

const POLL_MS = 1_000;

export interface DeletedCustomer {
  customerId: number;
  orgId: string;
  name: string;
  deletionStartedAt: string | null;
}

interface DeleteCustomerDialogProps {
  customer: DeletedCustomer;
  close: () => void;
}

/** Deletes a customer after confirmation, and shows the progress of the deletion until its receipt. */
export function DeleteCustomerDialog({ customer, close }: DeleteCustomerDialogProps) {
  const { callFor, customerId: activeCustomerId } = useSession();
  const call = callFor(null);
  const queries = useQueryClient();
  const { customerId, orgId, name } = customer;
  const start = useServiceMutation(
    (finishes: boolean) =>
      call(DELETE, { customerId, input: { orgId, deliveries: finishes ? 'finish' : 'cancel' } }),
    {
      invalidates: [queryKeys.customers, queryKeys.customerDeletion(customerId)],
      onSuccess: () => setStarted(true),
    },
  );
  const [isStarted, setStarted] = useState(customer.deletionStartedAt !== null);
  const isActive = customerId === activeCustomerId;
  const preview = useQuery({
    queryKey: queryKeys.customerDeletionPreview(customerId),
    queryFn: () => call(DELETE, { customerId, input: { orgId, dryRun: true } }),
    enabled: !isStarted && !isActive,
    // Counted once: it is a job of the service.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const { data: deletion, error } = useQuery({
    queryKey: queryKeys.customerDeletion(customerId),
    queryFn: async () => (await call(DELETION, { customerId })).tenantDeletion,
    enabled: isStarted || preview.isSuccess,
    // The first answers after the start may be of the preview.
    refetchInterval: ({ state: { data } }) =>
      data && data.status !== 'running' && data.dryRun !== isStarted ? false : POLL_MS,
    gcTime: 0,
  });
  // Another administrator has begun it, or the answer to the own request was lost.
  if (!isStarted && deletion?.dryRun === false) setStarted(true);
  const isRemoved = deletion?.dryRun === false && deletion.status === 'completed';
  useEffect(() => {
    if (isRemoved) void queries.invalidateQueries({ queryKey: queryKeys.customers });
  }, [isRemoved, queries]);

  return (
    <Dialog opened onClose={close} title={isStarted ? `Deletion of ${name}` : 'Delete this customer?'}>
      <Stack>
        <ErrorAlert error={isStarted ? error : (preview.error ?? error)} />
        {isStarted ? (
          <Progress deletion={deletion?.dryRun === false ? deletion : null} restart={start} close={close} />
        ) : isActive ? (
          <ActiveCustomer close={close} />
        ) : (
          <Confirmation customer={customer} preview={deletion ?? null} start={start} close={close} />
        )}
      </Stack>
    </Dialog>
  );
}

type Deletion = TenantDeletionQuery['tenantDeletion'];

const countsText = ({ counts }: Deletion): string =>
  counts.length === 0
    ? 'Nothing.'
    : counts.map(({ collection, count }) => `${collection}: ${formatNumber(count)}`).join(', ');

interface Start {
  mutate: (finishesDeliveries: boolean) => void;
  isPending: boolean;
  error: unknown;
}

interface ConfirmationProps extends DeleteCustomerDialogProps {
  /** What would be removed; null until it is counted. */
  preview: Deletion | null;
  start: Start;
}

function Confirmation({ customer, preview, start, close }: ConfirmationProps) {
  const { customerId, orgId, name } = customer;
  const [typedId, setTypedId] = useState('');
  const [finishes, setFinishes] = useState(false);
  const isConfirmed = typedId.trim() === String(customerId);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isConfirmed) start.mutate(finishes);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm" className="breakable">
          Everything of {name} ({orgId}) is removed: API keys, endpoints, conversations, events, deliveries
          and meetings. Receipts of erasures and the audit log stay. This cannot be undone, and the customer
          ID is not used again.
        </Text>
        <div role="status">
          <Text size="sm" fw={550}>
            Would be removed, in documents
          </Text>
          <Text size="sm" className="breakable">
            {preview && preview.status !== 'running' ? (preview.error ?? countsText(preview)) : 'Counting…'}
          </Text>
        </div>
        <Checkbox
          label="Finish deliveries that are on their way"
          description="For at most a day; otherwise no further attempt begins."
          checked={finishes}
          onChange={({ currentTarget }) => setFinishes(currentTarget.checked)}
        />
        <TextInput
          label="Customer ID"
          description={`Enter ${customerId} to confirm.`}
          inputMode="numeric"
          autoComplete="off"
          maxLength={20}
          value={typedId}
          onChange={({ currentTarget }) => setTypedId(currentTarget.value)}
          required
          data-autofocus
        />
        <ErrorAlert error={start.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          {/* White text on a lighter red has too little contrast. */}
          <Button type="submit" color="red.9" loading={start.isPending} disabled={!isConfirmed}>
            Delete customer
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function ActiveCustomer({ close }: { close: () => void }) {
  return (
    <>
      <Text size="sm">The console shows this customer at present. Switch to another one first.</Text>
      <Group justify="flex-end">
        <Button onClick={close}>Close</Button>
      </Group>
    </>
  );
}

interface ProgressProps {
  deletion: Deletion | null;
  /** Begins the deletion again. */
  restart: Start;
  close: () => void;
}

/** Progress of a deletion, and its receipt. */
function Progress({ deletion, restart, close }: ProgressProps) {
  const isOver = deletion !== null && deletion.status !== 'running';
  return (
    <>
      <Stack gap={4}>
        <Group gap="xs">
          <Text size="sm" fw={550}>
            {isOver ? 'Removed, in documents' : 'Removed so far, in documents'}
          </Text>
          <div role="status">
            <StatusBadge status={deletion?.status ?? 'running'} />
          </div>
        </Group>
        <Text size="sm" className="breakable">
          {deletion ? (deletion.error ?? countsText(deletion)) : 'Starting…'}
        </Text>
        {!isOver && (
          <Text size="sm" c="dimmed">
            The deletion takes more than a minute. It goes on when this dialog is closed.
          </Text>
        )}
      </Stack>
      <ErrorAlert error={restart.error} />
      <Group justify="flex-end">
        {deletion?.status === 'aborted' && (
          <Button
            variant="default"
            loading={restart.isPending}
            // Its deliveries have been cancelled or finished.
            onClick={() => restart.mutate(false)}
          >
            Start again
          </Button>
        )}
        <Button onClick={close}>Close</Button>
      </Group>
    </>
  );
}
