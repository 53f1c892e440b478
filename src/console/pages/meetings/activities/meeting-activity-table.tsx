import { Anchor, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { ScrollTable } from '../../../components/scroll-table.tsx';
import type { MeetingActivitiesQuery } from '../../../generated/graphql.ts';
import { moment, span } from '../format.ts';
import { meetingPath, personPath } from '../list/use-meetings-view.ts';

type Row = MeetingActivitiesQuery['meetingActivities']['edges'][number]['node'];

const HEAD = ['Activity', 'Person', 'Occurred', 'Mapped properties'];
/** Properties that every activity has; they have columns of their own, or say nothing new. */
const ALWAYS = ['source', 'recorderMeetingId', 'participantCount', 'durationSeconds'];

const mappedOf = ({ properties }: Row): [name: string, value: string][] =>
  Object.entries(properties).flatMap(([name, value]) =>
    ALWAYS.includes(name) || value === null ? [] : [[name, String(value)]],
  );

function sizeOf({ properties }: Row): string {
  const { durationSeconds, participantCount } = properties;
  const people = participantCount === 1 ? '1 participant' : `${participantCount} participants`;
  return typeof durationSeconds === 'number' ? `${span(durationSeconds)}, ${people}` : people;
}

export function ActivityTable({ rows }: { rows: readonly Row[] }) {
  return (
    <ScrollTable label="Meeting activities" minWidth={900} head={HEAD}>
      {rows.map((row) => (
        <Table.Tr key={row.externalId} style={{ verticalAlign: 'top' }}>
          <Table.Td miw={190}>
            <Anchor
              component={Link}
              href={meetingPath(String(row.properties.recorderMeetingId))}
              size="xs"
              className="mono breakable"
            >
              {row.externalId}
            </Anchor>
          </Table.Td>
          <Table.Td miw={230}>
            {row.personExternalId ? (
              <Anchor
                component={Link}
                href={personPath(row.personExternalId)}
                size="sm"
                className="breakable"
              >
                {row.personExternalId}
              </Anchor>
            ) : (
              <Text size="sm" c="dimmed">
                nobody
              </Text>
            )}
          </Table.Td>
          <Table.Td style={{ whiteSpace: 'nowrap' }}>
            <Text size="sm">{moment.format(new Date(row.occurredAt))}</Text>
            <Text size="xs" c="dimmed">
              {sizeOf(row)}
            </Text>
          </Table.Td>
          <Table.Td miw={280}>
            {mappedOf(row).map(([name, value]) => (
              <Text key={name} size="xs" lineClamp={2} className="breakable" title={value}>
                <b>{name}</b>: {value}
              </Text>
            ))}
          </Table.Td>
        </Table.Tr>
      ))}
    </ScrollTable>
  );
}
