import { Badge, Group, Table, Text } from '@mantine/core';
import { Time } from '../../components/relative-time.tsx';
import { ScrollTable } from '../../components/scroll-table.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import type { ApiKeysQuery } from '../../generated/graphql.ts';
import { useSession } from '../../session.tsx';
import { keyState } from './key-state.ts';
import { RevokeKey } from './revoke-key.tsx';

type ApiKey = ApiKeysQuery['apiKeys']['edges'][number]['node'];

const HEAD = ['Key', 'Scope', 'Customer', 'State', 'Last used', 'Expires', 'Created', 'Revoke'];

export function KeyTable({ keys }: { keys: readonly ApiKey[] }) {
  const { access } = useSession();
  return (
    <ScrollTable label="API keys" minWidth={920} head={HEAD}>
      {keys.map((key) => (
        <Row key={key.id} apiKey={key} isOwn={access.key.startsWith(key.prefix)} />
      ))}
    </ScrollTable>
  );
}

function Row({ apiKey, isOwn }: { apiKey: ApiKey; isOwn: boolean }) {
  const { id, prefix, scope, customerId, lastUsedAt, expiresAt, createdAt, revokedAt } = apiKey;
  const state = keyState(apiKey);
  return (
    <Table.Tr>
      <Table.Td>
        <Group gap="xs">
          <span className="mono">{prefix}…</span>
          {isOwn && (
            <Badge variant="outline" tt="none">
              yours
            </Badge>
          )}
        </Group>
      </Table.Td>
      <Table.Td>{scope}</Table.Td>
      <Table.Td className="mono">{customerId ?? <Dimmed>any</Dimmed>}</Table.Td>
      <Table.Td>
        <StatusBadge status={state} />
      </Table.Td>
      <Table.Td>
        <Time at={lastUsedAt} />
      </Table.Td>
      <Table.Td>
        <Time at={expiresAt} />
      </Table.Td>
      <Table.Td>
        <Time at={createdAt} />
      </Table.Td>
      <Table.Td>
        {revokedAt ? (
          <Dimmed>
            <Time at={revokedAt} />
          </Dimmed>
        ) : (
          <RevokeKey id={id} prefix={prefix} isOwn={isOwn} />
        )}
      </Table.Td>
    </Table.Tr>
  );
}

const Dimmed = ({ children }: { children: React.ReactNode }) => (
  <Text span size="sm" c="dimmed">
    {children}
  </Text>
);
