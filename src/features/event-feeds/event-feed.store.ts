import { LRUCache } from 'lru-cache';
import type { Model, PipelineStage } from 'mongoose';
import type { Clock } from '../../platform/clock.ts';
import type { Coherence } from '../../platform/coherence/coherence.ts';
import { type CacheEntry, coherentCache } from '../../platform/coherence/coherent-cache.ts';
import { duplicateKeyOf } from '../../platform/mongo/duplicate-key.ts';
import { firstObjectIdOf, newObjectId } from '../../platform/mongo/object-id.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import { ANY_CUSTOM_TYPE, customTypeOf, type EventTypeName } from '../outbox/event-type.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { EventFeedDoc } from './event-feed.model.ts';
import type { LogEntryDoc } from './event-log.model.ts';

/** A consumer of a feed. */
export interface FeedConsumer {
  name: string;
  consumer: string;
}

interface Acquisition extends FeedConsumer {
  /** How long the consumer holds the feed from now on, at least. Milliseconds. */
  holdMs: number;
}

/** A feed with the first entry after its position; empty if there is none. */
type FeedWithNext = EventFeedDoc & { next: Pick<LogEntryDoc, '_id'>[] };

/** Adds `next` to each feed: one entry of the log by its index. */
const LOOKUP_NEXT = {
  $lookup: {
    from: 'eventLog',
    localField: 'customerId',
    foreignField: 'customerId',
    let: { sequence: '$sequence' },
    pipeline: [
      { $match: { $expr: { $gt: ['$sequence', '$$sequence'] } } },
      { $sort: { sequence: 1 } },
      { $limit: 1 },
      { $project: { _id: 1 } },
    ],
    as: 'next',
  },
} satisfies PipelineStage;

/** Feeds that `countBehind` looks at. */
const MAX_COUNTED = 1_000;
/** Age of a feed's next event from which the feed is behind. Milliseconds. */
const BEHIND_MS = 60_000;
/** Tenants whose custom types are cached. */
const CACHED_TENANTS = 10_000;

export function eventFeedStore(
  { EventFeed }: { EventFeed: Model<EventFeedDoc> },
  clock: Clock,
  coherence: Coherence,
) {
  /** Custom types that the feeds of each tenant name. */
  const customTypes = coherentCache<number, ReadonlySet<string>>({
    coherence,
    entries: new LRUCache<number, CacheEntry<ReadonlySet<string>>>({ max: CACHED_TENANTS }),
    prefix: 'eventFeeds',
    toKey: Number,
    async load(customerId) {
      const feeds = await EventFeed.find(
        { customerId, customTypes: { $exists: true } },
        { customTypes: 1 },
      ).lean<EventFeedDoc[]>();
      return new Set(feeds.flatMap((feed) => feed.customTypes ?? []));
    },
  });

  /** Filter: no other consumer holds the feed. */
  const availableTo = ({ customerId }: Tenant, { name, consumer }: FeedConsumer, now: Date) => ({
    customerId,
    name,
    $or: [{ consumer }, { expiresAt: { $lte: now } }],
  });

  /** Renews the lease, which never becomes shorter: another pull of the consumer may wait for longer. */
  const held = (consumer: string, holdMs: number, now: Date) => ({
    $set: { consumer, usedAt: now },
    $max: { expiresAt: new Date(now.getTime() + holdMs) },
  });

  return {
    find: ({ customerId }: Tenant, name: string): Promise<EventFeedDoc | null> =>
      EventFeed.findOne({ customerId, name }).lean<EventFeedDoc>(),

    /**
     * Number of feeds of all tenants whose next event was committed more than a minute ago, among those that were used last.
     */
    async countBehind(): Promise<number> {
      const before = firstObjectIdOf(new Date(clock.now().getTime() - BEHIND_MS));
      const [found] = await EventFeed.aggregate<{ count: number }>([
        { $sort: { usedAt: -1 } },
        { $limit: MAX_COUNTED },
        LOOKUP_NEXT,
        { $match: { 'next._id': { $lt: before } } },
        { $count: 'count' },
      ]);
      return found?.count ?? 0;
    },

    count: ({ customerId }: Tenant): Promise<number> => EventFeed.countDocuments({ customerId }),

    /** Returns the feeds of a tenant by name. */
    list: ({ customerId }: Tenant): Promise<FeedWithNext[]> =>
      EventFeed.aggregate<FeedWithNext>([{ $match: { customerId } }, { $sort: { name: 1 } }, LOOKUP_NEXT]),

    /** Creates a feed that no consumer holds, unless the name is taken. */
    async create({ customerId }: Tenant, { name, sequence }: { name: string; sequence: number }) {
      const now = clock.now();
      const feed: EventFeedDoc = {
        _id: newObjectId(now),
        customerId,
        name,
        sequence,
        consumer: null,
        expiresAt: now,
        usedAt: now,
      };
      await EventFeed.create([feed]).catch((error: unknown) => {
        if (duplicateKeyOf(error) === null) throw error;
      });
    },

    /** Removes a feed that no consumer has held. */
    async removeUnheld({ customerId }: Tenant, name: string): Promise<void> {
      await EventFeed.deleteOne({ customerId, name, consumer: null });
    },

    /** Removes a feed and returns it; null as for `acquire`. */
    remove: (tenant: Tenant, feed: FeedConsumer): Promise<EventFeedDoc | null> =>
      customTypes.change(tenant.customerId, () =>
        EventFeed.findOneAndDelete(availableTo(tenant, feed, clock.now())).lean<EventFeedDoc>(),
      ),

    /** Acquires a feed for a consumer, or renews its lease; null if another consumer holds it, or it does not exist. */
    acquire(tenant: Tenant, { holdMs, ...feed }: Acquisition): Promise<EventFeedDoc | null> {
      const now = clock.now();
      return EventFeed.findOneAndUpdate(availableTo(tenant, feed, now), held(feed.consumer, holdMs, now), {
        returnDocument: 'after',
      }).lean<EventFeedDoc>();
    },

    /** Moves the acknowledged position forward; null as for `acquire`. */
    acknowledge(
      tenant: Tenant,
      { holdMs, sequence, ...feed }: Acquisition & { sequence: number },
    ): Promise<EventFeedDoc | null> {
      const now = clock.now();
      const { $set, $max } = held(feed.consumer, holdMs, now);
      return EventFeed.findOneAndUpdate(
        availableTo(tenant, feed, now),
        { $set, $max: { ...$max, sequence } },
        { returnDocument: 'after' },
      ).lean<EventFeedDoc>();
    },

    /** Sets the position; null as for `acquire`. */
    seek(
      tenant: Tenant,
      { sequence, ...feed }: FeedConsumer & { sequence: number },
    ): Promise<EventFeedDoc | null> {
      const now = clock.now();
      return EventFeed.findOneAndUpdate(
        availableTo(tenant, feed, now),
        { $set: { sequence, usedAt: now } },
        { returnDocument: 'after' },
      ).lean<EventFeedDoc>();
    },

    /** Returns whether a feed of the tenant names a custom type or `custom.*`; without a query if they are cached. */
    async subscribes({ customerId }: TenantRef, event: EventTypeName): Promise<boolean> {
      const type = customTypeOf(event);
      if (type === null) return false;
      const named = await customTypes.get(customerId);
      return named !== null && (named.has(type) || named.has(ANY_CUSTOM_TYPE));
    },

    /**
     * Adds custom types, `max` at most, to a feed: once this resolves, every process publishes their events. Returns false if
     * the feed could then name more than `max`, also under concurrent calls.
     */
    async nameTypes(
      { customerId }: Tenant,
      name: string,
      { types, max }: { types: readonly string[]; max: number },
    ): Promise<boolean> {
      const { matchedCount } = await customTypes.change(customerId, () =>
        EventFeed.updateOne(
          {
            customerId,
            name,
            $or: [
              { [`customTypes.${max - types.length}`]: { $exists: false } },
              // A concurrent call has named them.
              { customTypes: { $all: types } },
            ],
          },
          { $addToSet: { customTypes: { $each: types } } },
        ),
      );
      return matchedCount === 1;
    },

    /**
     * Changes how long the consumer still holds the feed, unless its lease was renewed since it was acquired, or another pull
     * of it holds the feed for longer.
     *
     * @param acquired the feed as `acquire` returned it, and for how long it was to be held
     */
    async hold(
      { customerId }: Tenant,
      acquired: Pick<EventFeedDoc, 'name' | 'consumer' | 'usedAt'> & { holdMs: number },
      holdMs: number,
    ): Promise<void> {
      const { name, consumer, usedAt } = acquired;
      const ownEnd = new Date(usedAt.getTime() + acquired.holdMs);
      const expiresAt = new Date(clock.now().getTime() + holdMs);
      await EventFeed.updateOne(
        { customerId, name, consumer, usedAt, expiresAt: ownEnd },
        { $set: { expiresAt } },
      );
    },
  };
}

export type EventFeedStore = ReturnType<typeof eventFeedStore>;
