import { useQuery } from '@tanstack/react-query';
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

/** Name under which the catalog has the events of all custom types. */
export const CUSTOM_EVENT = 'custom.*';
/** Beginning of the names of custom types. */
export const CUSTOM_PREFIX = 'custom.';

/** Loads the event types of the catalog that have a name of their own. They change only when the service is updated. */
export function useEventTypes(): EventType[] {
  const { call } = useSession();
  const { data } = useQuery({
    queryKey: queryKeys.eventTypes,
    queryFn: () => call(EVENT_TYPES),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.eventTypes.filter(({ name }) => name !== CUSTOM_EVENT) ?? [];
}

/** Names of event types: those of the catalog, and the custom ones that an endpoint names. */
export function useEventNames(): string[] {
  const eventTypes = useEventTypes();
  const { data: endpoints = [] } = useEndpoints();
  const custom = endpoints
    .flatMap(({ events }) => events ?? [])
    .filter((name) => name.startsWith(CUSTOM_PREFIX));
  return [...eventTypes.map(({ name }) => name), ...new Set(custom)];
}
