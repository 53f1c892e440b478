import { Button, Card, Group, Skeleton, Stack } from '@mantine/core';
import { IconSearch, IconSearchOff } from '@tabler/icons-react';
import { usePaged } from '../../../api/use-paged-list.ts';
import { MomentInput } from '../../../components/date-time-input.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorNote } from '../../../components/error-alert.tsx';
import { TypedInput } from '../../../components/search-input.tsx';
import { MoreButton } from '../../../components/show-more.tsx';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { isSyncing, useRecorder } from '../use-recorder.ts';
import { MeetingTable } from './meeting-table.tsx';
import { NoMeetings } from './no-meetings.tsx';
import type { useView } from './use-meetings-view.ts';

const MEETINGS = graphql(`
  query Meetings($after: String, $since: DateTime, $search: String) {
    meetings(first: 50, after: $after, since: $since, search: $search) {
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

/** The meetings, newest first. */
export function MeetingList({ search, since, narrow, clear }: ReturnType<typeof useView>) {
  const { call, customerId } = useSession();
  const { data: recorder } = useRecorder();
  const words = search.trim() || null;
  const list = usePaged(
    ['meetings', customerId, 'list', { words, since }],
    async (after) => (await call(MEETINGS, { after, since, search: words })).meetings,
    { refetchInterval: isSyncing(recorder) ? REFRESH_SYNCING_MS : REFRESH_MS, keepRows: true },
  );
  const narrowed = words !== null || since !== null;
  const empty = !list.loading && !list.error && list.rows.length === 0;
  return (
    <Stack gap="lg">
      <Group align="flex-end" gap="sm">
        <TypedInput
          label="Search"
          placeholder="Words, or an e-mail address"
          icon={<IconSearch size={16} aria-hidden />}
          value={search}
          onPause={(typed) => narrow('search', typed, true)}
        />
        <MomentInput label="Started since" value={since} onChange={(at) => narrow('since', at)} />
        {narrowed && (
          <Button variant="subtle" onClick={clear}>
            Clear filters
          </Button>
        )}
      </Group>
      <ErrorNote error={list.error} />
      {list.loading && <Skeleton h={320} aria-label="Loading meetings" />}
      {empty && narrowed && (
        <EmptyState icon={IconSearchOff} title="No meeting found">
          Whole words are looked for in title, summary and participants, and all of them have to be there.
          Search for fewer, or clear the filters.
        </EmptyState>
      )}
      {empty && !narrowed && <NoMeetings />}
      {list.rows.length > 0 && (
        <>
          <Card withBorder p={0}>
            <MeetingTable rows={list.rows} />
          </Card>
          <MoreButton {...list} />
        </>
      )}
    </Stack>
  );
}
