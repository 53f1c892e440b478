import { Button, Card, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconUserOff, IconUserSearch } from '@tabler/icons-react';
import { queryKeys } from '../../../api/query-keys.ts';
import { usePagedList } from '../../../api/use-paged-list.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { PagedRows } from '../../../components/paged-rows.tsx';
import { SearchInput } from '../../../components/search-input.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { NoMeetings } from '../list/no-meetings.tsx';
import type { useMeetingsView } from '../list/use-meetings-view.ts';
import { MeetingActivityTable } from './meeting-activity-table.tsx';

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
    queryKeys.meetingActivities(customerId, personExternalId),
    async (after) => (await call(ACTIVITIES, { after, personExternalId })).meetingActivities,
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
