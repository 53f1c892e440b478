import type { Connection, mongo } from 'mongoose';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';

/** Interval between two readings of the database's clock. Milliseconds. */
const SYNC_INTERVAL_MS = 10_000;

/** An unsharded collection, which one primary of a cluster holds. */
const UNSHARDED_COLLECTION = 'counters';

export interface DatabaseClock extends Clock {
  close(): void;
}

/**
 * Returns the time of the primary that holds a collection. Each router of a sharded cluster has a clock of its own, but
 * all of them pass this query on to the same shard.
 */
export async function timeOfHolder(db: mongo.Db, collection: string): Promise<Date> {
  const [stats] = await db
    .collection(collection)
    .aggregate([{ $collStats: {} }])
    .toArray();
  return stats?.localTime as Date;
}

/**
 * Creates a clock with the time of the database's primary, so that all processes of a database agree on leases, due
 * times and ticks. Between two readings it advances by the monotonic clock, so that changes of the machine's wall clock
 * have no effect. It continues from the last reading while the database is unreachable.
 */
export async function createDatabaseClock(connection: Connection, log: Logger): Promise<DatabaseClock> {
  const client = connection.getClient();
  const hello = () => client.db('admin').command({ hello: 1 });
  const isRouter = (await hello()).msg === 'isdbgrid';
  const primaryTime = async (): Promise<Date> =>
    isRouter
      ? timeOfHolder(client.db(connection.name), UNSHARDED_COLLECTION)
      : ((await hello()).localTime as Date);
  /** Unix time in milliseconds at the origin of `performance.now()`. */
  let origin = 0;

  async function sync(): Promise<void> {
    const sentAt = performance.now();
    const time = await primaryTime();
    const receivedAt = performance.now();
    origin = time.getTime() - (sentAt + receivedAt) / 2;
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
