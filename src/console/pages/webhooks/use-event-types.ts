import { useQuery } from '@tanstack/react-query';
import { queryKeys } from '../../api/query-keys.ts';
import { graphql } from '../../generated/gql.ts';
import type { EventTypesQuery } from '../../generated/graphql.ts';
import { useSession } from '../../session/session.tsx';

const EVENT_TYPES = graphql(`
  query EventTypes {
    eventTypes {
      name
      description
    }
  }
`);

type EventType = EventTypesQuery['eventTypes'][number];

/** Loads all event types. They change only when the service is updated. */
export function useEventTypes(): EventType[] {
  const { call } = useSession();
  const { data } = useQuery({
    queryKey: queryKeys.eventTypes,
    queryFn: () => call(EVENT_TYPES),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.eventTypes ?? [];
}
