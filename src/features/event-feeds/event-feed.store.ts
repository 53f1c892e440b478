import type { Model } from 'mongoose';
import type { Clock } from '../../platform/clock.ts';
import { duplicateKeyOf } from '../../platform/mongo/duplicate-key.ts';
import { newObjectId } from '../../platform/mongo/object-id.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { EventFeedDoc } from './event-feed.model.ts';

/** A consumer of a feed. */
export interface FeedConsumer {
  name: string;
  consumer: string;
}

interface Acquisition extends FeedConsumer {
  /** How long the consumer holds the feed from now on. Milliseconds. */
  holdMs: number;
}

export function eventFeedStore({ EventFeed }: { EventFeed: Model<EventFeedDoc> }, clock: Clock) {
  /** Filter: no other consumer holds the feed. */
  const availableTo = ({ customerId }: Tenant, { name, consumer }: FeedConsumer, now: Date) => ({
    customerId,
    name,
    $or: [{ consumer }, { expiresAt: { $lte: now } }],
  });

  const held = (consumer: string, holdMs: number, now: Date) => ({
    consumer,
    expiresAt: new Date(now.getTime() + holdMs),
    usedAt: now,
  });

  return {
    find: ({ customerId }: Tenant, name: string): Promise<EventFeedDoc | null> =>
      EventFeed.findOne({ customerId, name }).lean<EventFeedDoc>(),

    count: ({ customerId }: Tenant): Promise<number> => EventFeed.countDocuments({ customerId }),

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

    /** Acquires a feed for a consumer, or renews its lease; null if another consumer holds it, or it does not exist. */
    acquire(tenant: Tenant, { holdMs, ...feed }: Acquisition): Promise<EventFeedDoc | null> {
      const now = clock.now();
      return EventFeed.findOneAndUpdate(
        availableTo(tenant, feed, now),
        { $set: held(feed.consumer, holdMs, now) },
        { returnDocument: 'after' },
      ).lean<EventFeedDoc>();
    },

    /** Moves the acknowledged position forward; null as for `acquire`. */
    acknowledge(
      tenant: Tenant,
      { holdMs, sequence, ...feed }: Acquisition & { sequence: number },
    ): Promise<EventFeedDoc | null> {
      const now = clock.now();
      return EventFeed.findOneAndUpdate(
        availableTo(tenant, feed, now),
        { $set: held(feed.consumer, holdMs, now), $max: { sequence } },
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

    /** Changes how long the consumer still holds the feed, if it does. */
    async hold({ customerId }: Tenant, { name, consumer, holdMs }: Acquisition): Promise<void> {
      const expiresAt = new Date(clock.now().getTime() + holdMs);
      await EventFeed.updateOne({ customerId, name, consumer }, { $set: { expiresAt } });
    },
  };
}

export type EventFeedStore = ReturnType<typeof eventFeedStore>;
