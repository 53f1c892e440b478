import type { Connection } from 'mongoose';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';

/** Interval between two readings of the database's clock. Milliseconds. */
const SYNC_INTERVAL_MS = 10_000;

export interface DatabaseClock extends Clock {
  close(): void;
}

/**
 * Creates a clock with the time of the database's primary, so that all processes of a database agree on leases, due
 * times and ticks. Between two readings it advances by the monotonic clock, so that changes of the machine's wall clock
 * have no effect. It continues from the last reading while the database is unreachable.
 */
export async function createDatabaseClock(connection: Connection, log: Logger): Promise<DatabaseClock> {
  /** Unix time in milliseconds at the origin of `performance.now()`. */
  let origin = 0;

  async function sync(): Promise<void> {
    const sentAt = performance.now();
    const { localTime } = await connection.getClient().db('admin').command({ hello: 1 });
    const receivedAt = performance.now();
    origin = (localTime as Date).getTime() - (sentAt + receivedAt) / 2;
  }

  await sync();
  const timer = setInterval(() => {
    sync().catch((error: unknown) => log.debug({ err: error }, 'failed to read the clock of the database'));
  }, SYNC_INTERVAL_MS).unref();

  return {
    now: () => new Date(origin + performance.now()),
    close: () => clearInterval(timer),
  };
}
