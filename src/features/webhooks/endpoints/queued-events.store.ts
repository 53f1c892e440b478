import type { Model } from 'mongoose';
import { change, type Write } from '../../../platform/commit/unit-of-work.ts';
import { newObjectId } from '../../../platform/mongo/object-id.ts';
import { rawReads } from '../../../platform/mongo/raw-collection.ts';
import type { EndpointEventName } from '../../outbox/event-catalog.ts';
import { BY_UNPUBLISHED, type EndpointDoc, type UnpublishedEvent } from './endpoint.model.ts';
import type { DisabledReason } from './endpoint.types.ts';

/** Maximum number of queued events about an endpoint; beyond it the oldest is dropped. A job publishes them every few seconds. */
const MAX_UNPUBLISHED = 100;

/** Part of an update: queues an event about the endpoint, which a job publishes. */
export const queued = (event: EndpointEventName, at: Date, data: UnpublishedEvent['data']) => ({
  $push: {
    unpublished: { $each: [{ _id: newObjectId(at), event, at, data }], $slice: -MAX_UNPUBLISHED },
  },
});

export const disabledEvent = (reason: DisabledReason, at: Date) =>
  queued('endpoint.disabled', at, { reason, disabledAt: at.toISOString() });

/** Part of the store of endpoints: the operational events that are queued in their documents. */
export function queuedEvents(Endpoint: Model<EndpointDoc>) {
  const raw = rawReads(Endpoint);

  return {
    /**
     * Returns endpoints of any tenant with events to be published, those that have waited longest first; without those that
     * have counts of exhausted deliveries alone, and published one after `countedBefore`.
     */
    withUnpublished: (limit: number, countedBefore: Date) =>
      raw
        .find({
          'unpublished.at': { $gt: new Date(0) },
          $or: [
            { unpublished: { $elemMatch: { event: { $ne: 'delivery.exhausted' } } } },
            { exhaustedPublishedAt: { $not: { $gt: countedBefore } } },
          ],
        })
        .project<Pick<EndpointDoc, 'customerId' | 'id'>>({ customerId: 1, id: 1 })
        .sort(BY_UNPUBLISHED)
        .hint(BY_UNPUBLISHED)
        .limit(limit)
        .toArray(),

    /**
     * Write that removes queued events, which are published with it. Matches nothing if another process has published them,
     * or added to a count.
     */
    publication: ({ customerId, id }: EndpointDoc, events: readonly UnpublishedEvent[], at: Date): Write => {
      const ids = events.map(({ _id }) => _id);
      const asRead = events.map(({ _id, event, data: { count } }) => ({
        $elemMatch: { _id, ...(event === 'delivery.exhausted' && { 'data.count': count }) },
      }));
      const hasCount = events.some(({ event }) => event === 'delivery.exhausted');
      return change(
        Endpoint,
        { customerId, id, unpublished: { $all: asRead } },
        {
          $pull: { unpublished: { _id: { $in: ids } } },
          ...(hasCount && { $set: { exhaustedPublishedAt: at } }),
        },
      );
    },
  };
}
