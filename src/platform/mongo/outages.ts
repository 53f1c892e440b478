import type { Connection, mongo } from 'mongoose';
import type { Logger } from '../logger.ts';
import { DatabaseUnavailable } from './unavailable.ts';

const TICK_MS = 250;

/** Detects outages of the database: periods in which no primary responds. */
export interface Outages {
  /** Number of outages so far, the current one included: work that spans a change of it was interrupted. */
  count(): number;
  isOut(): boolean;
  /**
   * Runs `work`, but rejects with `DatabaseUnavailable` when an outage begins, or at the next tick of one that is in
   * progress. The work itself continues, and its result is ignored.
   */
  guard<T>(work: () => Promise<T>): Promise<T>;
  /** Calls `listener` at the beginning of each outage. */
  onBegin(listener: () => void): void;
  close(): void;
}

interface OutageOptions {
  /** Time without a sign of a primary after which an outage begins. Milliseconds. */
  primaryTimeoutMs: number;
  log: Logger;
}

/**
 * Monitors the heartbeats of the driver, which use separate connections: they detect a database that hangs, and do
 * not wait for a free connection. Topologies without heartbeats (a load balancer) have no outages.
 */
export function monitorOutages(connection: Connection, { primaryTimeoutMs, log }: OutageOptions): Outages {
  const client = connection.getClient();
  const pending = new Set<(error: DatabaseUnavailable) => void>();
  const listeners: (() => void)[] = [];
  // Counted in ticks: when the event loop was blocked, a heartbeat is processed before the second tick.
  let silentTicks = 0;
  let count = 0;
  let out = false;

  function onHeartbeat({ reply }: mongo.ServerHeartbeatSucceededEvent): void {
    if (!reply.isWritablePrimary) return;
    silentTicks = 0;
    if (out) log.info('database available');
    out = false;
  }

  const timer = setInterval(() => {
    if (client.options.loadBalanced) return;
    silentTicks += 1;
    if (!out && silentTicks * TICK_MS >= primaryTimeoutMs) {
      out = true;
      count += 1;
      log.warn({ silentMs: silentTicks * TICK_MS }, 'database unavailable');
      for (const listener of listeners) listener();
    }
    if (out) for (const reject of pending) reject(new DatabaseUnavailable());
  }, TICK_MS).unref();
  client.on('serverHeartbeatSucceeded', onHeartbeat);

  return {
    count: () => count,
    isOut: () => out,
    guard: (work) =>
      new Promise((resolve, reject) => {
        pending.add(reject);
        work().then(
          (value) => {
            pending.delete(reject);
            resolve(value);
          },
          (error: unknown) => {
            pending.delete(reject);
            reject(error);
          },
        );
      }),
    onBegin: (listener) => void listeners.push(listener),
    close() {
      clearInterval(timer);
      client.off('serverHeartbeatSucceeded', onHeartbeat);
    },
  };
}
