import type { Model, mongo } from 'mongoose';
import { BY_ID } from '../../../platform/mongo/ids-of-tenants.ts';
import { type DeliveryDoc, ORDER_INDEX } from './delivery.model.ts';
import { DELIVERY_LEASE } from './lease.ts';
import type { Candidate } from './queue.store.ts';
import type { SlotOwner } from './slots.ts';
import { HELD, hold, OPEN_STATUSES, unhold } from './state.ts';
import { holdUpdate, stateFilter, unholdUpdate } from './state-updates.ts';

/** The next delivery of a conversation: the open one with the earliest event. */
export interface Head extends Pick<DeliveryDoc, '_id' | 'customerId' | 'eventId' | 'lane' | 'attempt'> {
  conversationId: string;
}

/** Conversations whose heads are read: these, or a page in the order of their ids. */
type Conversations = { ids: readonly string[] } | { after: string; limit: number };

/** Reads and writes of `order.ts`. */
export function orderStore({ Delivery }: { Delivery: Model<DeliveryDoc> }) {
  return {
    /**
     * Heads of an endpoint's conversations. A skip scan of the index: one key and one document per conversation, however
     * many of its deliveries wait. Reads what a majority has, so that no failover undoes the end of an earlier delivery.
     */
    heads({ customerId, endpointId }: SlotOwner, conversations: Conversations): Promise<Head[]> {
      const isPage = 'after' in conversations;
      const conversationId = isPage ? { $gt: conversations.after } : { $in: conversations.ids };
      return Delivery.collection
        .aggregate<Head>(
          [
            { $match: { customerId, endpointId, conversationId, status: { $in: OPEN_STATUSES } } },
            { $sort: { customerId: 1, endpointId: 1, conversationId: 1, eventId: 1 } },
            {
              $group: {
                _id: '$conversationId',
                id: { $first: '$_id' },
                customerId: { $first: '$customerId' },
                eventId: { $first: '$eventId' },
                lane: { $first: '$lane' },
                attempt: { $first: '$attempt' },
              },
            },
            ...(isPage ? [{ $limit: conversations.limit }] : []),
            {
              $project: {
                _id: '$id',
                conversationId: '$_id',
                customerId: 1,
                eventId: 1,
                lane: 1,
                attempt: 1,
              },
            },
          ],
          { hint: ORDER_INDEX, readConcern: { level: 'majority' } },
        )
        .toArray();
    },

    /** Holds back due deliveries that no process has claimed since they were read. */
    async hold(candidates: readonly Candidate[], now: Date): Promise<void> {
      const update = holdUpdate(hold());
      const operations = candidates.map(({ _id, customerId, status, attempt, lane }) => ({
        updateOne: {
          filter: {
            _id,
            customerId,
            lane,
            ...stateFilter({ statuses: [status], attempt, manual: false }),
            ...DELIVERY_LEASE.expired(now),
          },
          update,
          hint: BY_ID,
        },
      }));
      await Delivery.collection.bulkWrite(operations as mongo.AnyBulkWriteOperation[], { ordered: false });
    },

    /** Makes held deliveries due again, unless they have changed since they were read; returns the number of them. */
    async unhold(heads: readonly Head[], now: Date): Promise<number> {
      const operations = heads.map(({ _id, customerId, attempt }) => ({
        updateOne: {
          filter: {
            _id,
            customerId,
            ...stateFilter({ ...HELD, attempt, leased: false }, now),
          },
          update: unholdUpdate(unhold({ attempt })),
          hint: BY_ID,
        },
      }));
      const { modifiedCount } = await Delivery.collection.bulkWrite(
        operations as mongo.AnyBulkWriteOperation[],
        { ordered: false },
      );
      return modifiedCount;
    },
  };
}

export type OrderStore = ReturnType<typeof orderStore>;
