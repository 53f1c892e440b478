import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { AppError, invalid, invalidInput } from '../../errors/app-error.ts';
import { LIMITS } from '../../limits/limits.ts';
import type { Clock } from '../../platform/clock.ts';
import { cursorCodec, isCursor, isInteger } from '../../platform/cursor.ts';
import { parseDateTime } from '../../platform/date-time.ts';
import { createKeyedCounter } from '../../platform/keyed-counter.ts';
import type { DocumentRef } from '../../platform/mongo/ids-of-tenants.ts';
import { createTimeSlice } from '../../platform/time-slice.ts';
import {
  customTypeOf,
  type EventTypeName,
  isNamed,
  isSentByDefault,
  typeNameOf,
} from '../outbox/event-type.ts';
import type { OutboxEventStore } from '../outbox/outbox-event.store.ts';
import type { TimelineEvent, TimelineService } from '../outbox/timeline.service.ts';
import type { Principal, Tenant } from '../tenants/tenants.types.ts';
import { filterIssues } from '../webhooks/endpoints/filter.ts';
import { compileFilter, type FilterTest } from '../webhooks/endpoints/filter-evaluation.ts';
import type { EventFeedDoc } from './event-feed.model.ts';
import type { EventFeedStore } from './event-feed.store.ts';
import type { EventFeed, EventFeedPage, EventFeedStatus, FeedSelection } from './event-feed.types.ts';
import type { LogDoc, LogEntryDoc } from './event-log.model.ts';
import type { EventLogStore } from './event-log.store.ts';
import type { LogReaders, WatchedLog } from './log-readers.ts';

/** How long a consumer holds a feed after a pull or an acknowledgement. Milliseconds. */
const LEASE_MS = 15_000;
/** Entries that one pull reads at most to find events that its filters select. */
const MAX_SCANNED = 5_000;
/** Entries that a pull with filters reads at a time. */
const SCAN_BATCH = 500;
/** How long a pull waits for the sequencer to reach the events that were accepted before it. Milliseconds. */
const MAX_LAG_MS = 2_000;
/** How long a position that depends on all stored events waits for a new log. Milliseconds. */
const MAX_SCAN_WAIT_MS = 5_000;
/** Newest events that must be in the log for a pull to be up to date. */
const NEWEST = 20;
/** Custom types that the pulls of a feed name at most, over its lifetime. */
const MAX_CUSTOM_TYPES = 100;
/** Tenants whose oldest event is remembered. */
const MAX_OLDEST = 1_000;
/** Events from a time on among which the first of the log is found: their ids and their order differ by few. */
const FIRST_OF_TIME = 1_000;

export interface FeedRequest {
  name: string;
  /** Null for the API key itself. */
  consumer: string | null;
}

export interface PullRequest extends FeedRequest, FeedSelection {
  /** Position to read from; null for the acknowledged one. */
  cursor: string | null;
  /** Position of a feed that does not exist: `beginning`, `end` or a time. */
  start: string;
  limit: number;
  waitMs: number;
}

interface ReadRequest extends Pick<PullRequest, 'limit' | 'events'> {
  /** Null for no filter. */
  failedClause: FilterTest | null;
}

/** Signals that end the wait of a pull. */
export interface PullSignals {
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
  /** Aborted when the server stops: the pull returns what it has. */
  stopping: AbortSignal;
}

interface Deps {
  feeds: EventFeedStore;
  logs: Pick<EventLogStore, 'open' | 'find' | 'after' | 'lastSequence' | 'ofEvents' | 'markRemoved'>;
  readers: Pick<LogReaders, 'watch'>;
  events: Pick<OutboxEventStore, 'newest' | 'since'>;
  timeline: Pick<TimelineService, 'findMany'>;
  clock: Clock;
  /** Events are kept for at least this long (`DELIVERY_RETENTION`), unless they are erased. */
  retentionMs: number;
}

/** Cursors are positions in the log of a tenant: each feed accepts those of another one. */
const cursorOf = ({ customerId }: Tenant) => cursorCodec(['eventFeed', customerId], isInteger);

/** A session of the console is not the consumer that pulls with the session's key. */
const consumerOf = ({ keyId, session }: Principal, { consumer }: FeedRequest): string =>
  consumer ?? (session ? `session:${session.id}` : `key:${keyId}`);

export function eventFeedService({ feeds, logs, readers, events, timeline, clock, retentionMs }: Deps) {
  const waiting = createKeyedCounter();
  /** Time of the first event by tenant and the end of what retention has removed. */
  const oldest = new LRUCache<string, Date>({ max: MAX_OLDEST });

  const toFeed = (tenant: Tenant, { name, sequence, consumer, expiresAt }: EventFeedDoc): EventFeed => ({
    name,
    cursor: cursorOf(tenant).encode(sequence),
    consumer,
    heldUntil: expiresAt,
  });

  const noSuchFeed = (name: string) =>
    new AppError('NOT_FOUND', `The feed ${name} does not exist; the first pull of a feed creates it.`);

  async function heldByOther(tenant: Tenant, name: string): Promise<AppError> {
    const feed = await feeds.find(tenant, name);
    if (!feed) return noSuchFeed(name);
    return new AppError(
      'CONFLICT',
      `The feed ${name} is held by the consumer ${feed.consumer} until ${feed.expiresAt.toISOString()}, unless it pulls again; try again afterwards.`,
    );
  }

  /** Watches the log of a tenant, and creates it if it has none. */
  async function openLog(tenant: Tenant): Promise<WatchedLog> {
    const watched = await readers.watch(tenant);
    if (!(await logs.find(tenant))) await logs.open(tenant);
    return watched;
  }

  /** Waits until the log has what was accepted before; returns early if that takes too long. */
  async function untilLogged(
    tenant: Tenant,
    log: WatchedLog,
    { maxMs, signals }: { maxMs: number; signals: readonly AbortSignal[] },
  ): Promise<void> {
    const deadline = performance.now() + maxMs;
    const accepted = await events.newest(tenant, NEWEST);
    for (;;) {
      const changed = log.changed();
      if (await areLogged(tenant, accepted)) return;
      const leftMs = deadline - performance.now();
      if (leftMs <= 0 || signals.some(({ aborted }) => aborted)) return;
      // A scan that finds nothing adds no entry.
      await firstOf(changed, Math.min(leftMs, POLL_MS), signals);
    }
  }

  async function areLogged(tenant: Tenant, accepted: readonly DocumentRef[]): Promise<boolean> {
    if (!(await logs.find(tenant))?.isComplete) return false;
    return accepted.length === 0 || (await logs.ofEvents(accepted)).length === accepted.length;
  }

  const unreadable = async (
    tenant: Tenant,
    { removedUntil }: LogDoc,
    sequence: number,
  ): Promise<AppError> => {
    const first = await oldestOf(tenant, removedUntil);
    const left = first ? `the oldest stored event is of ${first.toISOString()}` : 'no other event is stored';
    return new AppError(
      'POSITION_GONE',
      `Up to ${removedUntil - sequence} events after this position were removed by retention; ${left}. Seek to "beginning", or to a later time, to continue.`,
    );
  };

  /** Returns the time of the first event that can be read; null if there is none. */
  async function oldestOf(tenant: Tenant, removedUntil: number): Promise<Date | null> {
    const key = `${tenant.customerId}/${removedUntil}`;
    const known = oldest.get(key);
    if (known) return known;
    const [entry] = await logs.after(tenant, { sequence: removedUntil, limit: 1 });
    const id = entry?._id.toHexString();
    const event = id && (await timeline.findMany(tenant, [id])).get(id);
    if (event) oldest.set(key, event.createdAt);
    return event ? event.createdAt : null;
  }

  async function requireReadable(tenant: Tenant, sequence: number): Promise<LogDoc> {
    const log = (await logs.find(tenant)) ?? (await logs.open(tenant));
    if (sequence < log.removedUntil) throw await unreadable(tenant, log, sequence);
    return log;
  }

  async function decode(tenant: Tenant, cursor: string): Promise<number> {
    const sequence = cursorOf(tenant).decode(cursor);
    if (sequence < 0 || sequence > (await logs.lastSequence(tenant)))
      throw invalid('cursor', 'Must be a cursor that a feed of the customer has returned.');
    return sequence;
  }

  /** Returns the sequence of a position that is no cursor. @param path name of the argument */
  async function sequenceAt(
    tenant: Tenant,
    log: WatchedLog,
    { to, path }: { to: string; path: string },
  ): Promise<number> {
    if (to === 'beginning') return (await requireLog(tenant)).removedUntil;
    const since = parseDateTime(to);
    if (!since && to !== 'end') throw invalid(path, POSITION);
    await untilLogged(tenant, log, { maxMs: MAX_SCAN_WAIT_MS, signals: [] });
    const { isComplete, removedUntil } = await requireLog(tenant);
    if (!isComplete)
      throw new AppError('SERVICE_UNAVAILABLE', 'The log of the customer is being created; try again.');
    const first = since && (await logs.ofEvents(await events.since(tenant, { since, limit: FIRST_OF_TIME })));
    if (!first || first.length === 0) return logs.lastSequence(tenant);
    return Math.max(removedUntil, Math.min(...first.map(({ sequence }) => sequence)) - 1);
  }

  /** Decodes a cursor whose following events can be read. */
  async function readable(tenant: Tenant, cursor: string): Promise<number> {
    const sequence = await decode(tenant, cursor);
    await requireReadable(tenant, sequence);
    return sequence;
  }

  const requireLog = async (tenant: Tenant): Promise<LogDoc> =>
    (await logs.find(tenant)) ?? logs.open(tenant);

  async function create(tenant: Tenant, log: WatchedLog, { name, start }: { name: string; start: string }) {
    await feeds.create(tenant, {
      name,
      sequence: await sequenceAt(tenant, log, { to: start, path: 'start' }),
    });
    const maximum = LIMITS.eventFeeds.default;
    // Counted afterwards, so that concurrent creations do not exceed it.
    if ((await feeds.count(tenant)) <= maximum) return;
    await feeds.removeUnheld(tenant, name);
    throw new AppError(
      'CONFLICT',
      `The customer has ${maximum} event feeds, which is the maximum; use one of them.`,
    );
  }

  /** Has the events of the custom types that a pull names published from now on. */
  async function nameTypes(tenant: Tenant, feed: EventFeedDoc, names: readonly EventTypeName[]) {
    const known = feed.customTypes ?? [];
    const added = names.flatMap((name) => customTypeOf(name) ?? []).filter((type) => !known.includes(type));
    if (added.length === 0) return;
    if (await feeds.nameTypes(tenant, feed.name, { types: added, max: MAX_CUSTOM_TYPES })) return;
    // Deleted since this pull has acquired it.
    if (!(await feeds.find(tenant, feed.name))) throw noSuchFeed(feed.name);
    throw new AppError(
      'CONFLICT',
      `The pulls of the feed ${feed.name} would have named too many custom types: ${MAX_CUSTOM_TYPES} is the maximum; use another feed for others.`,
    );
  }

  /** Reads events after a sequence, with a bound on the entries that the selection leaves out. */
  async function read(
    tenant: Tenant,
    from: number,
    { limit, events: names, failedClause }: ReadRequest,
  ): Promise<Omit<EventFeedPage, 'cursor' | 'oldest'> & { sequence: number }> {
    const isWanted = (entry: LogEntryDoc) => {
      const name = typeNameOf(entry);
      return names ? isNamed(name, names) : isSentByDefault(name);
    };
    const yieldToRequests = createTimeSlice();
    const data: TimelineEvent[] = [];
    let sequence = from;
    for (let scanned = 0; scanned < MAX_SCANNED; ) {
      const wanted = limit - data.length;
      // Without a selection nearly all events are wanted, unless the first batch shows that many are custom or operational.
      const batch = failedClause || names || scanned > 0 ? SCAN_BATCH : wanted + 1;
      const entries = await logs.after(tenant, { sequence, limit: batch });
      scanned += entries.length;
      const wantedEntries = entries.filter(isWanted);
      const loaded = wantedEntries.slice(0, failedClause ? batch : wanted);
      const notLoaded = wantedEntries[loaded.length];
      const stored = await timeline.findMany(
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
            if (failedClause) await yieldToRequests();
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
    return unreadable(tenant, await requireLog(tenant), from);
  }

  async function pullWhileHeld(
    tenant: Tenant,
    log: WatchedLog,
    { from, waitMs, ...request }: ReadRequest & { from: number; waitMs: number },
    signals: readonly AbortSignal[],
  ): Promise<EventFeedPage> {
    const deadline = performance.now() + waitMs;
    const first = await read(tenant, from, request);
    let page = first;
    if (isOpen(first, request.limit)) {
      await untilLogged(tenant, log, { maxMs: MAX_LAG_MS, signals });
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
    const { removedUntil } = await requireReadable(tenant, from);
    const { sequence, hasMore } = page;
    return {
      data,
      cursor: cursorOf(tenant).encode(sequence),
      hasMore,
      oldest: await oldestOf(tenant, removedUntil),
    };
  }

  return {
    /**
     * Returns the events after the acknowledged position, or after a cursor; waits for one if there is none. Creates the
     * feed if it does not exist, and holds it for the consumer.
     *
     * @throws AppError `CONFLICT` if another consumer holds the feed, or the tenant has too many; `POSITION_GONE` if retention has
     *   removed events after the position; `RATE_LIMITED` if too many pulls of the key wait
     */
    async pull(
      tenant: Tenant,
      principal: Principal,
      { name, start, cursor, waitMs, ...request }: PullRequest,
      { signal, stopping }: PullSignals,
    ): Promise<EventFeedPage> {
      const issues = request.filter ? filterIssues(request.filter, request.events) : [];
      if (issues.length > 0) throw invalidInput(issues);
      const failedClause = request.filter && compileFilter(JSON.stringify(request.filter));
      const maximum = LIMITS.waitingPulls.default;
      const stopWaiting = waitMs > 0 ? waiting.open(principal.keyId, maximum) : () => {};
      if (!stopWaiting)
        throw new AppError(
          'RATE_LIMITED',
          `The API key has ${maximum} pulls that wait, which is the maximum.`,
          {
            retryAfter: 1,
          },
        );
      const consumer = consumerOf(principal, { name, consumer: request.consumer });
      try {
        const log = await openLog(tenant);
        const acquire = () => feeds.acquire(tenant, { name, consumer, holdMs: waitMs + LEASE_MS });
        let feed = await acquire();
        if (!feed) {
          if (!(await feeds.find(tenant, name))) await create(tenant, log, { name, start });
          // Also of a feed that a concurrent request has created meanwhile.
          feed = await acquire();
        }
        if (!feed) throw await heldByOther(tenant, name);
        await nameTypes(tenant, feed, request.events ?? []);
        const from = cursor === null ? feed.sequence : await decode(tenant, cursor);
        await requireReadable(tenant, from);
        try {
          return await pullWhileHeld(tenant, log, { ...request, failedClause, from, waitMs }, [
            signal,
            stopping,
          ]);
        } finally {
          // A client that has gone does not acknowledge what it gets.
          if (waitMs > 0 || signal.aborted)
            await feeds.hold(tenant, { name, consumer, holdMs: signal.aborted ? 0 : LEASE_MS });
        }
      } finally {
        stopWaiting();
      }
    },

    /**
     * Moves the stored position forward to a cursor, and holds the feed for the consumer.
     * @throws AppError `CONFLICT` if another consumer holds the feed; `NOT_FOUND`
     */
    async acknowledge(
      tenant: Tenant,
      principal: Principal,
      { name, cursor, consumer }: FeedRequest & { cursor: string },
    ): Promise<EventFeed> {
      const feed = await feeds.acknowledge(tenant, {
        name,
        consumer: consumerOf(principal, { name, consumer }),
        sequence: await decode(tenant, cursor),
        holdMs: LEASE_MS,
      });
      if (!feed) throw await heldByOther(tenant, name);
      return toFeed(tenant, feed);
    },

    /**
     * Sets the stored position. Creates the feed if it does not exist.
     * @throws AppError `CONFLICT` if another consumer holds the feed; `POSITION_GONE` for a cursor whose events are removed
     */
    async seek(
      tenant: Tenant,
      principal: Principal,
      { name, to, consumer }: FeedRequest & { to: string },
    ): Promise<EventFeed> {
      const log = await openLog(tenant);
      const sequence = isCursor(to)
        ? await readable(tenant, to)
        : await sequenceAt(tenant, log, { to, path: 'to' });
      const position = { name, consumer: consumerOf(principal, { name, consumer }), sequence };
      let feed = await feeds.seek(tenant, position);
      if (!feed) {
        if (!(await feeds.find(tenant, name))) await create(tenant, log, { name, start: 'beginning' });
        feed = await feeds.seek(tenant, position);
      }
      if (!feed) throw await heldByOther(tenant, name);
      return toFeed(tenant, feed);
    },

    /** Returns the feeds of a tenant by name, and how far each is behind what was accepted before. */
    async list(tenant: Tenant): Promise<EventFeedStatus[]> {
      if ((await feeds.count(tenant)) === 0) return [];
      // While no consumer pulls, no process writes the log.
      await untilLogged(tenant, await openLog(tenant), { maxMs: MAX_LAG_MS, signals: [] });
      const { removedUntil } = await requireLog(tenant);
      const last = await logs.lastSequence(tenant);
      return (await feeds.list(tenant)).map((feed) => {
        const behind = Math.max(0, last - Math.max(feed.sequence, removedUntil));
        return {
          ...toFeed(tenant, feed),
          usedAt: feed.usedAt,
          behind,
          // An event that was added since, or that outlived later ones, is not counted.
          behindSince: behind > 0 ? (feed.next[0]?._id.getTimestamp() ?? null) : null,
          lost: Math.max(0, removedUntil - feed.sequence),
        };
      });
    },

    /**
     * Removes a feed and returns its last position. Its events stay stored.
     * @throws AppError `CONFLICT` if another consumer holds the feed; `NOT_FOUND`
     */
    async remove(tenant: Tenant, principal: Principal, name: string): Promise<EventFeed> {
      const consumer = consumerOf(principal, { name, consumer: null });
      const feed = await feeds.remove(tenant, { name, consumer });
      if (!feed) throw await heldByOther(tenant, name);
      return toFeed(tenant, feed);
    },
  };
}

/** Describes the positions that are no cursors. */
const POSITION =
  'Must be "beginning", "end" or a time in ISO 8601 with an offset; to seek, also a cursor of a feed of the customer.';

/** Interval at which a wait for the log looks again, in case that nothing is added to it. Milliseconds. */
const POLL_MS = 200;

/** Resolves with the first of a promise, a time limit and a signal. */
async function firstOf(promise: Promise<void>, ms: number, signals: readonly AbortSignal[]): Promise<void> {
  const end = new AbortController();
  const timeout = sleep(ms, undefined, { signal: AbortSignal.any([...signals, end.signal]) });
  await Promise.race([promise, timeout.catch(() => {})]);
  end.abort();
}

/** Returns true if a page has room for events that were accepted before it was read but are not in the log yet. */
const isOpen = ({ data, hasMore }: Pick<EventFeedPage, 'data' | 'hasMore'>, limit: number): boolean =>
  data.length < limit && !hasMore;

/** Sample events are for one endpoint. */
const isSample = ({ payload }: TimelineEvent): boolean =>
  payload.includes('"test":true') && JSON.parse(payload).data.test === true;

function isSelected(event: TimelineEvent, failedClause: FilterTest | null): boolean {
  if (isSample(event)) return false;
  return failedClause === null || failedClause(JSON.parse(event.payload)) === null;
}

export type EventFeedService = ReturnType<typeof eventFeedService>;
