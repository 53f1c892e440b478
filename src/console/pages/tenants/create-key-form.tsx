import { Autocomplete, Button, Group, Radio, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { MomentInput } from '../../components/date-time-input.tsx';
import { ErrorNote } from '../../components/error-alert.tsx';
import { graphql } from '../../generated/gql.ts';
import type { CreateApiKeyInput, KeyScope } from '../../generated/graphql.ts';
import { useSession } from '../../session.tsx';

const OWNERS = graphql(`
  query KeyOwners {
    tenants(first: 100) {
      edges {
        node {
          customerId
          name
        }
      }
    }
  }
`);

const SCOPES: readonly { value: KeyScope; label: string; description: string }[] = [
  { value: 'read', label: 'Read', description: 'Sees what its customer has.' },
  { value: 'write', label: 'Write', description: 'Changes it, too.' },
  { value: 'admin', label: 'Admin', description: 'Acts for any customer, and manages customers and keys.' },
];

interface KeyFormProps {
  create: (input: CreateApiKeyInput) => void;
  creating: boolean;
  error: unknown;
  cancel: () => void;
}

/** The number in `Demo (42)`, or in `42`; null: there is none. */
function customerIn(text: string): number | null {
  const [, digits] = /(?:^|\()\s*(\d{1,10})\s*\)?$/.exec(text.trim()) ?? [];
  return digits ? Number(digits) : null;
}

/** Asks what a new key may do, for whom, and until when. */
export function KeyForm({ create, creating, error, cancel }: KeyFormProps) {
  const { call, customerId } = useSession();
  const [scope, setScope] = useState<KeyScope>('read');
  const [owner, setOwner] = useState(customerId === null ? '' : String(customerId));
  const [expiresAt, setExpiresAt] = useState<string | null>(null);
  const { data } = useQuery({ queryKey: ['tenants', 'owners'], queryFn: () => call(OWNERS) });
  const owners = (data?.tenants.edges ?? []).map(({ node }) => `${node.name} (${node.customerId})`);
  const number = customerIn(owner);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create({ scope, customerId: scope === 'admin' ? null : number, expiresAt });
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
            description="Choose one, or type its number."
            data={[...new Set(owners)]}
            value={owner}
            onChange={setOwner}
            error={owner.trim() !== '' && number === null && 'Must be a customer’s number.'}
            required
          />
        )}
        <MomentInput
          label="Expires"
          description="Your time. Left empty, it works until it is revoked."
          value={expiresAt}
          onChange={setExpiresAt}
        />
        <ErrorNote error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
          <Button type="submit" loading={creating} disabled={scope !== 'admin' && number === null}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
