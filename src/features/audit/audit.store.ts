import type { Model, Types } from 'mongoose';
import { CIPHERTEXT } from '../../platform/cipher.ts';
import { change, insertion, removal, type Write } from '../../platform/commit/unit-of-work.ts';
import { rawReads } from '../../platform/mongo/raw-collection.ts';
import {
  type AuditCheckpoint,
  type AuditEntryDoc,
  type AuditHeadDoc,
  type AuditIntentDoc,
  SERVICE_LOG,
} from './audit.model.ts';

export interface AuditFilter {
  /** Name of the operation; null for all. */
  action: string | null;
  /** Id of the API key, name of the operator's account or of the job; null for all. */
  actor: string | null;
}

const HEADS_PER_PAGE = 100;

interface ListOptions extends AuditFilter {
  /** Position before which the page begins, newest first; null for the first page. */
  before: number | null;
  limit: number;
}

interface Models {
  AuditIntent: Model<AuditIntentDoc>;
  AuditEntry: Model<AuditEntryDoc>;
  AuditHead: Model<AuditHeadDoc>;
}

/** Documents of the audit log. A log is named by the customer id, or by `SERVICE_LOG`. */
export function auditStore({ AuditIntent, AuditEntry, AuditHead }: Models) {
  const entries = rawReads(AuditEntry);

  const following = (log: number, after: number, limit: number) =>
    AuditEntry.find({ log, sequence: { $gt: after } })
      .sort({ sequence: 1 })
      .limit(limit);

  return {
    async addIntent(intent: AuditIntentDoc): Promise<void> {
      await AuditIntent.create([intent]);
    },

    async dropIntent({ log, _id }: AuditIntentDoc): Promise<void> {
      await AuditIntent.deleteOne({ log, _id });
    },

    intentExists: async ({ log, _id }: AuditIntentDoc): Promise<boolean> =>
      (await AuditIntent.exists({ log, _id })) !== null,

    async renewIntent({ log, _id }: AuditIntentDoc, renewedAt: Date): Promise<void> {
      await AuditIntent.updateOne({ log, _id }, { $set: { renewedAt } });
    },

    /** Acts of all logs that were not in progress since a time, and have no entry, oldest first. */
    intentsBefore: (before: Date): AsyncIterable<AuditIntentDoc> =>
      AuditIntent.find({ at: { $lt: before }, renewedAt: { $not: { $gte: before } } })
        .sort({ at: 1 })
        .lean<AuditIntentDoc>()
        .cursor(),

    head: (log: number) => AuditHead.findById(log).lean<AuditHeadDoc>(),

    /** As `head`, as a majority has it; null also for a head that no majority has yet. */
    majorityHead: (log: number) => AuditHead.findById(log).readConcern('majority').lean<AuditHeadDoc>(),

    hasEntries: async (log: number): Promise<boolean> => (await AuditEntry.exists({ log })) !== null,

    /** Returns the values of `log` of all entries. */
    async logs(): Promise<unknown[]> {
      const groups = await entries.aggregate<{ _id: unknown }>([{ $group: { _id: '$log' } }]).toArray();
      return groups.map(({ _id }) => _id);
    },

    /** Returns the ids of entries with a value of `log` that the service does not write. */
    async idsOf(log: unknown, limit: number): Promise<unknown[]> {
      const found = await entries
        .find({ log: { $eq: log as number } })
        .project<{ _id: unknown }>({ _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id }) => _id);
    },

    /** Returns the entries of a log that have no number as their position, or one before the first. */
    withoutPosition: (log: number, limit: number): Promise<AuditEntryDoc[]> =>
      entries
        .find({ log, sequence: { $not: { $gte: 1 } } })
        .limit(limit)
        .toArray(),

    /** Returns true if the key of a log is encrypted under a key that `readable` does not match. */
    hasSecretUnderUnknownKey: async (readable: RegExp): Promise<boolean> =>
      (await AuditHead.exists({ key: { $regex: CIPHERTEXT, $not: readable } })) !== null,

    /** Creates the head of a log unless it exists. */
    async ensureHead(head: AuditHeadDoc): Promise<void> {
      const { _id, ...rest } = head;
      await AuditHead.updateOne({ _id }, { $setOnInsert: rest }, { upsert: true });
    },

    /** Replaces the settings of the last start unless another process has; returns true if this process did. */
    async replaceSettings(previous: string | undefined, settings: string): Promise<boolean> {
      const { matchedCount } = await AuditHead.updateOne(
        { _id: SERVICE_LOG, settings: previous ?? { $exists: false } },
        { $set: { settings } },
      );
      return matchedCount === 1;
    },

    async recordVerification(verification: NonNullable<AuditHeadDoc['verification']>): Promise<void> {
      await AuditHead.updateOne({ _id: SERVICE_LOG }, { $set: { verification } });
    },

    /**
     * Heads of all logs, as a majority has them: no failover undoes an entry that one names, so each primary has it. In
     * pages: the verification of the logs between two can outlast a cursor of the database.
     */
    async *heads(): AsyncGenerator<AuditHeadDoc> {
      let page: AuditHeadDoc[] = [];
      do {
        const after = page.at(-1)?._id ?? -1;
        page = await AuditHead.find({ _id: { $gt: after } })
          .readConcern('majority')
          .sort({ _id: 1 })
          .limit(HEADS_PER_PAGE)
          .lean<AuditHeadDoc[]>();
        yield* page;
      } while (page.length === HEADS_PER_PAGE);
    },

    /** Replaces the encrypted key of a log unless it has changed since it was read; returns true if it did. */
    async replaceKey({ _id, key }: AuditHeadDoc, ciphertext: string): Promise<boolean> {
      const { modifiedCount } = await AuditHead.updateOne({ _id, key }, { $set: { key: ciphertext } });
      return modifiedCount === 1;
    },

    /** Writes that append an entry. They match nothing if another entry was appended since `head` was read. */
    append: (
      head: AuditHeadDoc,
      entry: AuditEntryDoc,
      changes: Pick<AuditHeadDoc, 'signature' | 'checkpoint'>,
    ): Write[] => [
      change(
        AuditHead,
        { _id: entry.log, sequence: head.sequence },
        { $set: { sequence: entry.sequence, hash: entry.hash, ...changes } },
      ),
      insertion(AuditEntry, entry),
    ],

    /** Write that removes an intent, together with the insertion of its entry. */
    completion: ({ log, _id }: AuditIntentDoc): Write => removal(AuditIntent, { log, _id }),

    list: (log: number, { action, actor, before, limit }: ListOptions) =>
      AuditEntry.find({
        log,
        ...(action !== null && { action }),
        ...(actor !== null && { 'actor.id': actor }),
        // Without a position that the service cannot have written: the next page would begin there.
        sequence: { $gte: 1, $not: { $type: 'array' }, ...(before !== null && { $lt: before }) },
      })
        .sort({ sequence: -1 })
        .limit(limit)
        .lean<AuditEntryDoc[]>(),

    find: (log: number, _id: Types.ObjectId) => AuditEntry.findOne({ log, _id }).lean<AuditEntryDoc>(),

    /** Returns the entry at a position; null if the log has none. */
    at: (log: number, sequence: number) => AuditEntry.findOne({ log, sequence }).lean<AuditEntryDoc>(),

    /** Entries of a log by position. @param after position before the first entry */
    all: (log: number, after = 0): AsyncIterable<AuditEntryDoc> =>
      AuditEntry.find({ log, sequence: { $gt: after } })
        .sort({ sequence: 1 })
        .lean<AuditEntryDoc>()
        .cursor(),

    /** The next entries of a log by position. */
    next: (log: number, after: number, limit: number) => following(log, after, limit).lean<AuditEntryDoc[]>(),

    /** As `next`, as a majority has them: no failover undoes one, which an act must not follow. */
    majorityNext: (log: number, after: number, limit: number) =>
      following(log, after, limit).readConcern('majority').lean<AuditEntryDoc[]>(),

    /** Sets the checkpoint of a log, unless it is at or after it, and removes the entries up to its checkpoint. */
    async removeUpTo(log: number, checkpoint: AuditCheckpoint): Promise<void> {
      const { sequence } = checkpoint;
      await AuditHead.updateOne(
        { _id: log, $nor: [{ 'checkpoint.sequence': { $gte: sequence } }] },
        { $set: { checkpoint } },
      );
      await AuditEntry.deleteMany({ log, sequence: { $lte: sequence } });
    },

    /** Entries of a log with a hash, for the verification after a deviation. */
    withHash: (log: number, by: { hash: string } | { previousHash: string }) =>
      entries
        .find({ log, ...by })
        .limit(10)
        .toArray(),
  };
}

export type AuditStore = ReturnType<typeof auditStore>;
