import mongoose, { type Connection } from 'mongoose';
import { AppError } from '../../errors/app-error.ts';

/** Write concern of every commit: acknowledged once a majority of the members has journaled it (contract 6). */
export const DURABLE = { w: 'majority', j: true } as const;

interface ConnectOptions {
  /** Maximum number of connections to one member. */
  maxPoolSize?: number;
  /** Time limit of an operation for finding a primary; exceeds the duration of an election. */
  serverSelectionTimeoutMs?: number;
}

/**
 * Connects to a replica set or sharded cluster.
 *
 * @throws AppError `SERVICE_UNAVAILABLE` if the server is unreachable, or standalone: it then supports neither
 *   transactions nor change streams
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
    throw new AppError(
      'SERVICE_UNAVAILABLE',
      'The database at MONGODB_URI is unreachable; check the address and that the database is running.',
      {
        cause: error,
      },
    );
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
