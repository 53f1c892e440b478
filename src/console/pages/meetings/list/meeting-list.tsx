import { Button, Card, Checkbox, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconSearch, IconSearchOff } from '@tabler/icons-react';
import { queryKeys } from '../../../api/query-keys.ts';
import { type ListQuery, usePagedList } from '../../../api/use-paged-list.ts';
import { DateTimeInput } from '../../../components/date-time-input.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { PagedRows } from '../../../components/paged-rows.tsx';
import { SearchInput } from '../../../components/search-input.tsx';
import { graphql } from '../../../generated/gql.ts';
import { type Session, useSession } from '../../../session/session.tsx';
import { isSyncing, useRecorder } from '../use-recorder.ts';
import { type MeetingRow, MeetingTable } from './meeting-table.tsx';
import { NoMeetings } from './no-meetings.tsx';
import { SearchResults } from './search-results.tsx';
import type { MeetingsView, useMeetingsView } from './use-meetings-view.ts';

const MEETINGS = graphql(`
  query Meetings($after: String, $since: DateTime, $search: String, $includeDeleted: Boolean) {
    meetings(first: 50, after: $after, since: $since, search: $search, includeDeleted: $includeDeleted) {
      pageInfo {
        hasNextPage
        endCursor
      }
      edges {
        node {
          recorderMeetingId
          title
          startedAt
          endedAt
          storedAt
          deletedAt
          participantsJson {
            name
            email
          }
        }
      }
    }
  }
`);

const REFRESH_MS = 30_000;
const REFRESH_SYNCING_MS = 3_000;

interface MeetingFilter extends Pick<MeetingsView, 'since' | 'includeDeleted'> {
  search: string | null;
}

export const meetingList = (
  { call, customerId }: Session,
  { search, since, includeDeleted }: MeetingFilter,
): ListQuery<MeetingRow> => ({
  key: queryKeys.meetingList(customerId, { search, since, includeDeleted }),
  loadPage: async (after) => (await call(MEETINGS, { after, since, search, includeDeleted })).meetings,
});

/** Search box and filters, with the meetings that match them. A search is ranked, unless it includes deleted meetings. */
export function MeetingList({
  search,
  since,
  includeDeleted,
  setSearchText,
  setSince,
  setIncludeDeleted,
  clearFilters,
}: ReturnType<typeof useMeetingsView>) {
  const searchText = search.trim();
  const isRanked = searchText !== '' && !includeDeleted;
  return (
    <Stack gap="lg">
      <Group align="flex-end" gap="sm">
        <SearchInput
          label="Search"
          placeholder="Words or an email address"
          icon={<IconSearch size={16} aria-hidden />}
          value={search}
          onSearch={(text) => setSearchText('search', text)}
        />
        <DateTimeInput label="Started since" value={since} onChange={setSince} />
        <Checkbox
          label="Include deleted"
          mih={36}
          styles={{ body: { alignItems: 'center', minHeight: 36 } }}
          checked={includeDeleted}
          onChange={({ currentTarget }) => setIncludeDeleted(currentTarget.checked)}
        />
        {(searchText !== '' || since !== null || includeDeleted) && (
          <Button variant="subtle" onClick={clearFilters}>
            Clear filters
          </Button>
        )}
      </Group>
      {searchText !== '' && (
        <Text size="sm" c="dimmed">
          {isRanked
            ? 'Best match first, transcripts included.'
            : 'Newest first. With deleted meetings, the search leaves transcripts out.'}
        </Text>
      )}
      {isRanked ? (
        <SearchResults query={searchText} since={since} />
      ) : (
        <MeetingsByTime search={searchText || null} since={since} includeDeleted={includeDeleted} />
      )}
    </Stack>
  );
}

/** Meetings, newest first. */
function MeetingsByTime(filter: MeetingFilter) {
  const { data: recorder } = useRecorder();
  const list = usePagedList(meetingList(useSession(), filter), {
    refetchInterval: isSyncing(recorder) ? REFRESH_SYNCING_MS : REFRESH_MS,
  });
  const isFiltered = filter.search !== null || filter.since !== null;
  const empty = !list.loading && !list.error && list.rows.length === 0;
  return (
    <PagedRows label="meetings" list={list}>
      <ErrorAlert error={list.error} />
      {list.loading && <Skeleton h={320} aria-label="Loading meetings" />}
      {empty && isFiltered && (
        <EmptyState icon={IconSearchOff} title="No matching meetings">
          No meeting matches the search and the filters. This search reads title, participants and summary.
          Use fewer words, or clear the filters.
        </EmptyState>
      )}
      {empty && !isFiltered && <NoMeetings />}
      {list.rows.length > 0 && (
        <Card withBorder p={0}>
          <MeetingTable rows={list.rows} />
        </Card>
      )}
    </PagedRows>
  );
}
