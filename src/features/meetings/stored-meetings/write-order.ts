import type { mongo } from 'mongoose';
import type { DocumentRef } from '../../../platform/mongo/ids-of-tenants.ts';
import { timeOrder } from '../../../platform/mongo/time-order.ts';

/** Where meetings come from. */
export interface MeetingSource {
  /** Identifies the page of a run, or the notice: meetings that it stores again after a crash count once. */
  id: string;
  /** Time of the request that returned the meetings. */
  readAt: Date;
}

/**
 * Returns the order of a write among all writes of the same meeting. Each document of a meeting has the order of the
 * write that it is from, and refuses earlier ones: whichever of two concurrent writes comes first, all documents are
 * those of the later order. A transcript that only the earlier one has is kept.
 *
 * A reading that finds a meeting unchanged does not advance its order, which would cost a write per meeting and sync. So
 * an earlier reading with other content, stored after it, replaces the content until the next reading. A process checks
 * its lease after each response, so that this takes two readings at the same time, not one that is stored much later.
 */
export const writeOrderOf = ({ id, readAt }: MeetingSource): string => `${timeOrder(readAt)}:${id}`;

/** Filter: not from a later write, or stored by an earlier version of the service. */
export const notAfter = (writeOrder: string) => ({ writeOrder: { $not: { $gt: writeOrder } } });

/** Upsert that is refused as a duplicate if the stored document is from a later write. */
export const orderedUpsert = (
  { _id, customerId }: DocumentRef<string>,
  writeOrder: string,
  update: mongo.Document | mongo.Document[],
): mongo.AnyBulkWriteOperation => ({
  updateOne: { filter: { customerId, _id: _id as never, ...notAfter(writeOrder) }, update, upsert: true },
});
