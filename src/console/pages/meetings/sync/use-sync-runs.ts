import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../../api/query-keys.ts';
import { usePagedList } from '../../../api/use-paged-list.ts';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session/session.tsx';

const RUNS = graphql(`
  query SyncRuns($after: String) {
    meetingSyncRuns(first: 10, after: $after) {
      pageInfo {
        hasNextPage
        endCursor
      }
      edges {
        node {
          ...SyncRun
        }
      }
    }
  }
`);

/** Loads the customer's sync runs, newest first. */
export function useSyncRuns() {
  const { call, customerId } = useSession();
  return usePagedList({
    key: queryKeys.syncRuns(customerId),
    loadPage: async (after) => (await call(RUNS, { after })).meetingSyncRuns,
  });
}

/** Loads the newest sync runs, regardless of the page that the URL selects; undefined while they load. */
export function useNewestSyncRuns() {
  const { call, customerId } = useSession();
  const { data } = useQuery({
    queryKey: queryKeys.newestSyncRuns(customerId),
    queryFn: async () => (await call(RUNS, { after: null })).meetingSyncRuns.edges.map(({ node }) => node),
  });
  return data;
}
