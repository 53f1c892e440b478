import { Alert, Autocomplete, Button, Group, Radio, Stack, Text } from '@mantine/core';
import { IconEyeOff } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { queryKeys } from '../../api/query-keys.ts';
import { useCustomerOptions } from '../../api/use-customer-options.ts';
import { useServiceMutation } from '../../api/use-service-mutation.ts';
import { CopyValue } from '../../components/copy-value.tsx';
import { DateTimeInput } from '../../components/date-time-input.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { graphql } from '../../generated/gql.ts';
import type { CreateApiKeyInput, KeyScope } from '../../generated/graphql.ts';
import { useSession } from '../../session/session.tsx';

const CREATE = graphql(`
  mutation CreateApiKey($input: CreateApiKeyInput!) {
    createApiKey(input: $input) {
      key
      apiKey {
        id
      }
    }
  }
`);

/** Creates an API key and shows it once. */
export function CreateKeyDialog({ close }: { close: () => void }) {
  const { call } = useSession();
  const create = useServiceMutation((input: CreateApiKeyInput) => call(CREATE, { input }), {
    invalidates: [queryKeys.apiKeys],
  });
  const key = create.data?.createApiKey.key;
  return (
    <Dialog
      opened
      onClose={close}
      title={key ? 'API key created' : 'Create API key'}
      closeOnClickOutside={!key}
      closeOnEscape={!key}
    >
      {key ? (
        <Stack>
          <Alert color="yellow" icon={<IconEyeOff aria-hidden />} title="Copy the key now">
            The key is shown only once and cannot be retrieved later.
          </Alert>
          <CopyValue value={key} label="API key" />
          <Text size="sm" c="dimmed">
            Send it with each request as <code>Authorization: Bearer …</code>.
          </Text>
          <Group justify="flex-end">
            <Button onClick={close}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <CreateKeyForm
          create={create.mutate}
          creating={create.isPending}
          error={create.error}
          cancel={close}
        />
      )}
    </Dialog>
  );
}

const SCOPES: readonly { value: KeyScope; label: string; description: string }[] = [
  { value: 'read', label: 'Read', description: 'Read access to one customer.' },
  { value: 'write', label: 'Write', description: 'Read and write access to one customer.' },
  {
    value: 'admin',
    label: 'Admin',
    description: 'Full access to all customers, and management of customers and API keys.',
  },
];

interface CreateKeyFormProps {
  create: (input: CreateApiKeyInput) => void;
  creating: boolean;
  error: unknown;
  cancel: () => void;
}

/** Parses the customer ID from `Demo (42)` or `42`; null if there is none. */
function parseCustomerId(text: string): number | null {
  const [, digits] = /(?:^|\()\s*(\d{1,10})\s*\)?$/.exec(text.trim()) ?? [];
  return digits ? Number(digits) : null;
}

/** Scope, customer and expiry of a new API key. */
function CreateKeyForm({ create, creating, error, cancel }: CreateKeyFormProps) {
  const { customerId: activeCustomerId } = useSession();
  const [scope, setScope] = useState<KeyScope>('read');
  const [customer, setCustomer] = useState(activeCustomerId === null ? '' : String(activeCustomerId));
  const [expiresAt, setExpiresAt] = useState<string | null>(null);
  const options = useCustomerOptions().map(({ label }) => label);
  const customerId = parseCustomerId(customer);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create({ scope, customerId: scope === 'admin' ? null : customerId, expiresAt });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Radio.Group label="Scope" value={scope} onChange={(value) => setScope(value as KeyScope)}>
          <Stack gap="xs" mt="xs">
            {SCOPES.map((choice) => (
              <Radio key={choice.value} {...choice} />
            ))}
          </Stack>
        </Radio.Group>
        {scope !== 'admin' && (
          <Autocomplete
            label="Customer"
            description="Select a customer or enter a customer ID."
            data={[...new Set(options)]}
            value={customer}
            onChange={setCustomer}
            error={customer.trim() !== '' && customerId === null && 'The customer ID must be a number.'}
            required
          />
        )}
        <DateTimeInput
          label="Expires"
          description="Leave empty for a key that does not expire."
          value={expiresAt}
          onChange={setExpiresAt}
        />
        <ErrorAlert error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
          <Button type="submit" loading={creating} disabled={scope !== 'admin' && customerId === null}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
