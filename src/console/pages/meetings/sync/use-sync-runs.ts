import { useQuery } from '@tanstack/react-query';
import { usePagedList } from '../../../api/use-paged-list.ts';
import { graphql } from '../../../generated/gql.ts';
import { useSession } from '../../../session.tsx';
import { recorderQueryKey } from '../use-recorder.ts';

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

/** Loads the tenant's sync runs, newest first. */
export function useSyncRuns() {
  const { call, customerId } = useSession();
  return usePagedList(
    [...recorderQueryKey(customerId), 'runs'],
    async (after) => (await call(RUNS, { after })).meetingSyncRuns,
  );
}

/** Loads the newest sync runs, whichever page of them the URL selects; undefined while they load. */
export function useNewestSyncRuns() {
  const { call, customerId } = useSession();
  const { data } = useQuery({
    queryKey: [...recorderQueryKey(customerId), 'newest-runs'],
    queryFn: async () => (await call(RUNS, { after: null })).meetingSyncRuns.edges.map(({ node }) => node),
  });
  return data;
}
