import { Anchor, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { Time } from '../../../components/relative-time.tsx';
import { ScrollTable } from '../../../components/scroll-table.tsx';
import type { MeetingsQuery } from '../../../generated/graphql.ts';
import { moment, secondsBetween, span } from '../format.ts';
import { meetingPath } from './use-meetings-view.ts';

type Row = MeetingsQuery['meetings']['edges'][number]['node'];

const HEAD = ['Meeting', 'Participants', 'Duration', 'Started'];
/** So many names are told; of the others, how many there are. */
const NAMED = 3;

const nameOf = ({ name, email }: { name: string; email?: string | null }): string =>
  name || email || 'somebody';

function participantsOf({ participantsJson }: Row): string {
  const names = (participantsJson ?? []).map(nameOf);
  const more = names.length - NAMED;
  return more > 0 ? `${names.slice(0, NAMED).join(', ')} and ${more} more` : names.join(', ');
}

export function MeetingTable({ rows }: { rows: readonly Row[] }) {
  return (
    <ScrollTable label="Meetings" minWidth={720} head={HEAD}>
      {rows.map((row) => (
        <Table.Tr key={row.recorderMeetingId}>
          <Table.Td maw={360}>
            <Anchor
              component={Link}
              href={meetingPath(row.recorderMeetingId)}
              fw={550}
              size="sm"
              className="breakable"
            >
              {row.title || 'Untitled meeting'}
            </Anchor>
          </Table.Td>
          <Table.Td maw={320} className="breakable">
            {participantsOf(row) || <None />}
          </Table.Td>
          <Table.Td style={{ whiteSpace: 'nowrap' }}>
            {row.startedAt && row.endedAt ? span(secondsBetween(row.startedAt, row.endedAt)) : <None />}
          </Table.Td>
          <Table.Td style={{ whiteSpace: 'nowrap' }}>
            {row.startedAt ? (
              <>
                <Text size="sm">{moment.format(new Date(row.startedAt))}</Text>
                <Text size="xs" c="dimmed">
                  <Time at={row.startedAt} />
                </Text>
              </>
            ) : (
              <None />
            )}
          </Table.Td>
        </Table.Tr>
      ))}
    </ScrollTable>
  );
}

const None = () => (
  <Text size="sm" c="dimmed" span>
    not known
  </Text>
);
