import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Connection, mongo } from 'mongoose';
import type { Logger } from '../logger.ts';
import { HEARTBEAT_INTERVAL_MS } from './connect.ts';
import { DatabaseUnavailable, WritesUnavailable, WriteUnconfirmed } from './unavailable.ts';

const TICK_MS = 250;
/** Maximum number of remembered operations that no majority has acknowledged; during a long lag, the oldest are kept. */
const MAX_UNACKNOWLEDGED = 60;

/** Outages of one type of operation, such as writes. */
export interface Outage {
  isOut(): boolean;
  /**
   * Runs `work`, but rejects when an outage begins; during an outage, it rejects soon after the call. The work itself
   * continues, and its result is ignored.
   */
  guard<T>(work: () => Promise<T>): Promise<T>;
}

/** Outages of durable writes. */
export interface WriteOutage extends Outage {
  /** Number of outages so far, including a current one. If it changes during some work, the work was interrupted. */
  count(): number;
  /** Returns the error of a write that has not begun; null unless there is an outage. */
  refusal(): DatabaseUnavailable | null;
  /** Calls `listener` at the beginning of each outage. */
  onBegin(listener: () => void): void;
}

/** Detects outages of the database. */
export interface Outages {
  /** No primary responds. `guard` rejects with `DatabaseUnavailable`. */
  primary: Outage;
  /**
   * No primary responds, or a majority of the members does not acknowledge the primary's writes. When an outage begins,
   * `guard` rejects with `WriteUnconfirmed`; during it, with `refusal`, without calling `work`.
   */
  writes: WriteOutage;
  /** How long a majority has not acknowledged a write of the primary, in milliseconds; 0 on a sharded cluster. */
  majorityLagMs(): number;
  close(): void;
}

interface OutageOptions {
  /** Time without a sign of a primary, or without an acknowledgement, after which an outage begins. Milliseconds. */
  primaryTimeoutMs: number;
  log: Logger;
}

/** Position of a write in the oplog of a replica set. */
interface OpTime {
  ts: mongo.Timestamp;
  /** Term of the primary. */
  t: number;
}

const isAfter = (a: OpTime, b: OpTime): boolean =>
  Number(a.t) !== Number(b.t) ? Number(a.t) > Number(b.t) : a.ts.greaterThan(b.ts);

/**
 * Monitors the heartbeats of the driver, which use separate connections: they detect a database that hangs, and do
 * not wait for a free connection. A heartbeat of a replica set's primary names its latest write and the latest one that a
 * majority has acknowledged. Topologies without heartbeats (a load balancer) have no outages.
 */
export function monitorOutages(connection: Connection, { primaryTimeoutMs, log }: OutageOptions): Outages {
  const client = connection.getClient();
  // A heartbeat shows a write up to one interval late.
  const lagTimeoutMs = primaryTimeoutMs - HEARTBEAT_INTERVAL_MS;
  // Counts ticks, not time: after a blocked event loop, the heartbeat is processed before the second tick.
  let tick = 0;
  let lastHeartbeat = 0;
  let unacknowledged: { opTime: OpTime; tick: number }[] = [];

  const majorityLagMs = (): number => (tick - (unacknowledged[0]?.tick ?? tick)) * TICK_MS;
  const primary = createOutage(() => new DatabaseUnavailable());
  const writes = createOutage(() => new WriteUnconfirmed());
  const refusal = (): DatabaseUnavailable | null =>
    primary.isOut() ? new DatabaseUnavailable() : writes.isOut() ? new WritesUnavailable() : null;

  function onHeartbeat({ reply }: mongo.ServerHeartbeatSucceededEvent): void {
    if (!reply.isWritablePrimary) return;
    lastHeartbeat = tick;
    const { opTime, majorityOpTime } = (reply.lastWrite ?? {}) as Partial<Record<string, OpTime>>;
    if (opTime && majorityOpTime) observe(opTime, majorityOpTime);
    update();
  }

  function observe(opTime: OpTime, majorityOpTime: OpTime): void {
    unacknowledged = unacknowledged.filter((observed) => isAfter(observed.opTime, majorityOpTime));
    if (isAfter(opTime, majorityOpTime) && unacknowledged.length < MAX_UNACKNOWLEDGED)
      unacknowledged.push({ opTime, tick });
  }

  function update(): void {
    const silentMs = (tick - lastHeartbeat) * TICK_MS;
    const lagMs = majorityLagMs();
    const isSilent = silentMs >= primaryTimeoutMs;
    if (primary.set(isSilent)) {
      if (isSilent) log.warn({ silentMs }, 'database unavailable');
      else log.info('database available');
    }
    if (writes.set(isSilent || lagMs >= lagTimeoutMs) && !isSilent) {
      if (writes.isOut()) log.warn({ lagMs }, 'a majority of the database does not acknowledge writes');
      else log.info('database accepts writes');
    }
  }

  const timer = setInterval(() => {
    if (client.options.loadBalanced) return;
    tick += 1;
    update();
    void rejectPending();
  }, TICK_MS).unref();
  client.on('serverHeartbeatSucceeded', onHeartbeat);

  /** Rejects the guarded writes before the requests that make them: the errors of writes are more specific. */
  async function rejectPending(): Promise<void> {
    for (const outage of [writes, primary]) {
      await nextTurn();
      if (outage.isOut()) outage.rejectPending();
    }
  }

  return {
    primary,
    writes: {
      ...writes,
      refusal,
      async guard(work) {
        const refused = refusal();
        if (refused) throw refused;
        return writes.guard(work);
      },
    },
    majorityLagMs,
    close() {
      clearInterval(timer);
      client.off('serverHeartbeatSucceeded', onHeartbeat);
    },
  };
}

/** @param toError creates the error of interrupted work */
function createOutage(toError: () => DatabaseUnavailable) {
  const pending = new Set<(error: DatabaseUnavailable) => void>();
  const listeners: (() => void)[] = [];
  let count = 0;
  let out = false;

  return {
    count: () => count,
    isOut: () => out,
    /** Returns true if the state has changed. */
    set(isOut: boolean): boolean {
      if (isOut === out) return false;
      out = isOut;
      if (out) {
        count += 1;
        for (const listener of listeners) listener();
      }
      return true;
    },
    rejectPending(): void {
      for (const reject of pending) reject(toError());
    },
    guard: <T>(work: () => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        pending.add(reject);
        work()
          .finally(() => pending.delete(reject))
          .then(resolve, reject);
      }),
    onBegin: (listener: () => void) => void listeners.push(listener),
  };
}
