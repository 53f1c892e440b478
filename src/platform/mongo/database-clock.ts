import { uptime } from 'node:os';
import type { Connection, mongo } from 'mongoose';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';

/** Interval between two readings of the database's clock. Milliseconds. */
const SYNC_INTERVAL_MS = 10_000;
/** Maximum round trip of a reading that sets the time; a slower reading only bounds it. Milliseconds. */
const MAX_ROUND_TRIP_MS = 200;
/** Maximum number of readings at the start, until one is fast enough; otherwise the fastest counts. */
const FIRST_READINGS = 5;
/** Jump of the wall clock against the monotonic clock that gradual adjustment (NTP) does not reach. Milliseconds. */
const JUMP_MS = 500;

/** An unsharded collection, which one primary of a cluster holds. */
const UNSHARDED_COLLECTION = 'counters';

export interface DatabaseClock extends Clock {
  close(): void;
}

/** Clocks of this machine, in milliseconds; the process's clocks by default. */
interface LocalClocks {
  /** Time that no change of the wall clock affects; it stops while the machine is suspended. */
  monotonic(): number;
  wall(): number;
  /** Time since the boot, including suspensions, which no change of the wall clock affects. Slow to read. */
  uptime(): number;
}

const SYSTEM_CLOCKS: LocalClocks = {
  monotonic: () => performance.now(),
  wall: Date.now,
  uptime: () => uptime() * 1000,
};

interface Reading {
  time: number;
  sentAt: number;
  receivedAt: number;
}

const roundTrip = ({ sentAt, receivedAt }: Reading): number => receivedAt - sentAt;

/**
 * Returns the clock of the primary that holds a collection. The routers of a sharded cluster have their own clocks, but
 * all of them forward this query to the same shard.
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
 *
 * After a suspension of the machine, the monotonic clock is behind and the uptime is not: the clock advances by the
 * difference, so that it issues no lease in the past, and reads the database at once. A jump of the wall clock alone may
 * be a wrong setting: it causes a reading, and does not change the time.
 */
export async function createDatabaseClock(
  connection: Connection,
  log: Logger,
  { monotonic, wall, uptime }: LocalClocks = SYSTEM_CLOCKS,
): Promise<DatabaseClock> {
  const client = connection.getClient();
  const hello = () => client.db('admin').command({ hello: 1 });
  const isRouter = (await hello()).msg === 'isdbgrid';
  const primaryTime = async (): Promise<Date> =>
    isRouter
      ? timeOfHolder(client.db(connection.name), UNSHARDED_COLLECTION)
      : ((await hello()).localTime as Date);
  /** Last seen lead of the wall clock over the monotonic clock. */
  let wallAhead = wall() - monotonic();
  /** Last seen lead of the uptime over the monotonic clock. */
  let uptimeAhead = uptime() - monotonic();
  let jumps = 0;
  let syncing: Promise<void> | null = null;

  async function read(): Promise<Reading> {
    const sentAt = monotonic();
    const time = await primaryTime();
    return { time: time.getTime(), sentAt, receivedAt: monotonic() };
  }

  async function firstReading(): Promise<Reading> {
    let fastest = await read();
    for (let count = 1; count < FIRST_READINGS && roundTrip(fastest) > MAX_ROUND_TRIP_MS; count += 1) {
      const next = await read();
      if (roundTrip(next) < roundTrip(fastest)) fastest = next;
    }
    return fastest;
  }

  const middle = ({ time, sentAt, receivedAt }: Reading): number => time - (sentAt + receivedAt) / 2;
  /** Unix time in milliseconds at the origin of the monotonic clock. */
  let origin = middle(await firstReading());

  async function sync(): Promise<void> {
    const before = jumps;
    const reading = await read();
    noticeJump();
    // The round trip is unknown: the monotonic clock missed a part of it.
    if (jumps !== before) throw new Error('The clock of the machine jumped during a reading.');
    const { time, sentAt, receivedAt } = reading;
    origin =
      roundTrip(reading) <= MAX_ROUND_TRIP_MS
        ? middle(reading)
        : Math.min(Math.max(origin, time - receivedAt), time - sentAt);
  }

  function syncNow(): void {
    syncing ??= sync()
      .catch((error: unknown) => log.debug({ err: error }, 'failed to read the clock of the database'))
      .finally(() => {
        syncing = null;
      });
  }

  function noticeJump(): void {
    const ahead = wall() - monotonic();
    const jumpMs = ahead - wallAhead;
    wallAhead = ahead;
    if (Math.abs(jumpMs) < JUMP_MS) return;
    const suspendedMs = uptime() - monotonic() - uptimeAhead;
    uptimeAhead += suspendedMs;
    log.info(
      { jumpMs: Math.round(jumpMs), suspendedMs: Math.round(suspendedMs) },
      'the machine was suspended, or its clock was set',
    );
    jumps += 1;
    if (suspendedMs >= JUMP_MS) origin += suspendedMs;
    void Promise.resolve(syncing).then(syncNow);
  }

  const timer = setInterval(() => {
    noticeJump();
    syncNow();
  }, SYNC_INTERVAL_MS).unref();

  return {
    now() {
      noticeJump();
      return new Date(origin + monotonic());
    },
    close: () => clearInterval(timer),
  };
}
