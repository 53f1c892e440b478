import type { Model, Types } from 'mongoose';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import type { SyncLogEntry } from '../meetings.types.ts';
import type { SyncLogDoc } from './sync-log.model.ts';
import type { SyncRunDoc } from './sync-runs.model.ts';

/** Newest entries kept per run. */
export const MAX_LOG_ENTRIES = 1_000;
const NUMBER_DIGITS = 12;

/** Returns the id of an entry. The ids of a run sort by number. */
const logEntryId = (run: string, number: number): string =>
  `${run}:${String(Math.max(0, number)).padStart(NUMBER_DIGITS, '0')}`;

interface Models {
  MeetingSyncRun: Model<SyncRunDoc>;
  MeetingSyncLog: Model<SyncLogDoc>;
}

export const syncLogStore = ({ MeetingSyncRun, MeetingSyncLog }: Models) => ({
  /** Appends entries, numbered by a counter in the run's document, and removes the oldest beyond `MAX_LOG_ENTRIES`. */
  async append(
    { customerId }: TenantRef,
    run: Types.ObjectId,
    entries: readonly SyncLogEntry[],
  ): Promise<void> {
    const counted = await MeetingSyncRun.findOneAndUpdate(
      { _id: run, customerId },
      { $inc: { logged: entries.length } },
      { returnDocument: 'after', projection: { logged: 1 } },
    ).lean<Pick<SyncRunDoc, 'logged'>>();
    if (!counted) return;
    const { logged = 0 } = counted;
    const first = logged - entries.length;
    const id = run.toHexString();
    await MeetingSyncLog.insertMany(
      entries.map((entry, index) => ({ _id: logEntryId(id, first + index), customerId, ...entry })),
    );
    if (logged > MAX_LOG_ENTRIES)
      await MeetingSyncLog.deleteMany({
        customerId,
        _id: { $gte: logEntryId(id, 0), $lt: logEntryId(id, logged - MAX_LOG_ENTRIES) },
      });
  },

  /** @param before number of the last entry of the previous page; null for the first page, the newest entries */
  list: (
    { customerId }: TenantRef,
    run: string,
    { before, limit }: { before: number | null; limit: number },
  ): Promise<SyncLogDoc[]> =>
    MeetingSyncLog.find({
      customerId,
      _id: {
        $gte: logEntryId(run, 0),
        $lt: logEntryId(run, before ?? 10 ** NUMBER_DIGITS - 1),
      },
    })
      .sort({ _id: -1 })
      .limit(limit)
      .lean<SyncLogDoc[]>(),

  numberOf: ({ _id }: SyncLogDoc): number => Number(_id.slice(-NUMBER_DIGITS)),
});

export type SyncLogStore = ReturnType<typeof syncLogStore>;
