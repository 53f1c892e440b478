import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../../api/query-keys.ts';
import { usePagedList } from '../../../api/use-paged-list.ts';
import { graphql } from '../../../generated/gql.ts';
import type { MeetingSearchQuery } from '../../../generated/graphql.ts';
import { useSession } from '../../../session.tsx';

const SEARCH = graphql(`
  query MeetingSearch($query: String!, $after: String) {
    meetingSearch(first: 20, after: $after, query: $query) {
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

export type FoundMeeting = MeetingSearchQuery['meetingSearch']['edges'][number]['node'];
export type MeetingMatch = FoundMeeting['matches'][number];

const REFRESH_MS = 5_000;

/** Searches meetings and their transcripts, best match first. */
export function useMeetingSearch(searchText: string) {
  const { call, customerId } = useSession();
  const { data: backlog = 0 } = useQuery({
    queryKey: queryKeys.meetingSearchBacklog(customerId),
    queryFn: async () => (await call(BACKLOG)).meetingSearchBacklog,
    refetchInterval: ({ state }) => (state.data === 0 ? false : REFRESH_MS),
  });
  const found = usePagedList(
    queryKeys.meetingSearch(customerId, searchText),
    async (after) => (await call(SEARCH, { query: searchText, after })).meetingSearch,
    { refetchInterval: backlog === 0 ? undefined : REFRESH_MS },
  );
  return { ...found, backlog };
}
