import { parentPort, workerData } from 'node:worker_threads';
import mongoose from 'mongoose';
import { referenceOf, thresholdOf } from '../../config/values.ts';
import { AppError } from '../../errors/app-error.ts';
import { systemClock } from '../../platform/clock.ts';
import { connectMongo } from '../../platform/mongo/connect.ts';
import { DEFAULT_MODEL } from '../../platform/sidecar-address.ts';
import { createDriftEngine } from '../drift-engine.ts';
import { createModels, type DriftModels } from '../models.ts';
import { sidecarDatabaseName } from '../sidecar-database-name.ts';
import { toSidecarError } from '../sidecar-error.ts';
import type { Call, Failure, Reply, ThreadData } from './drift-thread.types.ts';

/*
 * Entry point of the thread that parses, counts and compares samples. A million numbers block it for a while; the main
 * thread, which has the sockets, stays responsive.
 */

const { mongodbUri, threshold, currentWindow, outcomeDelay, reference } = workerData as ThreadData;
const send = (reply: Reply): void => parentPort?.postMessage(reply);

/** Converts an error for `postMessage`. */
function toFailure(error: unknown): Failure {
  const { code, message, details, cause } = toSidecarError(databaseError(error));
  return {
    code,
    message,
    details,
    cause: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause),
  };
}

/** Converts an error of an unreachable database; returns any other error unchanged. */
function databaseError(error: unknown): unknown {
  const { MongoNetworkError, MongoServerSelectionError } = mongoose.mongo;
  return error instanceof MongoNetworkError || error instanceof MongoServerSelectionError
    ? new AppError('SERVICE_UNAVAILABLE', 'The database is unreachable.', { cause: error })
    : error;
}

/** Performs a call; only samples create a model. */
async function perform(models: DriftModels, { model, name, input }: Call): Promise<unknown> {
  if (name === 'list' || name === 'close') return models[name]();
  const key = model ?? DEFAULT_MODEL;
  const engine = await (name === 'addSamples' ? models.engineFor(key) : models.engineOf(key));
  return (engine[name] as (...args: unknown[]) => unknown)(...input);
}

async function start(): Promise<void> {
  const connection = await connectMongo(mongodbUri, { maxPoolSize: 8 });
  const db = connection.getClient().db(sidecarDatabaseName(connection.name));
  const models = await createModels({
    db,
    createEngine: (model, db) =>
      createDriftEngine({
        db,
        threshold: thresholdOf(threshold, model),
        currentWindow,
        outcomeDelay,
        referenceOf: (stage) => referenceOf(reference, { model, stage }),
        clock: systemClock,
        onWarning: (error) => send({ type: 'warning', failure: toFailure(error) }),
      }),
  });

  parentPort?.on('message', async (call: Call) => {
    const { id } = call;
    try {
      send({ type: 'result', id, result: await perform(models, call) });
      if (call.name !== 'close') return;
      await connection.close();
      parentPort?.close();
    } catch (error) {
      send({ type: 'failure', id, failure: toFailure(error) });
    }
  });
  send({ type: 'ready' });
}

await start().catch((error: unknown) => {
  send({ type: 'startFailed', failure: toFailure(error) });
  process.exit(1);
});
