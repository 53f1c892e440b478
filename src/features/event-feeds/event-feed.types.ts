import type { EventTypeName } from '../outbox/event-type.ts';
import type { TimelineEvent } from '../outbox/timeline.service.ts';
import type { EndpointFilter } from '../webhooks/endpoints/filter.ts';

/** Events of a feed after a position. */
export interface EventFeedPage {
  data: TimelineEvent[];
  /** Position after the events. */
  cursor: string;
  /** True if more events are stored after the cursor. */
  hasMore: boolean;
  /** Time of the oldest event that can be read; null if there is none. */
  oldest: Date | null;
}

/** A feed and its stored position. */
export interface EventFeed {
  name: string;
  /** Acknowledged position. */
  cursor: string;
  /** Consumer that holds the feed, or held it last; null before the first. */
  consumer: string | null;
  /** End of the consumer's lease. */
  heldUntil: Date;
}

/** Events that a pull selects. */
export interface FeedSelection {
  /** Null for all customer events. */
  events: readonly EventTypeName[] | null;
  filter: EndpointFilter | null;
}
