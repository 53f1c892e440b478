import { Button, Card, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconUserOff, IconUserSearch } from '@tabler/icons-react';
import { usePaged } from '../../../api/use-paged-list.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNote } from '../../../components/error-alert.tsx';
import { TypedInput } from '../../../components/search-input.tsx';
import { MoreButton } from '../../../components/show-more.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { NoMeetings } from '../list/no-meetings.tsx';
import type { useView } from '../list/use-meetings-view.ts';
import { ActivityTable } from './meeting-activity-table.tsx';

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

/** The lean records of meetings, newest first. */
export function ActivityList({ person, narrow, clear }: ReturnType<typeof useView>) {
  const { call, customerId } = useSession();
  const personExternalId = person.trim() || null;
  const list = usePaged(
    ['meetings', customerId, 'activities', personExternalId],
    async (after) => (await call(ACTIVITIES, { after, personExternalId })).meetingActivities,
    { refetchInterval: REFRESH_MS, keepRows: true },
  );
  const empty = !list.loading && !list.error && list.rows.length === 0;
  return (
    <Stack gap="lg">
      <Text c="dimmed" size="sm">
        One for each meeting, made by the field mapping and kept lean for later analysis. They count for no
        score.
      </Text>
      <Group align="flex-end" gap="sm">
        <TypedInput
          label="Person"
          placeholder="The whole e-mail address"
          icon={<IconUserSearch size={16} aria-hidden />}
          value={person}
          onPause={(typed) => narrow('person', typed, true)}
        />
        {personExternalId && (
          <Button variant="subtle" onClick={clear}>
            Clear filters
          </Button>
        )}
      </Group>
      <ErrorNote error={list.error} />
      {list.loading && <Skeleton h={320} aria-label="Loading activities" />}
      {empty && personExternalId && (
        <EmptyState icon={IconUserOff} title="No activity of that person">
          A person is found by the whole address, spelled as in the activity: in lower case, unless the
          mapping says otherwise.
        </EmptyState>
      )}
      {empty && !personExternalId && <NoMeetings />}
      {list.rows.length > 0 && (
        <>
          <Card withBorder p={0}>
            <ActivityTable rows={list.rows} />
          </Card>
          <MoreButton {...list} />
        </>
      )}
    </Stack>
  );
}
