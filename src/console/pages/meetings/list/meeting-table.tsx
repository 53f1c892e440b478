import { Anchor, Group, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { DataTable } from '../../../components/data-table.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { DateTime, RelativeTime } from '../../../components/time.tsx';
import { formatDuration, millisecondsBetween } from '../../../format.ts';
import type { MeetingsQuery } from '../../../generated/graphql.ts';
import { meetingPath } from '../meeting-paths.ts';
import { type MeetingParticipant, participantName } from '../participant-name.ts';

export type MeetingRow = MeetingsQuery['meetings']['edges'][number]['node'];

const HEAD = ['Meeting', 'Participants', 'Duration', 'Started', 'Stored'];
/** Further participants are shown as a count. */
const MAX_NAMES = 3;

function participantNames(participants: readonly MeetingParticipant[]): string {
  const names = participants.map(participantName);
  const moreCount = names.length - MAX_NAMES;
  return moreCount > 0 ? `${names.slice(0, MAX_NAMES).join(', ')} and ${moreCount} more` : names.join(', ');
}

export function MeetingTable({ rows }: { rows: readonly MeetingRow[] }) {
  return (
    <DataTable label="Meetings" minWidthPx={800} head={HEAD}>
      {rows.map((row) => (
        <Table.Tr key={row.recorderMeetingId}>
          <Table.Td maw={360}>
            <Anchor
              component={Link}
              href={meetingPath(row.recorderMeetingId)}
              fw={550}
              size="sm"
              lineClamp={2}
              className="breakable"
            >
              {row.title || 'Untitled meeting'}
            </Anchor>
            {row.deletedAt && (
              <Group gap="xs" mt={4}>
                <StatusBadge status="deleted" />
                <Text size="xs" c="dimmed">
                  <RelativeTime at={row.deletedAt} />
                </Text>
              </Group>
            )}
          </Table.Td>
          <Table.Td maw={320}>
            <Text size="sm" lineClamp={3} className="breakable">
              {participantNames(row.participantsJson ?? []) || <Unknown />}
            </Text>
          </Table.Td>
          <Table.Td style={{ whiteSpace: 'nowrap' }}>
            {row.startedAt && row.endedAt ? (
              formatDuration(millisecondsBetween(row.startedAt, row.endedAt))
            ) : (
              <Unknown />
            )}
          </Table.Td>
          <Table.Td style={{ whiteSpace: 'nowrap' }}>
            {row.startedAt ? (
              <>
                <Text size="sm">
                  <DateTime at={row.startedAt} />
                </Text>
                <Text size="xs" c="dimmed">
                  <RelativeTime at={row.startedAt} />
                </Text>
              </>
            ) : (
              <Unknown />
            )}
          </Table.Td>
          <Table.Td style={{ whiteSpace: 'nowrap' }}>
            <RelativeTime at={row.storedAt} fallback="unknown" />
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}

const Unknown = () => (
  <Text size="sm" c="dimmed" span>
    unknown
  </Text>
);
