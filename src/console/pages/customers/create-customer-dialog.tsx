import { Button, Group, NumberInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { MAX_INT32 } from '../../../shared/int32.ts';
import { MAX_TEXT } from '../../../shared/text-limits.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useServiceMutation } from '../../api/use-service-mutation.ts';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { graphql } from '../../generated/gql.ts';
import type { CreateTenantInput } from '../../generated/graphql.ts';
import { useSession } from '../../session/session.tsx';

const CREATE = graphql(`
  mutation CreateTenant($input: CreateTenantInput!) {
    createTenant(input: $input) {
      customerId
    }
  }
`);

export function CreateCustomerDialog({ close }: { close: () => void }) {
  const call = useSession().callFor(null);
  const [customerId, setCustomerId] = useState<number | null>(null);
  const [orgId, setOrgId] = useState('');
  const [name, setName] = useState('');
  const create = useServiceMutation((input: CreateTenantInput) => call(CREATE, { input }), {
    invalidates: [queryKeys.customers],
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (customerId === null) return;
    create.mutate({ customerId, orgId: orgId.trim(), name: name.trim() }, { onSuccess: close });
  };
  return (
    <Dialog opened onClose={close} title="Create customer">
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Name"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            maxLength={MAX_TEXT}
            required
            data-autofocus
          />
          <NumberInput
            label="Customer ID"
            description="A unique number, sent as customerId in every webhook. It cannot be changed later."
            value={customerId ?? ''}
            onChange={(value) => setCustomerId(typeof value === 'number' ? value : null)}
            min={1}
            max={MAX_INT32}
            allowDecimal={false}
            hideControls
            required
          />
          <TextInput
            label="Organization ID"
            description="A unique ID, sent as orgId in every webhook. It cannot be changed later."
            placeholder={`org_${customerId ?? '…'}`}
            value={orgId}
            onChange={({ currentTarget }) => setOrgId(currentTarget.value)}
            maxLength={MAX_TEXT}
            required
          />
          <ErrorAlert error={create.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button
              type="submit"
              loading={create.isPending}
              disabled={customerId === null || orgId.trim() === '' || name.trim() === ''}
            >
              Create
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
