import mongoose, { type Connection } from 'mongoose';
import { AppError } from '../../errors.ts';

/** What is committed is on disk on a majority of the members before the caller hears of it (contract 6). */
export const DURABLE = { w: 'majority', j: true } as const;

interface ConnectOptions {
  /** Most sockets that the driver opens to one member. */
  maxPoolSize?: number;
  /** How long an operation looks for a primary before it fails; covers an election. Milliseconds. */
  serverSelectionTimeoutMs?: number;
}

/**
 * Connects to a replica set or sharded cluster.
 *
 * @throws AppError `SERVICE_UNAVAILABLE` when the server cannot be reached or is a stand-alone one, which has
 *   neither transactions nor change streams.
 */
export async function connectMongo(uri: string, options: ConnectOptions = {}): Promise<Connection> {
  const connection = mongoose.createConnection(uri, {
    autoIndex: false,
    autoCreate: false,
    maxPoolSize: options.maxPoolSize ?? 32,
    serverSelectionTimeoutMS: options.serverSelectionTimeoutMs ?? 15_000,
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
    throw new AppError('SERVICE_UNAVAILABLE', 'The database at MONGODB_URI cannot be reached.', {
      cause: error,
    });
  }
}

async function requireTransactions(connection: Connection): Promise<void> {
  const hello = await connection.getClient().db('admin').command({ hello: 1 });
  if (hello.setName || hello.msg === 'isdbgrid') return;
  throw new AppError(
    'SERVICE_UNAVAILABLE',
    'MONGODB_URI names a stand-alone server. A replica set (one member is enough) or a sharded cluster is needed, for transactions and change streams.',
  );
}
