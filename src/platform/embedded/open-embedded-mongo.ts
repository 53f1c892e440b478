import { type FindMongodOptions, findMongod } from './find-mongod.ts';
import { type RunningMongo, runningEmbeddedMongo } from './running-embedded-mongo.ts';
import { type EmbeddedMongo, refuseWhileRunning, startEmbeddedMongo } from './start-embedded-mongo.ts';

interface OpenEmbeddedMongoOptions extends FindMongodOptions {
  /**
   * What happens when another process runs the database: the operator's commands use it (`true`) and leave it
   * running at `stop`, the service refuses to start (`false`).
   */
  shared: boolean;
  /** Bound of the WiredTiger cache in gigabytes, at least 0.25. */
  cacheGb?: number;
}

/**
 * The embedded database (contract section 1): finds or fetches a `mongod` and starts it on the data directory.
 * @throws AppError CONFLICT when another process runs it and `shared` is false (nothing is fetched then),
 *   NOT_CONFIGURED when there is no `mongod`, SERVICE_UNAVAILABLE when it does not start
 */
export async function openEmbeddedMongo({
  shared,
  ...options
}: OpenEmbeddedMongoOptions): Promise<EmbeddedMongo> {
  const { dataDir, cacheGb, log } = options;
  const running = shared ? await runningEmbeddedMongo(dataDir) : null;
  if (running) return borrowed(running);
  await refuseWhileRunning(dataDir);

  const { path: binary, version, source } = await findMongod(options);
  log.info({ version, source, binary }, 'Starting the embedded MongoDB.');
  try {
    return await startEmbeddedMongo({ dataDir, binary, log, cacheGb });
  } catch (error) {
    const winner = shared ? await runningEmbeddedMongo(dataDir) : null; // of two starts at once
    if (winner) return borrowed(winner);
    throw error;
  }
}

/** A database that another process runs and ends. */
const borrowed = ({ uri }: RunningMongo): EmbeddedMongo => ({
  uri,
  exited: new Promise(() => {}),
  stop: async () => {},
});
