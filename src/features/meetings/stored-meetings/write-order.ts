import type { mongo } from 'mongoose';
import type { DocumentRef } from '../../../platform/mongo/ids-of-tenants.ts';
import { timeOrder } from '../../../platform/mongo/time-order.ts';

/** The response that meetings come from. */
export interface MeetingSource {
  /** Identifies the run's page or the notice, so that meetings that are stored again after a crash count once. */
  id: string;
  /** Time of the request that returned the meetings. */
  readAt: Date;
}

/**
 * Returns the order of a write among all writes of the same meeting. Each document of a meeting stores the order of its
 * last write and refuses earlier ones. Two concurrent writes therefore end with the documents of the later one, whichever
 * arrives first; only a transcript that the later write lacks is kept.
 *
 * A read that finds a meeting unchanged does not advance its order, which would cost a write per meeting and sync. An
 * earlier read with other content that is stored afterwards then replaces the content until the next read. This needs two
 * concurrent reads: a process checks its lease after each response, so it does not store a page much later.
 */
export const writeOrderOf = ({ id, readAt }: MeetingSource): string => `${timeOrder(readAt)}:${id}`;

/** Filter: not from a later write, or stored by an earlier version without an order. */
export const notAfter = (writeOrder: string) => ({ writeOrder: { $not: { $gt: writeOrder } } });

/** An upsert that fails as a duplicate if the stored document is from a later write. */
export const orderedUpsert = (
  { _id, customerId }: DocumentRef<string>,
  writeOrder: string,
  update: mongo.Document | mongo.Document[],
): mongo.AnyBulkWriteOperation => ({
  updateOne: { filter: { customerId, _id: _id as never, ...notAfter(writeOrder) }, update, upsert: true },
});
