import { Anchor, Badge, Table, Text } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { memo } from 'react';
import { Link } from 'wouter';
import { DataTable } from '../../components/data-table.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { PersonLinks } from './person-links.tsx';
import type { ConversationRow } from './use-conversations.ts';
import { visitorName } from './visitor-name.ts';

const HEAD = ['Visitor', 'Status', 'Goal', 'Converted', 'Outcome', 'Messages', 'Started'];
const FOUND_HEAD = [...HEAD, 'Person'];

/** Cell with a text that the page of the conversation shows completely. */
const ClampedCell = ({ text }: { text: string | null | undefined }) => (
  <Table.Td>
    <Text size="sm" lineClamp={2} className="breakable">
      {text ?? '–'}
    </Text>
  </Table.Td>
);

/** Memoized, so that a live update renders only the rows that changed. */
const ConversationTableRow = memo(({ row, isFound }: { row: ConversationRow; isFound: boolean }) => (
  <Table.Tr>
    <Table.Td maw={280}>
      <Anchor
        component={Link}
        href={`/conversations/${row.id}`}
        fw={550}
        size="sm"
        lineClamp={2}
        className="breakable"
      >
        {visitorName(row)}
      </Anchor>
      {row.identity?.company && (
        <Text size="xs" c="dimmed" lineClamp={2} className="breakable">
          {row.identity.company}
        </Text>
      )}
    </Table.Td>
    <Table.Td>
      <StatusBadge status={row.status} />
    </Table.Td>
    <ClampedCell text={row.goal} />
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
    <ClampedCell text={row.outcome?.category} />
    <Table.Td className="mono">{row.messageCount}</Table.Td>
    <Table.Td style={{ whiteSpace: 'nowrap' }}>
      <RelativeTime at={row.startedAt} />
    </Table.Td>
    {isFound && (
      <Table.Td>
        <PersonLinks conversation={row} />
      </Table.Td>
    )}
  </Table.Tr>
));

interface ConversationTableProps {
  rows: readonly ConversationRow[];
  /** True for the results of a search, which lead to what else there is about the person. */
  areFound: boolean;
}

export function ConversationTable({ rows, areFound }: ConversationTableProps) {
  return (
    <DataTable label="Conversations" minWidthPx={960} head={areFound ? FOUND_HEAD : HEAD}>
      {rows.map((row) => (
        <ConversationTableRow key={row.id} row={row} isFound={areFound} />
      ))}
    </DataTable>
  );
}
