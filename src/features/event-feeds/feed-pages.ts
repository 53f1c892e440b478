import type { AppError } from '../../errors/app-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { firstOf } from '../../platform/first-of.ts';
import { createTimeSlice } from '../../platform/time-slice.ts';
import { isReceivedBy, typeNameOf } from '../outbox/event-type.ts';
import type { PublishedEvent, PublishedEventService } from '../outbox/published-events.service.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { FilterTest } from '../webhooks/endpoints/filter-evaluation.ts';
import type { EventFeedPage, FeedSelection } from './event-feed.types.ts';
import type { LogEntryDoc } from './event-log.model.ts';
import type { EventLogStore } from './event-log.store.ts';
import { cursorOf, type FeedPositions } from './feed-positions.ts';
import { type LogLag, MAX_LAG_MS } from './log-lag.ts';
import type { WatchedLog } from './log-readers.ts';

/** Entries that one pull reads at most to find events that its filters select. */
const MAX_SCANNED = 5_000;
/** Entries that a pull with filters reads at a time. */
const SCAN_BATCH = 500;

interface ReadRequest extends Pick<FeedSelection, 'events'> {
  limit: number;
  /** Null for no filter. */
  failedClause: FilterTest | null;
  /** Aborted when the client disconnects: a filter can take seconds. */
  signal: AbortSignal;
}

/** Signals that end the wait of a pull. */
export interface PullSignals {
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  /** Aborted when the server stops: the pull returns what it has. */
  stopping: AbortSignal;
}

interface Deps {
  logs: Pick<EventLogStore, 'after' | 'markRemoved'>;
  publishedEvents: Pick<PublishedEventService, 'findMany'>;
  positions: FeedPositions;
  lag: LogLag;
  clock: Clock;
  /** Events are kept for at least this long (`DELIVERY_RETENTION`), unless they are erased. */
  retentionMs: number;
}

/** Reads the pages of a feed: the events after a position, and those that arrive while a pull waits. */
export function feedPages({ logs, publishedEvents, positions, lag, clock, retentionMs }: Deps) {
  /**
   * Reads events after a sequence, with a bound on the entries that the selection leaves out.
   * @throws the reason of the signal once it is aborted
   */
  async function read(
    tenant: Tenant,
    from: number,
    { limit, events: names, failedClause, signal }: ReadRequest,
  ): Promise<Omit<EventFeedPage, 'cursor' | 'oldest'> & { sequence: number }> {
    const isWanted = (entry: LogEntryDoc) => isReceivedBy(typeNameOf(entry), names);
    const yieldToRequests = createTimeSlice();
    const data: PublishedEvent[] = [];
    let sequence = from;
    for (let scanned = 0; scanned < MAX_SCANNED; ) {
      signal.throwIfAborted();
      const room = limit - data.length;
      // Without a selection nearly all events are wanted, unless the first batch shows that many are custom or operational.
      const batch = failedClause || names || scanned > 0 ? SCAN_BATCH : room + 1;
      const entries = await logs.after(tenant, { sequence, limit: batch });
      scanned += entries.length;
      const wantedEntries = entries.filter(isWanted);
      const loaded = wantedEntries.slice(0, failedClause ? batch : room);
      const notLoaded = wantedEntries[loaded.length];
      const stored = await publishedEvents.findMany(
        tenant,
        loaded.map(({ _id }) => _id.toHexString()),
      );
      for (const entry of entries) {
        if (data.length === limit) return { data, sequence, hasMore: true };
        // A test event or an erased one has left room for it: the next batch begins with it.
        if (entry === notLoaded) break;
        if (isWanted(entry)) {
          const event = stored.get(entry._id.toHexString());
          if (event) {
            if (failedClause) {
              await yieldToRequests();
              signal.throwIfAborted();
            }
            if (isSelected(event, failedClause)) data.push(event);
          } else if (isExpired(entry)) throw await missing(tenant, entry, from);
        }
        sequence = entry.sequence;
      }
      if (!notLoaded && entries.length < batch) return { data, sequence, hasMore: false };
    }
    return { data, sequence, hasMore: true };
  }

  /** False for an event that an erasure has removed: the feed continues without it. */
  const isExpired = ({ _id }: LogEntryDoc): boolean =>
    _id.getTimestamp().getTime() + retentionMs <= clock.now().getTime();

  /** Retention has removed an event, possibly before it had an entry. */
  async function missing(tenant: Tenant, entry: LogEntryDoc, from: number): Promise<AppError> {
    await logs.markRemoved([entry]);
    return positions.positionGone(tenant, await positions.requireLog(tenant), from);
  }

  return {
    /** Returns the events after a sequence; waits for one if there is none, until a signal aborts. */
    async after(
      tenant: Tenant,
      log: WatchedLog,
      { from, waitMs, ...selection }: Omit<ReadRequest, 'signal'> & { from: number; waitMs: number },
      { signal, stopping }: PullSignals,
    ): Promise<EventFeedPage> {
      const request = { ...selection, signal };
      const signals = [signal, stopping];
      const deadline = performance.now() + waitMs;
      const first = await read(tenant, from, request);
      let page = first;
      if (isOpen(first, request.limit)) {
        await lag.untilLogged(tenant, log, { maxMs: MAX_LAG_MS, signals });
        for (;;) {
          const changed = log.changed();
          page = await read(tenant, page.sequence, { ...request, limit: request.limit - first.data.length });
          const leftMs = deadline - performance.now();
          const isFound = first.data.length + page.data.length > 0 || page.hasMore;
          if (isFound || leftMs <= 0 || signals.some(({ aborted }) => aborted)) break;
          await firstOf(changed, leftMs, signals);
        }
      }
      const data = page === first ? first.data : [...first.data, ...page.data];
      const { removedUntil } = await positions.requireReadable(tenant, from);
      const { sequence, hasMore } = page;
      return {
        data,
        cursor: cursorOf(tenant).encode(sequence),
        hasMore,
        oldest: await positions.oldestOf(tenant, removedUntil),
      };
    },
  };
}

/** Returns true if a page has room for events that were accepted before it was read but are not in the log yet. */
const isOpen = ({ data, hasMore }: Pick<EventFeedPage, 'data' | 'hasMore'>, limit: number): boolean =>
  data.length < limit && !hasMore;

/** Sample events are for one endpoint. */
const isSample = ({ payload }: PublishedEvent): boolean =>
  payload.includes('"test":true') && JSON.parse(payload).data.test === true;

function isSelected(event: PublishedEvent, failedClause: FilterTest | null): boolean {
  if (isSample(event)) return false;
  return failedClause === null || failedClause(JSON.parse(event.payload)) === null;
}

export type FeedPages = ReturnType<typeof feedPages>;
