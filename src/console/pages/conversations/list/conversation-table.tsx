import { Anchor, Badge, Table, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { Link } from 'wouter';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { ScrollTable } from '../../../components/scroll-table.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { visitorName } from '../visitor-name.ts';
import type { ConversationRow } from './use-conversations.ts';

const HEAD = ['Visitor', 'Status', 'Goal', 'Converted', 'Outcome', 'Messages', 'Started'];

export function ConversationTable({ rows }: { rows: readonly ConversationRow[] }) {
  return (
    <ScrollTable label="Conversations" minWidthPx={960} head={HEAD}>
      {rows.map((row) => (
        <Table.Tr key={row.id}>
          <Table.Td maw={280}>
            <Anchor
              component={Link}
              href={`/conversations/${row.id}`}
              fw={550}
              size="sm"
              className="breakable"
            >
              {visitorName(row)}
            </Anchor>
            {row.identity?.company && (
              <Text size="xs" c="dimmed" className="breakable">
                {row.identity.company}
              </Text>
            )}
          </Table.Td>
          <Table.Td>
            <StatusBadge status={row.status} />
          </Table.Td>
          <Table.Td className="breakable">{row.goal ?? '–'}</Table.Td>
          <Table.Td>
            {row.converted ? (
              <Badge color="teal" variant="light" tt="none" leftSection={<IconCheck size={12} aria-hidden />}>
                yes
              </Badge>
            ) : (
              <Text size="sm" c="dimmed">
                no
              </Text>
            )}
          </Table.Td>
          <Table.Td className="breakable">{row.outcome?.category ?? '–'}</Table.Td>
          <Table.Td className="mono">{row.messageCount}</Table.Td>
          <Table.Td style={{ whiteSpace: 'nowrap' }}>
            <RelativeTime at={row.startedAt} />
          </Table.Td>
        </Table.Tr>
      ))}
    </ScrollTable>
  );
}
