import type { ClientSession, Model } from 'mongoose';
import type { Clock } from '../../platform/clock.ts';
import { documentLease } from '../../platform/leases/lease.ts';
import { duplicateKeyOf } from '../../platform/mongo/duplicate-key.ts';
import { byIds, type DocumentRef } from '../../platform/mongo/ids-of-tenants.ts';
import { rawCollection, rawReads } from '../../platform/mongo/raw-collection.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { LogDoc, LogEntryDoc, SequencerDoc } from './event-log.model.ts';

interface Models {
  EventLogEntry: Model<LogEntryDoc>;
  EventLog: Model<LogDoc>;
  EventSequencer: Model<SequencerDoc>;
}

const ID = 'events';
/** Time to live of the sequencer's lease: the longest pause of all feeds after its process has died. Milliseconds. */
const LEASE_MS = 5_000;

/** An event without a place in the log. */
export type LoggedEvent = Omit<LogEntryDoc, 'sequence'>;

/** Reads only what no failover undoes: a cursor never names an entry that another one replaces. */
const MAJORITY = { readConcern: { level: 'majority' } } as const;

/** Stores the logs of events, and the lease of the process that writes them. */
export function eventLogStore({ EventLogEntry, EventLog, EventSequencer }: Models, clock: Clock) {
  const entries = rawCollection(EventLogEntry);
  const rawEntries = rawReads(EventLogEntry);
  const logs = rawCollection(EventLog);
  const lease = documentLease({ token: 'token', expiresAt: 'expiresAt', ttlMs: LEASE_MS, clock });

  /** Records that events of these entries are removed, so that no reader passes over them unnoticed. */
  async function markRemoved(removed: readonly LogEntryDoc[]): Promise<void> {
    for (const [_id, ofTenant] of Map.groupBy(removed, ({ customerId }) => customerId)) {
      const removedUntil = Math.max(...ofTenant.map(({ sequence }) => sequence));
      await logs.updateOne({ _id }, { $max: { removedUntil } });
    }
  }

  async function removeEntries(removed: readonly LogEntryDoc[]): Promise<void> {
    if (removed.length === 0) return;
    await markRemoved(removed);
    await entries.deleteMany(byIds(removed));
  }

  return {
    /** Creates the log of a tenant if it has none, and returns it. */
    async open({ customerId: _id }: TenantRef): Promise<LogDoc> {
      const created: LogDoc = { _id, scannedUntil: null, isComplete: false, removedUntil: 0 };
      await logs.insertOne(created).catch((error: unknown) => {
        if (duplicateKeyOf(error) === null) throw error;
      });
      return (await logs.findOne({ _id })) ?? created;
    },

    /** Returns the log of a tenant; null if it has none. */
    find: ({ customerId: _id }: TenantRef): Promise<LogDoc | null> => logs.findOne({ _id }, MAJORITY),

    /** Returns up to `limit` entries of a tenant after a sequence, in order. */
    after: (
      { customerId }: TenantRef,
      { sequence, limit }: { sequence: number; limit: number },
    ): Promise<LogEntryDoc[]> =>
      rawEntries
        .find({ customerId, sequence: { $gt: sequence } })
        .withReadConcern(MAJORITY.readConcern)
        .sort({ sequence: 1 })
        .limit(limit)
        .batchSize(limit + 1)
        .toArray(),

    /**
     * Returns the last sequence of a tenant, also if retention has removed its entry; 0 for none.
     * @param level `local` for a bound of all that readers have seen: a new primary has it before it knows that a majority
     *   does
     */
    async lastSequence({ customerId }: TenantRef, level: 'majority' | 'local' = 'majority'): Promise<number> {
      const readConcern = { level };
      const [last] = await rawEntries
        .find({ customerId })
        .withReadConcern(readConcern)
        .sort({ sequence: -1 })
        .limit(1)
        .toArray();
      // Read afterwards: it changes before an entry is removed.
      const log = await logs.findOne({ _id: customerId }, { readConcern });
      return Math.max(last?.sequence ?? 0, log?.removedUntil ?? 0);
    },

    /** Returns the entries of events; without the events that have none. */
    ofEvents: (events: readonly DocumentRef[]): Promise<LogEntryDoc[]> =>
      rawEntries.find(byIds(events)).withReadConcern(MAJORITY.readConcern).toArray(),

    /**
     * Inserts entries in their order, and stops at the first that it cannot insert.
     * @throws a duplicate-key error if an event has an entry, or another event has its sequence
     */
    async append(appended: LogEntryDoc[]): Promise<void> {
      await entries.insertMany(appended, { ordered: true });
    },

    markRemoved,

    /** Removes the entries of events that retention removes next. */
    async remove(events: readonly DocumentRef[]): Promise<void> {
      if (!(await logs.findOne({}, { projection: { _id: 1 } }))) return;
      await removeEntries(await rawEntries.find(byIds(events)).toArray());
    },

    removeEntries,

    /** Customers with a log. */
    async *tenants(): AsyncGenerator<TenantRef> {
      for await (const { _id } of logs.find({}, { projection: { _id: 1 } })) yield { customerId: _id };
    },

    /** Returns all logs. */
    logs: (session: ClientSession): Promise<LogDoc[]> => logs.find({}, { ...MAJORITY, session }).toArray(),

    /** Takes over the scans of incomplete logs. @param token of the lease */
    async takeScans(token: string, session: ClientSession): Promise<void> {
      await logs.updateMany(
        { isComplete: false, scanner: { $ne: token } },
        { $set: { scanner: token } },
        { session },
      );
    },

    /**
     * Stores how far a scan is. Returns false if another process has taken it over: what one that was paused has scanned is
     * not what its successor relies on.
     */
    async saveScan(
      token: string,
      { _id, scannedUntil, isComplete }: Pick<LogDoc, '_id' | 'scannedUntil' | 'isComplete'>,
    ): Promise<boolean> {
      const { matchedCount } = await logs.updateOne(
        { _id, scanner: token },
        { $set: { scannedUntil, isComplete } },
      );
      return matchedCount > 0;
    },

    /** Lets all stored events be scanned again. */
    async restartScans(session: ClientSession): Promise<void> {
      await logs.updateMany({}, { $set: { scannedUntil: null, isComplete: false } }, { session });
    },

    /** Acquires the lease of the sequencer; null if another process holds it. */
    async acquire(): Promise<SequencerDoc | null> {
      const held = await EventSequencer.findById(ID).lean<SequencerDoc>();
      if (held && held.expiresAt > clock.now()) return null;
      try {
        return await EventSequencer.findOneAndUpdate(
          { _id: ID, ...lease.expired() },
          { $set: lease.acquire(), $setOnInsert: { position: null } },
          { upsert: true, returnDocument: 'after' },
        ).lean<SequencerDoc>();
      } catch (error) {
        if (duplicateKeyOf(error) === null) throw error;
        return null;
      }
    },

    /** Renews the lease and stores the position. Returns false if another process has acquired it. */
    async renew(token: string, position: unknown): Promise<boolean> {
      const { matchedCount } = await EventSequencer.updateOne(
        { _id: ID, ...lease.heldBy(token) },
        { $set: { ...lease.acquire(token), position } },
      );
      return matchedCount === 1;
    },

    async release(token: string): Promise<void> {
      await EventSequencer.updateOne({ _id: ID, ...lease.heldBy(token) }, lease.release());
    },
  };
}

export type EventLogStore = ReturnType<typeof eventLogStore>;
