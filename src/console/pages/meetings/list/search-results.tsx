import { Anchor, Card, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconSearchOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { queryKeys } from '../../../api/query-keys.ts';
import { usePagedList } from '../../../api/use-paged-list.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { ErrorAlert } from '../../../components/error-alert.tsx';
import { MarkedText } from '../../../components/marked-text.tsx';
import { PagedRows } from '../../../components/paged-rows.tsx';
import { DateTime } from '../../../components/time.tsx';
import { formatCount, formatOffset } from '../../../format.ts';
import { graphql } from '../../../generated/gql.ts';
import type { MeetingSearchQuery } from '../../../generated/graphql.ts';
import { useSession } from '../../../session/session.tsx';
import { meetingPath, segmentPath } from '../meeting-paths.ts';

const SEARCH = graphql(`
  query MeetingSearch($query: String!, $since: DateTime, $after: String) {
    meetingSearch(first: 20, after: $after, query: $query, since: $since) {
      pageInfo {
        hasNextPage
        endCursor
      }
      edges {
        node {
          meeting {
            recorderMeetingId
            title
            startedAt
          }
          matches {
            field
            snippet
            highlights {
              start
              end
            }
            segment {
              index
              speaker
              startTime
            }
          }
        }
      }
    }
  }
`);

const BACKLOG = graphql(`
  query MeetingSearchBacklog {
    meetingSearchBacklog
  }
`);

type FoundMeeting = MeetingSearchQuery['meetingSearch']['edges'][number]['node'];
type MeetingMatch = FoundMeeting['matches'][number];

const REFRESH_MS = 5_000;

interface MeetingSearch {
  query: string;
  /** Start of the oldest meeting to find. ISO 8601; null without a limit. */
  since: string | null;
}

/** Searches meetings and their transcripts, best match first. */
function useMeetingSearch(search: MeetingSearch) {
  const { call, customerId } = useSession();
  const { data: backlog = 0 } = useQuery({
    queryKey: queryKeys.meetingSearchBacklog(customerId),
    queryFn: async () => (await call(BACKLOG)).meetingSearchBacklog,
    refetchInterval: ({ state }) => (state.data === 0 ? false : REFRESH_MS),
  });
  const found = usePagedList(
    {
      key: queryKeys.meetingSearch(customerId, search),
      loadPage: async (after) => (await call(SEARCH, { ...search, after })).meetingSearch,
    },
    { refetchInterval: backlog === 0 ? undefined : REFRESH_MS },
  );
  return { ...found, backlog };
}

/** Meetings that match a search, best match first, with the matching places. */
export function SearchResults(search: MeetingSearch) {
  const { backlog, ...found } = useMeetingSearch(search);
  const { rows, loading, error } = found;
  return (
    <PagedRows label="search results" list={found} first="best">
      <ErrorAlert error={error} />
      {backlog > 0 && (
        <Text size="sm" role="status">
          {formatCount(backlog, 'meeting')} {backlog === 1 ? 'is' : 'are'} not searchable yet. They appear
          here when they are.
        </Text>
      )}
      {loading && <Skeleton h={320} aria-label="Searching" />}
      {!loading && !error && rows.length === 0 && (
        <EmptyState icon={IconSearchOff} title="No matching meetings">
          The search matches words and their beginnings in title, participants, summary and transcript, and a
          meeting must contain all of them. Use fewer words, or clear the filters.
        </EmptyState>
      )}
      {rows.length > 0 && (
        <Stack component="ol" aria-label="Search results" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
          {rows.map((found) => (
            <SearchResult key={found.meeting.recorderMeetingId} {...found} />
          ))}
        </Stack>
      )}
    </PagedRows>
  );
}

function SearchResult({ meeting: { recorderMeetingId, title, startedAt }, matches }: FoundMeeting) {
  // The snippet of a short title is the title itself.
  const isTitle = ({ field, snippet }: MeetingMatch): boolean => field === 'title' && snippet === title;
  const inTitle = matches.find(isTitle);
  return (
    <Card withBorder component="li" padding="md">
      <Group justify="space-between" gap="xs">
        <Anchor component={Link} href={meetingPath(recorderMeetingId)} fw={550} className="breakable">
          <MarkedText text={title || 'Untitled meeting'} ranges={inTitle?.highlights ?? []} />
        </Anchor>
        {startedAt && (
          <Text size="sm" c="dimmed">
            <DateTime at={startedAt} />
          </Text>
        )}
      </Group>
      <Stack component="ul" gap={6} mt="xs" m={0} p={0} style={{ listStyle: 'none' }}>
        {matches
          .filter((match) => match !== inTitle)
          .map((match) => (
            <Text key={`${match.field} ${match.segment?.index} ${match.snippet}`} component="li" size="sm">
              <MatchPlace meetingId={recorderMeetingId} match={match} />{' '}
              <span className="breakable">
                <MarkedText text={match.snippet} ranges={match.highlights} />
              </span>
            </Text>
          ))}
      </Stack>
    </Card>
  );
}

/** Part of the meeting that matches: in a transcript, a link to the segment. */
function MatchPlace({ meetingId, match: { field, segment } }: { meetingId: string; match: MeetingMatch }) {
  if (!segment)
    return (
      <Text span inherit c="dimmed" tt="capitalize">
        {field}:
      </Text>
    );
  const { index, speaker, startTime } = segment;
  return (
    <Anchor component={Link} href={segmentPath(meetingId, index)} inherit>
      {speaker ?? 'Unknown speaker'}, {startTime == null ? `segment ${index + 1}` : formatOffset(startTime)}
    </Anchor>
  );
}
