import type { Model, QueryFilter } from 'mongoose';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import { keyOf } from './meeting-documents.ts';
import type { ActivityDoc, MeetingDoc } from './meetings.model.ts';
import { type MeetingSource, notAfter, writeOrderOf } from './write-order.ts';

/** Ordinal of deleted meetings: searches do not find it, and the indexer skips it. */
const HIDDEN_FROM_SEARCH = -1;
/** Meetings marked at a time. */
const BATCH = 500;

/** Null or absent. */
export const NOT_DELETED = { deletedAt: null } as const;

/** The meetings that a comparison covers. */
export interface ComparedRange {
  /** Earliest creation time. */
  since: Date;
  /** Start of the comparison by the database's clock: a meeting listed later is not missing. */
  startedAt: Date;
  /** Time at which the key was connected, by the database's clock: what only an earlier key has listed may belong to another account. */
  listedSince: Date;
}

/** A deletion that the provider has reported. */
export interface ReportedDeletion {
  meetingId: string;
  receivedAt: Date;
}

interface Models {
  Meeting: Model<MeetingDoc>;
  MeetingActivity: Model<ActivityDoc>;
}

/** Returns the order of a deletion among the writes of its meeting: after every read that began before `readAt`. */
const deletionOrder = (readAt: Date): string => writeOrderOf({ id: 'deletion', readAt });

const latest = (a: string, b: string): string => (a > b ? a : b);

/** Marks meetings as deleted at the provider. */
export function deletionStore({ Meeting, MeetingActivity }: Models) {
  const comparable = ({ customerId }: TenantRef, { since, startedAt, listedSince }: ComparedRange) => ({
    customerId,
    ...NOT_DELETED,
    createdAt: { $gte: since, $lt: startedAt },
    listedAt: { $gte: listedSince },
  });
  const missing = (tenant: TenantRef, range: ComparedRange) => ({
    ...comparable(tenant, range),
    listedAt: { $gte: range.listedSince, $lt: range.startedAt },
  });

  const findOrders = (filter: QueryFilter<MeetingDoc>) =>
    Meeting.find(filter, { writeOrder: 1 }).lean<Pick<MeetingDoc, '_id' | 'writeOrder'>[]>();

  /** Marks meetings, as a write ordered after the writes that stored them, whatever the clocks of their processes. */
  async function markDeleted(
    { customerId }: TenantRef,
    stored: Pick<MeetingDoc, '_id' | 'writeOrder'>[],
    deletedAt: Date,
  ): Promise<void> {
    const writeOrder = stored.reduce(
      (order, { writeOrder: storedOrder = '' }) => latest(order, storedOrder),
      deletionOrder(deletedAt),
    );
    const filter = { customerId, _id: { $in: stored.map(({ _id }) => _id) }, ...notAfter(writeOrder) };
    // After a crash, no meeting counts as unchanged, so that the next page restores meeting and activity.
    await Meeting.updateMany(filter, { $unset: { recordHash: 1 } });
    await MeetingActivity.updateMany(filter, { $set: { deletedAt, writeOrder } });
    await Meeting.updateMany(filter, { $set: { deletedAt, writeOrder, indexedAs: HIDDEN_FROM_SEARCH } });
  }

  return {
    async databaseTime(): Promise<Date> {
      const { localTime } = (await Meeting.db.db?.admin().command({ hello: 1 })) ?? {};
      return localTime as Date;
    },

    /** Records that the provider lists these meetings, including unchanged ones. */
    markListed: (tenant: TenantRef, recorderMeetingIds: readonly string[]) =>
      Meeting.updateMany(
        { customerId: tenant.customerId, _id: { $in: recorderMeetingIds.map((id) => keyOf(tenant, id)) } },
        { $currentDate: { listedAt: true } },
      ),

    /** Counts the compared meetings, and the ones that the provider did not list. */
    async countMissing(
      tenant: TenantRef,
      range: ComparedRange,
    ): Promise<{ compared: number; missing: number }> {
      const [compared, count] = await Promise.all([
        Meeting.countDocuments(comparable(tenant, range)),
        Meeting.countDocuments(missing(tenant, range)),
      ]);
      return { compared, missing: count };
    },

    /** Marks the meetings that the provider did not list; returns their number. */
    async markMissing(tenant: TenantRef, range: ComparedRange, deletedAt: Date): Promise<number> {
      let count = 0;
      for (;;) {
        const found = await findOrders(missing(tenant, range)).limit(BATCH);
        if (found.length === 0) return count;
        await markDeleted(tenant, found, deletedAt);
        count += found.length;
      }
    },

    /** Marks a meeting, whether a sync, a webhook or an erasure wrote it last. */
    async markMeetingDeleted(tenant: TenantRef, recorderMeetingId: string, deletedAt: Date): Promise<void> {
      const { customerId } = tenant;
      await markDeleted(
        tenant,
        await findOrders({ customerId, _id: keyOf(tenant, recorderMeetingId) }),
        deletedAt,
      );
    },

    /**
     * Marks meetings whose deletion the provider has reported, except those that were read again after it arrived.
     *
     * @param source a read that was requested before the reports arrived: the meetings that it stored are marked as well,
     *   even if the clocks of two processes say that it was later
     */
    async markReportedDeleted(
      tenant: TenantRef,
      deletions: readonly ReportedDeletion[],
      source?: MeetingSource,
    ): Promise<void> {
      const { customerId } = tenant;
      for (const { meetingId, receivedAt } of deletions) {
        const order = latest(source ? writeOrderOf(source) : '', deletionOrder(receivedAt));
        const filter = { customerId, _id: keyOf(tenant, meetingId), ...notAfter(order) };
        await markDeleted(tenant, await findOrders(filter), receivedAt);
      }
    },
  };
}
