import type { EventTypeName } from '../outbox/event-type.ts';
import type { PublishedEvent } from '../outbox/published-events.service.ts';
import type { EndpointFilter } from '../webhooks/endpoints/filter.ts';

/** Events of a feed after a position. */
export interface EventFeedPage {
  data: PublishedEvent[];
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

/** A feed, and how far it is behind the events of its tenant. */
export interface EventFeedStatus extends EventFeed {
  /** Last pull, acknowledgement or seek. */
  usedAt: Date;
  /** Stored events after the position, those that no pull of the feed selects included. */
  behind: number;
  /** Time of the first of them, to the second; null if there is none. */
  behindSince: Date | null;
  /** Events after the position that retention has removed: if there are any, the position is gone. */
  lost: number;
}

/** Events that a pull selects. */
export interface FeedSelection {
  /** Null for all customer events. */
  events: readonly EventTypeName[] | null;
  filter: EndpointFilter | null;
}
