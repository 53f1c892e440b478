import { Anchor, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { DataTable } from '../../../components/data-table.tsx';
import { LongText } from '../../../components/long-text.tsx';
import { formatCount, formatDateTime, formatDuration } from '../../../format.ts';
import type { MeetingActivitiesQuery } from '../../../generated/graphql.ts';
import { meetingPath, personActivitiesPath } from '../meeting-paths.ts';

type Row = MeetingActivitiesQuery['meetingActivities']['edges'][number]['node'];

const HEAD = ['Activity', 'Person', 'Occurred', 'Mapped properties'];
/** Properties of every activity; shown in other columns or redundant. */
const COMMON_PROPERTIES = ['source', 'recorderMeetingId', 'participantCount', 'durationSeconds'];

const mappedProperties = ({ properties }: Row): [name: string, value: string][] =>
  Object.entries(properties).flatMap(([name, value]) =>
    COMMON_PROPERTIES.includes(name) || value === null ? [] : [[name, String(value)]],
  );

function durationAndParticipants({ properties }: Row): string {
  const { durationSeconds, participantCount } = properties;
  const participants = formatCount(Number(participantCount), 'participant');
  return typeof durationSeconds === 'number'
    ? `${formatDuration(durationSeconds * 1_000)}, ${participants}`
    : participants;
}

export function MeetingActivityTable({ rows }: { rows: readonly Row[] }) {
  return (
    <DataTable label="Meeting activities" minWidthPx={900} head={HEAD}>
      {rows.map((row) => (
        <Table.Tr key={row.externalId} style={{ verticalAlign: 'top' }}>
          <Table.Td miw={190}>
            <Anchor
              component={Link}
              href={meetingPath(String(row.properties.recorderMeetingId))}
              size="xs"
              lineClamp={3}
              className="mono breakable"
            >
              {row.externalId}
            </Anchor>
          </Table.Td>
          <Table.Td miw={230}>
            {row.personExternalId ? (
              <Anchor
                component={Link}
                href={personActivitiesPath(row.personExternalId)}
                size="sm"
                lineClamp={3}
                className="breakable"
              >
                {row.personExternalId}
              </Anchor>
            ) : (
              <Text size="sm" c="dimmed">
                no person
              </Text>
            )}
          </Table.Td>
          <Table.Td style={{ whiteSpace: 'nowrap' }}>
            <Text size="sm">{formatDateTime(row.occurredAt)}</Text>
            <Text size="xs" c="dimmed">
              {durationAndParticipants(row)}
            </Text>
          </Table.Td>
          <Table.Td miw={280}>
            {mappedProperties(row).map(([name, value]) => (
              <LongText key={name} size="xs">
                <b>{name}</b>: {value}
              </LongText>
            ))}
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  );
}
