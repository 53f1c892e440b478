import { useQuery } from '@tanstack/react-query';
import { graphql } from '../../generated/gql.ts';
import { useSession } from '../../session.tsx';

const EVENT_TYPES = graphql(`
  query EventTypes {
    eventTypes {
      name
      description
    }
  }
`);

/** A kind of event, and when it happens. */
interface EventType {
  name: string;
  description: string;
}

/** Every kind of event there is; they change with the service only. */
export function useEventTypes(): EventType[] {
  const { call } = useSession();
  const { data } = useQuery({
    queryKey: ['event-types'],
    queryFn: () => call(EVENT_TYPES),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return data?.eventTypes ?? [];
}
