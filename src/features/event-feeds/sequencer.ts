import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientSession, Connection, mongo } from 'mongoose';
import type { Logger } from '../../platform/logger.ts';
import { openedOf } from '../../platform/mongo/change-history.ts';
import { UNRESUMABLE_CODES } from '../../platform/mongo/change-stream.ts';
import { duplicateKeyOf } from '../../platform/mongo/duplicate-key.ts';
import type { OutboxEventStore } from '../outbox/outbox-event.store.ts';
import type { LogDoc, LogEntryDoc } from './event-log.model.ts';
import type { EventLogStore, LoggedEvent } from './event-log.store.ts';

/** Events that one write appends at most. */
const BATCH = 1_000;
/** Time for which changes are collected before they are written: a part of the lag of every feed. Milliseconds. */
const COLLECT_MS = 20;
/** Interval at which the position is stored and the lease renewed; a successor reads changes since then again. */
const RENEW_INTERVAL_MS = 1_000;
/** How long the database waits for a change before it returns none. Milliseconds. */
const AWAIT_MS = 500;
/** Tenants whose stored events are scanned at a time. */
const PARALLEL_SCANS = 4;

interface Deps {
  connection: Connection;
  store: Pick<
    EventLogStore,
    | 'acquire'
    | 'renew'
    | 'release'
    | 'logs'
    | 'takeScans'
    | 'saveScan'
    | 'restartScans'
    | 'lastSequence'
    | 'ofEvents'
    | 'append'
  >;
  events: Pick<OutboxEventStore, 'scan'>;
  /** Called for every event that is appended after its change. @param seconds since its commit */
  onEntry: (seconds: number) => void;
  log: Logger;
}

type Change = mongo.ChangeStreamInsertDocument<LoggedEvent & mongo.Document>;

/**
 * Writes the log of each tenant with event feeds: one entry for each of its events, numbered from 1 without gaps, in the
 * order in which the database committed the events. **No event is ever committed behind an entry**, whatever process
 * accepted it, when it began, and what its clock says (ADR 21).
 *
 * Proof. The order is that of the oplog, which a change stream returns, and only what a majority has:
 * 1. *Complete.* The stored position is a resume token of the change stream. It moves to a change only after the entries
 *    of all earlier changes are durable, so the process that continues from it, after a crash, a failover or a pause, reads every
 *    later change. An event from before its tenant's log is found by a scan in the order of ids, whose reads follow
 *    causally after the log was noticed. While the scan runs, a change beyond it is left to it: a later read of the scan
 *    has the event, because it follows causally after the change.
 * 2. *Once.* The id of an entry is that of its event, and unique.
 * 3. *Never behind.* A sequence is unique within its tenant. Entries are inserted one after another, each only if the one
 *    before it was inserted, so entry n exists before entry n + 1, and no entry is ever inserted below the last one.
 *    Readers use the read concern majority: a failover removes no entry that a cursor names.
 *
 * None of this needs the lease: two processes that write at the same time, because one of them was stopped for longer than
 * its lease, refuse each other's entries by 2 and 3, and the one whose insert is refused reads the log again. The lease
 * only keeps the work at one process. Clocks have no part in the order: ids and times are not compared with others.
 * Accepting an event costs nothing: the log is written afterwards, by a process with readers of feeds.
 */
export function createSequencer({ connection, store, events, onEntry, log }: Deps) {
  /** Writes the logs until the signal aborts, or another process has the lease; returns at once if one has it. */
  async function run(signal: AbortSignal): Promise<void> {
    const lease = await store.acquire();
    if (!lease?.token) return;
    try {
      await runFrom(lease.position, lease.token, signal);
    } finally {
      await store.release(lease.token).catch(() => {});
    }
  }

  async function runFrom(position: unknown, token: string, signal: AbortSignal): Promise<void> {
    const session = await connection.getClient().startSession({ causalConsistency: true });
    const stream = openStream(position);
    try {
      await sequence({ stream, session, token, signal, isResumed: position !== null });
    } catch (error) {
      if (!UNRESUMABLE_CODES.includes((error as { code?: unknown }).code)) throw error;
      log.warn({ err: error }, 'the history of changes is lost, scanning all events of feeds again');
      await store.renew(token, null);
    } finally {
      await stream.close().catch(() => {});
      await session.endSession();
    }
  }

  function openStream(position: unknown): mongo.ChangeStream<mongo.Document, Change> {
    return connection
      .getClient()
      .db(connection.name)
      .watch<mongo.Document, Change>(
        [
          {
            $match: {
              operationType: 'insert',
              'ns.coll': { $in: [EVENTS, LOGS] },
            },
          },
          {
            $project: {
              operationType: 1,
              ns: 1,
              clusterTime: 1,
              wallTime: 1,
              'fullDocument._id': 1,
              'fullDocument.customerId': 1,
              'fullDocument.event': 1,
              'fullDocument.customType': 1,
            },
          },
        ],
        { maxAwaitTimeMS: AWAIT_MS, ...(position !== null && { resumeAfter: position }) },
      );
  }

  interface Run {
    stream: mongo.ChangeStream<mongo.Document, Change>;
    session: ClientSession;
    token: string;
    signal: AbortSignal;
    /** False if the stream begins now: everything stored before is scanned. */
    isResumed: boolean;
  }

  async function sequence({ stream, session, token, signal, isResumed }: Run): Promise<void> {
    const append = createAppender(store);
    let pending = stream.tryNext();
    // Rejects later if the stream is closed before.
    pending.catch(() => {});
    let logs = new Map<number, LogDoc>();
    /** Behind every change that has its entry, once the changes collected last have theirs. */
    let position: unknown;

    /** Returns the changes that have arrived, and moves the position behind them; waits for one unless `isBusy`. */
    async function collect(isBusy: boolean): Promise<Change[]> {
      const changes: Change[] = [];
      let until = performance.now() + (isBusy ? 0 : AWAIT_MS);
      while (changes.length < BATCH) {
        const change = await within(pending, until - performance.now());
        if (change === TIMED_OUT) break;
        // The stream's own token is behind the changes that it has read ahead, unless there was none.
        position = change?._id ?? stream.resumeToken;
        pending = stream.tryNext();
        pending.catch(() => {});
        if (change === null) break;
        if (changes.push(change) === 1 && !isBusy) until = performance.now() + COLLECT_MS;
      }
      return changes;
    }

    const load = async () => {
      await store.takeScans(token, session);
      logs = new Map((await store.logs(session)).map((found) => [found._id, found]));
    };
    /** Returns true if the event is left to the scan, which will reach it. */
    const isLeftToScan = ({ _id }: LoggedEvent, { isComplete, scannedUntil }: LogDoc) =>
      !isComplete && (scannedUntil === null || _id.toHexString() > scannedUntil.toHexString());

    /** Returns false if another process has taken over the scan. */
    async function scanNext(found: LogDoc): Promise<boolean> {
      const scanned = await events.scan(
        { customerId: found._id },
        { after: found.scannedUntil, limit: BATCH, session },
      );
      await append(scanned);
      found.scannedUntil = scanned.at(-1)?._id ?? found.scannedUntil;
      found.isComplete = scanned.length < BATCH;
      return store.saveScan(token, found);
    }

    if (!isResumed) {
      // From its first response on, the stream has every change; what was stored before is scanned.
      await openedOf(stream, pending);
      position = stream.resumeToken;
      await store.restartScans(session);
      if (!(await store.renew(token, position))) return;
    }
    await load();
    let renewedAt = performance.now();
    while (!signal.aborted) {
      const scans = [...logs.values()].filter(({ isComplete }) => !isComplete).slice(0, PARALLEL_SCANS);
      const changes = await collect(scans.length > 0);
      const last = changes.at(-1);
      if (last?.clusterTime) session.advanceOperationTime(last.clusterTime);
      if (changes.some(({ ns }) => ns.coll === LOGS)) await load();
      const inserted = changes.filter(({ ns, fullDocument }) => {
        const found = ns.coll === EVENTS ? logs.get(fullDocument.customerId) : undefined;
        return found !== undefined && !isLeftToScan(fullDocument, found);
      });
      await append(inserted.map(({ fullDocument }) => fullDocument));
      for (const { wallTime } of inserted) if (wallTime) onEntry((Date.now() - wallTime.getTime()) / 1_000);
      for (const found of scans) if (!(await scanNext(found))) return;
      if (position === undefined || performance.now() - renewedAt < RENEW_INTERVAL_MS) continue;
      if (!(await store.renew(token, position))) return;
      renewedAt = performance.now();
    }
  }

  return { run };
}

const EVENTS = 'webhookEvents';
const LOGS = 'eventLogs';
const TIMED_OUT = Symbol('timed out');

async function within<T>(promise: Promise<T>, ms: number): Promise<T | typeof TIMED_OUT> {
  const timer = new AbortController();
  try {
    return await Promise.race([
      promise,
      sleep(Math.max(0, ms), TIMED_OUT, { signal: timer.signal }) as Promise<typeof TIMED_OUT>,
    ]);
  } finally {
    timer.abort();
  }
}

/** Returns the function that appends events to the logs of their tenants; events that have an entry are left out. */
function createAppender(store: Pick<EventLogStore, 'lastSequence' | 'ofEvents' | 'append'>) {
  /** Last sequence of each tenant; read again after an insert was refused. */
  const last = new Map<number, number>();

  async function numbered(events: readonly LoggedEvent[]): Promise<LogEntryDoc[]> {
    const entries: LogEntryDoc[] = [];
    for (const logged of events) {
      const { customerId } = logged;
      const sequence = (last.get(customerId) ?? (await store.lastSequence({ customerId }))) + 1;
      last.set(customerId, sequence);
      entries.push({ ...logged, sequence });
    }
    return entries;
  }

  return async function append(events: readonly LoggedEvent[]): Promise<void> {
    for (let missing = events; missing.length > 0; ) {
      try {
        return await store.append(await numbered(missing));
      } catch (error) {
        last.clear();
        if (duplicateKeyOf(error) === null) throw error;
      }
      // Entries of another process may not have a majority yet, and are not read before.
      await sleep(COLLECT_MS);
      const logged = new Set((await store.ofEvents(missing)).map(({ _id }) => _id.toHexString()));
      missing = missing.filter(({ _id }) => !logged.has(_id.toHexString()));
    }
  };
}

export type Sequencer = ReturnType<typeof createSequencer>;
