import mongoose, { type Connection } from 'mongoose';
import { AppError } from '../../errors/app-error.ts';
import { isUnavailable } from './unavailable.ts';

/** Time limit for the acknowledgement of a write: a request fails within five seconds (contract 4). Milliseconds. */
const WRITE_TIMEOUT_MS = 4_500;

/**
 * Write concern of every commit: acknowledged once a majority of the members has journaled it (contract 6). A write that
 * times out is applied, and may become durable later. The driver's `timeoutMS` would cover reads as well, but has no
 * effect in version 7.8.
 */
export const DURABLE = { w: 'majority', j: true, wtimeoutMS: WRITE_TIMEOUT_MS } as const;

export interface ConnectOptions {
  /** Maximum number of connections to one member. */
  maxPoolSize?: number;
  /**
   * How long an operation waits for a primary, and for a free connection to it. The default outlasts any election.
   * Milliseconds.
   */
  serverSelectionTimeoutMs?: number;
  /** Interval of the heartbeats to each member; two connections send them. Milliseconds. */
  heartbeatIntervalMs?: number;
}

/** Time limit of the first connection: the database may still be starting. Milliseconds. */
const CONNECT_TIMEOUT_MS = 15_000;
/** Interval of the heartbeats that detect outages, see `monitorOutages`. Milliseconds. */
export const HEARTBEAT_INTERVAL_MS = 1_000;
/** Time limit of a connection attempt and of a heartbeat; after it, a hanging connection is replaced. */
const SOCKET_CONNECT_TIMEOUT_MS = 10_000;

/**
 * Connects to a replica set or sharded cluster.
 *
 * @throws AppError `SERVICE_UNAVAILABLE` if the server is unreachable, or standalone: it then supports neither
 *   transactions nor change streams
 */
export async function connectMongo(
  uri: string,
  {
    maxPoolSize = 32,
    serverSelectionTimeoutMs = CONNECT_TIMEOUT_MS,
    heartbeatIntervalMs = HEARTBEAT_INTERVAL_MS,
  }: ConnectOptions = {},
): Promise<Connection> {
  const deadline = performance.now() + CONNECT_TIMEOUT_MS;
  for (;;) {
    const connection = mongoose.createConnection(uri, {
      autoIndex: false,
      autoCreate: false,
      maxPoolSize,
      serverSelectionTimeoutMS: serverSelectionTimeoutMs,
      waitQueueTimeoutMS: serverSelectionTimeoutMs,
      heartbeatFrequencyMS: heartbeatIntervalMs,
      connectTimeoutMS: SOCKET_CONNECT_TIMEOUT_MS,
      retryWrites: true,
      retryReads: true,
      writeConcern: DURABLE,
      readPreference: 'primary',
    });
    try {
      await connection.asPromise();
      await requireTransactions(connection);
      return connection;
    } catch (error) {
      await connection.close(true).catch(() => {});
      if (error instanceof AppError) throw error;
      if (isUnavailable(error) && performance.now() < deadline) continue;
      throw new AppError(
        'SERVICE_UNAVAILABLE',
        'The database at MONGODB_URI is unreachable; check the address and that the database is running.',
        {
          cause: error,
        },
      );
    }
  }
}

async function requireTransactions(connection: Connection): Promise<void> {
  const hello = await connection.getClient().db('admin').command({ hello: 1 });
  if (hello.setName || hello.msg === 'isdbgrid') return;
  throw new AppError(
    'SERVICE_UNAVAILABLE',
    'MONGODB_URI names a standalone server, which does not support transactions and change streams; use a replica set (one member is sufficient) or a sharded cluster.',
  );
}
