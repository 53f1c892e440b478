import { Anchor, Button, Card, Group, Skeleton, Stack, Table, Text } from '@mantine/core';
import { IconUserOff, IconUserSearch } from '@tabler/icons-react';
import { Link } from 'wouter';
import { queryKeys } from '../../../api/query-keys.ts';
import { usePagedList } from '../../../api/use-paged-list.ts';
import { DataTable } from '../../../components/data-table.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { LongText } from '../../../components/long-text.tsx';
import { PagedRows } from '../../../components/paged-rows.tsx';
import { SearchInput } from '../../../components/search-input.tsx';
import { DateTime } from '../../../components/time.tsx';
import { formatCount, formatDuration } from '../../../format.ts';
import { graphql } from '../../../generated/gql.ts';
import type { MeetingActivitiesQuery } from '../../../generated/graphql.ts';
import { useSession } from '../../../session/session.tsx';
import { meetingPath, personActivitiesPath } from '../meeting-paths.ts';
import { NoMeetings } from './no-meetings.tsx';
import type { useMeetingsView } from './use-meetings-view.ts';

const ACTIVITIES = graphql(`
  query MeetingActivities($after: String, $personExternalId: String) {
    meetingActivities(first: 50, after: $after, personExternalId: $personExternalId) {
      pageInfo {
        hasNextPage
        endCursor
      }
      edges {
        node {
          externalId
          occurredAt
          personExternalId
          properties
        }
      }
    }
  }
`);

const REFRESH_MS = 30_000;

/** Activity records of meetings with a person filter, newest first. */
export function MeetingActivityList({
  person,
  setSearchText,
  clearFilters,
}: ReturnType<typeof useMeetingsView>) {
  const { call, customerId } = useSession();
  const personExternalId = person.trim() || null;
  const list = usePagedList(
    {
      key: queryKeys.meetingActivities(customerId, personExternalId),
      loadPage: async (after) => (await call(ACTIVITIES, { after, personExternalId })).meetingActivities,
    },
    { refetchInterval: REFRESH_MS },
  );
  const empty = !list.loading && !list.error && list.rows.length === 0;
  return (
    <Stack gap="lg">
      <Text c="dimmed" size="sm">
        One activity record per meeting, created by the field mapping. Activities do not affect engagement
        scores.
      </Text>
      <Group align="flex-end" gap="sm">
        <SearchInput
          label="Person"
          placeholder="Full email address"
          icon={<IconUserSearch size={16} aria-hidden />}
          value={person}
          onSearch={(text) => setSearchText('person', text)}
        />
        {personExternalId && (
          <Button variant="subtle" onClick={clearFilters}>
            Clear filters
          </Button>
        )}
      </Group>
      <PagedRows label="activities" list={list}>
        <ErrorAlert error={list.error} />
        {list.loading && <Skeleton h={320} aria-label="Loading activities" />}
        {empty && personExternalId && (
          <EmptyState icon={IconUserOff} title="No matching activities">
            The filter matches the person of an activity exactly. With the default mapping, this is an email
            address in lower case.
          </EmptyState>
        )}
        {empty && !personExternalId && <NoMeetings />}
        {list.rows.length > 0 && (
          <Card withBorder p={0}>
            <MeetingActivityTable rows={list.rows} />
          </Card>
        )}
      </PagedRows>
    </Stack>
  );
}

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

function MeetingActivityTable({ rows }: { rows: readonly Row[] }) {
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
            <Text size="sm">
              <DateTime at={row.occurredAt} />
            </Text>
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
