import type { Model } from 'mongoose';
import type { Owner } from '../meetings.types.ts';
import { keyOf } from './meeting-records.ts';
import type { ActivityDoc, MeetingDoc } from './meetings.model.ts';

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

interface Models {
  Meeting: Model<MeetingDoc>;
  MeetingActivity: Model<ActivityDoc>;
}

/** Marks of meetings that were deleted at the provider. */
export function deletionStore({ Meeting, MeetingActivity }: Models) {
  const comparable = ({ customerId }: Owner, { since, startedAt }: ComparedRange) => ({
    customerId,
    ...NOT_DELETED,
    createdAt: { $gte: since, $lt: startedAt },
  });
  const missing = (owner: Owner, range: ComparedRange) => ({
    ...comparable(owner, range),
    $nor: [{ listedAt: { $gte: range.startedAt } }],
  });

  async function markDeleted({ customerId }: Owner, ids: readonly string[], deletedAt: Date): Promise<void> {
    const filter = { customerId, _id: { $in: [...ids] } };
    await MeetingActivity.updateMany(filter, { $set: { deletedAt } });
    await Meeting.updateMany(filter, { $set: { deletedAt, indexedAs: HIDDEN_FROM_SEARCH } });
  }

  return {
    /** Returns the database's time. */
    async databaseTime(): Promise<Date> {
      const { localTime } = (await Meeting.db.db?.admin().command({ hello: 1 })) ?? {};
      return localTime as Date;
    },

    /** Records that the provider lists these meetings, also the unchanged ones. */
    markListed: (owner: Owner, recorderMeetingIds: readonly string[]) =>
      Meeting.updateMany(
        { customerId: owner.customerId, _id: { $in: recorderMeetingIds.map((id) => keyOf(owner, id)) } },
        { $currentDate: { listedAt: true } },
      ),

    /** Returns the numbers of meetings that were compared, and of those that the provider did not list. */
    async countMissing(owner: Owner, range: ComparedRange): Promise<{ compared: number; missing: number }> {
      const [compared, count] = await Promise.all([
        Meeting.countDocuments(comparable(owner, range)),
        Meeting.countDocuments(missing(owner, range)),
      ]);
      return { compared, missing: count };
    },

    /** Marks the meetings that the provider did not list; returns their number. */
    async markMissing(owner: Owner, range: ComparedRange, deletedAt: Date): Promise<number> {
      let count = 0;
      for (;;) {
        const found = await Meeting.find(missing(owner, range), { _id: 1 })
          .limit(BATCH)
          .lean<Pick<MeetingDoc, '_id'>[]>();
        if (found.length === 0) return count;
        await markDeleted(
          owner,
          found.map(({ _id }) => _id),
          deletedAt,
        );
        count += found.length;
      }
    },

    /** Marks a meeting that the provider reports as deleted. */
    markMeetingDeleted: (owner: Owner, recorderMeetingId: string, deletedAt: Date) =>
      markDeleted(owner, [keyOf(owner, recorderMeetingId)], deletedAt),
  };
}
