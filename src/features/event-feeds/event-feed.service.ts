import { AppError, invalidInput } from '../../errors/app-error.ts';
import { LIMITS } from '../../limits/limits.ts';
import { isCursor } from '../../platform/cursor.ts';
import { createKeyedCounter } from '../../platform/keyed-counter.ts';
import { customTypeOf, type EventTypeName } from '../outbox/event-type.ts';
import type { Principal, Tenant } from '../tenants/tenants.types.ts';
import { filterIssues } from '../webhooks/endpoints/filter.ts';
import { compileFilter } from '../webhooks/endpoints/filter-evaluation.ts';
import type { EventFeedDoc } from './event-feed.model.ts';
import type { EventFeedStore } from './event-feed.store.ts';
import type { EventFeed, EventFeedPage, EventFeedStatus, FeedSelection } from './event-feed.types.ts';
import type { EventLogStore } from './event-log.store.ts';
import type { FeedPages, PullSignals } from './feed-pages.ts';
import { cursorOf, type FeedPositions } from './feed-positions.ts';
import { type LogLag, MAX_LAG_MS } from './log-lag.ts';
import type { LogReaders, WatchedLog } from './log-readers.ts';

/** How long a consumer holds a feed after a pull or an acknowledgement. Milliseconds. */
const LEASE_MS = 15_000;
/** Custom types that the pulls of a feed name at most, over its lifetime. */
const MAX_CUSTOM_TYPES = 100;

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

interface Deps {
  feeds: EventFeedStore;
  logs: Pick<EventLogStore, 'lastSequence'>;
  readers: Pick<LogReaders, 'watch'>;
  lag: LogLag;
  positions: FeedPositions;
  pages: FeedPages;
}

/** A session of the console is not the consumer that pulls with the session's key. */
const consumerOf = ({ keyId, session }: Principal, { consumer }: FeedRequest): string =>
  consumer ?? (session ? `session:${session.id}` : `key:${keyId}`);

/** Feeds and their consumers: who holds a feed, and up to where it has acknowledged the log. */
export function eventFeedService({ feeds, logs, readers, lag, positions, pages }: Deps) {
  const waiting = createKeyedCounter();

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
    await positions.requireLog(tenant);
    return watched;
  }

  async function create(tenant: Tenant, log: WatchedLog, { name, start }: { name: string; start: string }) {
    await feeds.create(tenant, {
      name,
      sequence: await positions.sequenceAt(tenant, log, { to: start, path: 'start' }),
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
        const holdMs = waitMs + LEASE_MS;
        const acquire = () => feeds.acquire(tenant, { name, consumer, holdMs });
        let feed = await acquire();
        if (!feed) {
          if (!(await feeds.find(tenant, name))) await create(tenant, log, { name, start });
          // Also of a feed that a concurrent request has created meanwhile.
          feed = await acquire();
        }
        if (!feed) throw await heldByOther(tenant, name);
        await nameTypes(tenant, feed, request.events ?? []);
        const from = cursor === null ? feed.sequence : await positions.decode(tenant, cursor);
        await positions.requireReadable(tenant, from);
        try {
          return await pages.after(
            tenant,
            log,
            { ...request, failedClause, from, waitMs },
            { signal, stopping },
          );
        } finally {
          // A client that has gone does not acknowledge what it gets.
          if (waitMs > 0 || signal.aborted)
            await feeds.hold(tenant, { ...feed, holdMs }, signal.aborted ? 0 : LEASE_MS);
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
        sequence: await positions.decode(tenant, cursor),
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
        ? await positions.decodeReadable(tenant, to)
        : await positions.sequenceAt(tenant, log, { to, path: 'to' });
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
      await lag.untilLogged(tenant, await openLog(tenant), { maxMs: MAX_LAG_MS, signals: [] });
      const { removedUntil } = await positions.requireLog(tenant);
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

export type EventFeedService = ReturnType<typeof eventFeedService>;
