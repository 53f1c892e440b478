import type { Model, QueryFilter } from 'mongoose';
import type { TenantRef } from '../meetings.types.ts';
import { keyOf } from './meeting-documents.ts';
import type { ActivityDoc, MeetingDoc } from './meetings.model.ts';
import { type MeetingSource, notAfter, writeOrderOf } from './write-order.ts';

/** Ordinal of deleted meetings: no search finds it, and the indexer does not index them. */
const HIDDEN_FROM_SEARCH = -1;
/** Meetings that are marked at a time. */
const BATCH = 500;

/** Null or absent. */
export const NOT_DELETED = { deletedAt: null } as const;

/** Time range of creation times whose meetings a comparison has listed. */
export interface ComparedRange {
  /** Start of the range. */
  since: Date;
  /** Start of the comparison by the database's clock: a meeting listed later is not missing. */
  startedAt: Date;
}

/** Deletion of a meeting that the provider has reported. */
export interface ReportedDeletion {
  meetingId: string;
  receivedAt: Date;
}

interface Models {
  Meeting: Model<MeetingDoc>;
  MeetingActivity: Model<ActivityDoc>;
}

/** Returns the order of a deletion among the writes of its meeting: it follows those requested before that time. */
const deletionOrder = (readAt: Date): string => writeOrderOf({ id: 'deletion', readAt });

const latest = (a: string, b: string): string => (a > b ? a : b);

/** Marks of meetings that were deleted at the provider. */
export function deletionStore({ Meeting, MeetingActivity }: Models) {
  const comparable = ({ customerId }: TenantRef, { since, startedAt }: ComparedRange) => ({
    customerId,
    ...NOT_DELETED,
    createdAt: { $gte: since, $lt: startedAt },
  });
  const missing = (tenant: TenantRef, range: ComparedRange) => ({
    ...comparable(tenant, range),
    $nor: [{ listedAt: { $gte: range.startedAt } }],
  });

  const findOrders = (filter: QueryFilter<MeetingDoc>) =>
    Meeting.find(filter, { writeOrder: 1 }).lean<Pick<MeetingDoc, '_id' | 'writeOrder'>[]>();

  /** Marks meetings as a write that follows the ones that stored them, whatever the clocks of their processes. */
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
    // A crash before the meetings are marked leaves none that counts as unchanged, so the next page restores both.
    await Meeting.updateMany(filter, { $unset: { recordHash: 1 } });
    await MeetingActivity.updateMany(filter, { $set: { deletedAt, writeOrder } });
    await Meeting.updateMany(filter, { $set: { deletedAt, writeOrder, indexedAs: HIDDEN_FROM_SEARCH } });
  }

  return {
    /** Returns the database's time. */
    async databaseTime(): Promise<Date> {
      const { localTime } = (await Meeting.db.db?.admin().command({ hello: 1 })) ?? {};
      return localTime as Date;
    },

    /** Records that the provider lists these meetings, also the unchanged ones. */
    markListed: (tenant: TenantRef, recorderMeetingIds: readonly string[]) =>
      Meeting.updateMany(
        { customerId: tenant.customerId, _id: { $in: recorderMeetingIds.map((id) => keyOf(tenant, id)) } },
        { $currentDate: { listedAt: true } },
      ),

    /** Returns the numbers of meetings that were compared, and of those that the provider did not list. */
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

    /** Marks a meeting that the provider reports as deleted. */
    async markMeetingDeleted(tenant: TenantRef, recorderMeetingId: string, deletedAt: Date): Promise<void> {
      const { customerId } = tenant;
      await markDeleted(
        tenant,
        await findOrders({ customerId, _id: keyOf(tenant, recorderMeetingId) }),
        deletedAt,
      );
    },

    /**
     * Marks meetings that the write of this source stored, also if another write has replaced them since, unless that
     * one was requested after the deletion was received.
     */
    async markSavedDeleted(
      tenant: TenantRef,
      source: MeetingSource,
      deletions: readonly ReportedDeletion[],
    ): Promise<void> {
      const { customerId } = tenant;
      for (const { meetingId, receivedAt } of deletions) {
        const order = latest(writeOrderOf(source), deletionOrder(receivedAt));
        const filter = { customerId, _id: keyOf(tenant, meetingId), ...notAfter(order) };
        await markDeleted(tenant, await findOrders(filter), receivedAt);
      }
    },
  };
}
