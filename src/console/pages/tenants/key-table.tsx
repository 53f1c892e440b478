import { Badge, Group, Table, Text } from '@mantine/core';
import { DataTable } from '../../components/data-table.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
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
    <DataTable label="API keys" minWidthPx={920} head={HEAD}>
      {keys.map((key) => (
        <Row key={key.id} apiKey={key} isOwn={access.key.startsWith(key.prefix)} />
      ))}
    </DataTable>
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
              this session
            </Badge>
          )}
        </Group>
      </Table.Td>
      <Table.Td>{scope}</Table.Td>
      <Table.Td className="mono">{customerId ?? <Dimmed>all</Dimmed>}</Table.Td>
      <Table.Td>
        <StatusBadge status={state} />
      </Table.Td>
      <Table.Td>
        <RelativeTime at={lastUsedAt} />
      </Table.Td>
      <Table.Td>
        <RelativeTime at={expiresAt} />
      </Table.Td>
      <Table.Td>
        <RelativeTime at={createdAt} />
      </Table.Td>
      <Table.Td>
        {revokedAt ? (
          <Dimmed>
            <RelativeTime at={revokedAt} />
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
