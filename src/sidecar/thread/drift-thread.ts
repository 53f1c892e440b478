import { parentPort, workerData } from 'node:worker_threads';
import mongoose from 'mongoose';
import { AppError } from '../../errors.ts';
import { systemClock } from '../../platform/clock.ts';
import { connectMongo } from '../../platform/mongo/connect.ts';
import { createDrift } from '../drift-engine.ts';
import type { Call, Failure, Reply, ThreadData } from './drift-thread.types.ts';

/*
 * The thread that reads, counts and compares: a million numbers keep it busy for a while, and the other one, which
 * has the sockets, goes on answering.
 */

const { mongodbUri, threshold } = workerData as ThreadData;
const send = (reply: Reply): void => parentPort?.postMessage(reply);

/** What went wrong, in a shape that crosses threads. */
function failure(error: unknown): Failure {
  const { code, message, details, cause } = toAppError(error);
  return {
    code,
    message,
    details,
    cause: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
  };
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const { MongoNetworkError, MongoServerSelectionError } = mongoose.mongo;
  if (error instanceof MongoNetworkError || error instanceof MongoServerSelectionError) {
    return new AppError('SERVICE_UNAVAILABLE', 'The database cannot be reached.', { cause: error });
  }
  return new AppError('INTERNAL', 'Something went wrong.', { cause: error });
}

async function start(): Promise<void> {
  const connection = await connectMongo(mongodbUri, { maxPoolSize: 8 });
  const db = connection.getClient().db(`${connection.name}_ml`);
  const drift = await createDrift({
    db,
    threshold,
    clock: systemClock,
    onWarning: (error) => send({ type: 'warning', failure: failure(error) }),
  });

  parentPort?.on('message', async ({ id, name, input }: Call) => {
    try {
      const result = await (drift[name] as (...args: unknown[]) => unknown)(...input);
      send({ type: 'result', id, result });
      if (name !== 'close') return;
      await connection.close();
      parentPort?.close();
    } catch (error) {
      send({ type: 'failure', id, failure: failure(error) });
    }
  });
  send({ type: 'ready' });
}

await start().catch((error: unknown) => {
  send({ type: 'refused', failure: failure(error) });
  process.exit(1);
});
