import { type Model, Types } from 'mongoose';
import { duplicateKeyOf } from '../../platform/mongo/duplicate-key.ts';
import { newObjectId } from '../../platform/mongo/object-id.ts';
import type { Owner, SyncCounts, SyncFailure, SyncStatus } from './meetings.types.ts';
import type { Continuation } from './provider/provider.types.ts';
import type { SyncRunDoc } from './runs.model.ts';

/** Without a renewal for so long a run is anybody's. Milliseconds, by the database's clock. */
export const LEASE_MS = 10_000;

const FREE = new Date(0);
const NOTHING: SyncCounts = { pages: 0, fetched: 0, stored: 0, updated: 0, rejected: 0, rateLimited: 0 };

/** A run, and the token under which a process is at it. */
export interface RunLease {
  id: Types.ObjectId;
  token: string;
}

export function runStore({ MeetingSyncRun }: { MeetingSyncRun: Model<SyncRunDoc> }) {
  /** Matches only while nobody else has taken the run or ended it. */
  const held = ({ customerId }: Owner, { id, token }: RunLease) => ({
    _id: id,
    customerId,
    status: 'running' as const,
    'lease.token': token,
  });

  return {
    /** A new run that nobody is at; null when the tenant has one that is running. */
    async insert(
      { customerId }: Owner,
      generation: string,
      since: Date,
      startedAt: Date,
    ): Promise<SyncRunDoc | null> {
      const run: SyncRunDoc = {
        _id: newObjectId(startedAt),
        customerId,
        generation,
        status: 'running',
        since,
        startedAt,
        finishedAt: null,
        error: null,
        ...NOTHING,
        after: null,
        lease: { token: '', renewedAt: FREE },
        claims: 0,
      };
      try {
        await MeetingSyncRun.create(run);
        return run;
      } catch (error) {
        if (duplicateKeyOf(error) === null) throw error;
        return null;
      }
    },

    running: ({ customerId }: Owner) =>
      MeetingSyncRun.findOne({ customerId, status: 'running' }).lean<SyncRunDoc>(),

    list: ({ customerId }: Owner, before: string | null, limit: number) =>
      MeetingSyncRun.find({
        customerId,
        ...(before === null ? {} : { _id: { $lt: new Types.ObjectId(before) } }),
      })
        .sort({ _id: -1 })
        .limit(limit)
        .lean<SyncRunDoc[]>(),

    /** Takes up a run of any tenant that nobody is at, the oldest first; of these only, when one is named. */
    claim: (token: string, id?: Types.ObjectId) =>
      MeetingSyncRun.findOneAndUpdate(
        {
          status: 'running',
          ...(id && { _id: id }),
          $expr: { $lt: ['$lease.renewedAt', { $subtract: ['$$NOW', LEASE_MS] }] },
        },
        {
          $set: { 'lease.token': token },
          $currentDate: { 'lease.renewedAt': true },
          $inc: { claims: 1 },
        },
        { sort: { _id: 1 }, returnDocument: 'after' },
      ).lean<SyncRunDoc>(),

    /** False when it was cancelled, or another process has it: then it is to be left alone at once. */
    async renew(owner: Owner, lease: RunLease, rateLimited: number): Promise<boolean> {
      const { matchedCount } = await MeetingSyncRun.updateOne(held(owner, lease), {
        $set: { rateLimited },
        $currentDate: { 'lease.renewedAt': true },
      });
      return matchedCount === 1;
    },

    /** Writes down that a page is stored, and where to go on; false as `renew`. */
    async checkpoint(
      owner: Owner,
      lease: RunLease,
      counts: SyncCounts,
      after: Continuation,
    ): Promise<boolean> {
      const { matchedCount } = await MeetingSyncRun.updateOne(held(owner, lease), {
        $set: { ...counts, after, claims: 1 },
        $currentDate: { 'lease.renewedAt': true },
      });
      return matchedCount === 1;
    },

    /** False as `renew`: then it has ended otherwise. */
    async finish(
      owner: Owner,
      lease: RunLease,
      end: SyncCounts & { status: SyncStatus; finishedAt: Date; error: SyncFailure | null },
    ): Promise<boolean> {
      const { matchedCount } = await MeetingSyncRun.updateOne(held(owner, lease), { $set: end });
      return matchedCount === 1;
    },

    /** Gives a run back that goes on elsewhere. */
    release: (owner: Owner, lease: RunLease) =>
      MeetingSyncRun.updateOne(held(owner, lease), {
        $set: { 'lease.renewedAt': FREE },
        $inc: { claims: -1 },
      }),

    /** The run that it has ended; null when none was running, or only one of the generation to be kept. */
    cancel: ({ customerId }: Owner, at: Date, keep?: string) =>
      MeetingSyncRun.findOneAndUpdate(
        { customerId, status: 'running', ...(keep !== undefined && { generation: { $ne: keep } }) },
        { $set: { status: 'cancelled', finishedAt: at } },
        { returnDocument: 'after' },
      ).lean<SyncRunDoc>(),
  };
}

export type RunStore = ReturnType<typeof runStore>;
