import { useQuery } from '@tanstack/react-query';
import { isCustomType } from '../../../shared/custom-events.ts';
import { queryKeys } from '../../api/query-keys.ts';
import { graphql } from '../../generated/gql.ts';
import type { EventTypesQuery } from '../../generated/graphql.ts';
import { useSession } from '../../session/session.tsx';
import { useEndpoints } from './endpoints/use-endpoints.ts';

const EVENT_TYPES = graphql(`
  query EventTypes {
    eventTypes {
      name
      description
    }
  }
`);

type EventType = EventTypesQuery['eventTypes'][number];

/** Loads the event types of the catalog. They change only when the service is updated. */
export function useEventTypes(): EventType[] {
  const { call } = useSession();
  const { data } = useQuery({
    queryKey: queryKeys.eventTypes,
    queryFn: () => call(EVENT_TYPES),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.eventTypes ?? [];
}

/** Names of event types: those of the catalog, and the custom types that an endpoint names. */
export function useEventNames(): string[] {
  const eventTypes = useEventTypes();
  const { data: endpoints = [] } = useEndpoints();
  const custom = endpoints.flatMap(({ events }) => events ?? []).filter(isCustomType);
  return [...eventTypes.map(({ name }) => name), ...new Set(custom)];
}
