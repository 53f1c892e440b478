import { Badge, Button, Group, Table, Text } from '@mantine/core';
import { queryKeys } from '../../api/query-keys.ts';
import { useServiceMutation } from '../../api/use-service-mutation.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { LongText } from '../../components/long-text.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { graphql } from '../../generated/gql.ts';
import type { ApiKeysQuery } from '../../generated/graphql.ts';
import { useSession } from '../../session/session.tsx';
import { RotateKey } from './rotate-key.tsx';

export type ApiKey = ApiKeysQuery['apiKeys']['edges'][number]['node'];

const HEAD = ['Key', 'Scope', 'Customer', 'Networks', 'State', 'Last used', 'Expires', 'Created', 'Actions'];

const NOWRAP = { whiteSpace: 'nowrap' } as const;

export function KeyTable({ keys }: { keys: readonly ApiKey[] }) {
  const { keyId } = useSession();
  return (
    <DataTable label="API keys" minWidthPx={960} head={HEAD}>
      {keys.map((key) => (
        <Row key={key.id} apiKey={key} isOwn={key.id === keyId} />
      ))}
    </DataTable>
  );
}

function Row({ apiKey, isOwn }: { apiKey: ApiKey; isOwn: boolean }) {
  const { id, name, prefix, scope, resources, networks, customerId, state } = apiKey;
  const { lastUsedAt, lastUsedAddress, expiresAt, expiresSoon, createdAt, revokedAt } = apiKey;
  return (
    <Table.Tr>
      <Table.Td>
        {name && <LongText fw={550}>{name}</LongText>}
        <Group gap="xs">
          <span className="mono">{prefix}…</span>
          {isOwn && (
            <Badge variant="outline" tt="none">
              this session
            </Badge>
          )}
        </Group>
      </Table.Td>
      <Table.Td>
        {scope}
        {resources && <Dimmed block>{resources.join(', ')}</Dimmed>}
      </Table.Td>
      <Table.Td className="mono">{customerId ?? <Dimmed>all</Dimmed>}</Table.Td>
      <Table.Td className="mono breakable">{networks?.join(', ') ?? <Dimmed>all</Dimmed>}</Table.Td>
      <Table.Td>
        <StatusBadge status={state} />
      </Table.Td>
      <Table.Td style={NOWRAP}>
        <RelativeTime at={lastUsedAt} />
        {lastUsedAddress && <Dimmed block>{lastUsedAddress}</Dimmed>}
      </Table.Td>
      <Table.Td>
        <RelativeTime at={expiresAt} />
        {expiresSoon && (
          <Badge color="orange" variant="light" tt="none">
            expires soon
          </Badge>
        )}
      </Table.Td>
      <Table.Td style={NOWRAP}>
        <RelativeTime at={createdAt} />
      </Table.Td>
      <Table.Td>
        {revokedAt ? (
          <Dimmed>
            <RelativeTime at={revokedAt} />
          </Dimmed>
        ) : (
          <Group gap="xs" miw={{ base: 0, sm: 'max-content' }}>
            {state === 'active' && <RotateKey id={id} prefix={prefix} />}
            <RevokeKey id={id} prefix={prefix} isOwn={isOwn} />
          </Group>
        )}
      </Table.Td>
    </Table.Tr>
  );
}

const Dimmed = ({ children, block = false }: { children: React.ReactNode; block?: boolean }) => (
  <Text span={!block} size="sm" c="dimmed">
    {children}
  </Text>
);

const REVOKE = graphql(`
  mutation RevokeApiKey($id: ID!) {
    revokeApiKey(id: $id) {
      id
    }
  }
`);

interface RevokeKeyProps {
  id: string;
  prefix: string;
  /** True for the key of the current session. */
  isOwn: boolean;
}

/** Revokes a key after confirmation. */
function RevokeKey({ id, prefix, isOwn }: RevokeKeyProps) {
  const call = useSession().callFor(null);
  const revoke = useServiceMutation(() => call(REVOKE, { id }), { invalidates: [queryKeys.apiKeys] });
  return (
    <ConfirmDialog
      title="Revoke this API key?"
      action="Revoke"
      mutation={revoke}
      trigger={(open) => (
        <Button size="compact-sm" variant="default" aria-label={`Revoke ${prefix}…`} onClick={open}>
          Revoke
        </Button>
      )}
    >
      <Text size="sm">
        The service rejects all further requests with <span className="mono">{prefix}…</span>. This cannot be
        undone.
      </Text>
      {isOwn && (
        <Text size="sm" mt="sm" fw={600}>
          You are signed in with this key and will be signed out.
        </Text>
      )}
    </ConfirmDialog>
  );
}
