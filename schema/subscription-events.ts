import type { FeedEvent } from '../src/features/tenants/tenant-feed.ts';
import type { GraphQLContext } from './context.ts';

/** Returns the value of a subscription's event, and notes the id that the event is sent with. */
export function emitted<T>({ id, value }: FeedEvent<T>, { subscription }: GraphQLContext): T {
  subscription.eventId = id;
  return value;
}
