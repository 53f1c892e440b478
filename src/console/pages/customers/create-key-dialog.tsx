import { Autocomplete, Button, Checkbox, Group, Radio, Stack, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { KEY_RESOURCES, MAX_KEY_NAME } from '../../../shared/key-limits.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { useCustomerOptions } from '../../api/use-customer-options.ts';
import { useServiceMutation } from '../../api/use-service-mutation.ts';
import { DateTimeInput } from '../../components/date-time-input.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorAlert } from '../../components/error-alert.tsx';
import { graphql } from '../../generated/gql.ts';
import type { CreateApiKeyInput, KeyScope } from '../../generated/graphql.ts';
import { useSession } from '../../session/session.tsx';
import { NewKey } from './new-key.tsx';

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
  const call = useSession().callFor(null);
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
        <NewKey value={key} close={close} />
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

/** Returns the entries of a text, which are separated by commas or white space; null if there is none. */
function entriesOf(text: string): string[] | null {
  const entries = text.split(/[\s,]+/).filter(Boolean);
  return entries.length > 0 ? entries : null;
}

/** Properties of a new API key. */
function CreateKeyForm({ create, creating, error, cancel }: CreateKeyFormProps) {
  const { customerId: activeCustomerId } = useSession();
  const [scope, setScope] = useState<KeyScope>('read');
  const [customer, setCustomer] = useState(activeCustomerId === null ? '' : String(activeCustomerId));
  const [name, setName] = useState('');
  const [resources, setResources] = useState<string[]>([]);
  const [networks, setNetworks] = useState('');
  const [expiresAt, setExpiresAt] = useState<string | null>(null);
  const options = useCustomerOptions().map(({ label }) => label);
  const customerId = parseCustomerId(customer);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create({
      scope,
      customerId: scope === 'admin' ? null : customerId,
      name: name.trim() || null,
      resources: scope === 'admin' || resources.length === 0 ? null : resources,
      networks: entriesOf(networks),
      // Without it, the default of the service applies.
      ...(expiresAt !== null && { expiresAt }),
    });
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
        <TextInput
          label="Key name"
          description="Such as the system that uses it."
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          maxLength={MAX_KEY_NAME}
        />
        {scope !== 'admin' && (
          <Checkbox.Group
            label="Resources"
            description="Select none for all resources."
            value={resources}
            onChange={setResources}
          >
            <Group gap="sm" mt="xs">
              {KEY_RESOURCES.map((resource) => (
                <Checkbox key={resource} value={resource} label={resource} />
              ))}
            </Group>
          </Checkbox.Group>
        )}
        <Textarea
          label="Client networks"
          description="Addresses and CIDR ranges, such as 192.0.2.0/24. Leave empty for all clients."
          value={networks}
          onChange={({ currentTarget }) => setNetworks(currentTarget.value)}
          autosize
        />
        <DateTimeInput
          label="Expires"
          description="Leave empty for the default of the service."
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
