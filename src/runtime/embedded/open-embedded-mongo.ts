import { type FindMongodOptions, findMongod } from './find-mongod.ts';
import { type RunningMongo, runningEmbeddedMongo } from './running-embedded-mongo.ts';
import { type EmbeddedMongo, refuseWhileRunning, startEmbeddedMongo } from './start-embedded-mongo.ts';

interface OpenEmbeddedMongoOptions extends FindMongodOptions {
  /**
   * True to use the database if another process runs it, and to leave it running at `stop` (commands); false to fail
   * in that case (the service).
   */
  mayUseRunning: boolean;
  /** Maximum size of the WiredTiger cache in gigabytes, at least 0.25. */
  cacheGb?: number;
}

/**
 * Opens the embedded database (contract 1): finds or downloads a `mongod` and starts it with the data
 * directory.
 * @throws AppError CONFLICT if another process runs it and `mayUseRunning` is false, NOT_CONFIGURED if there is no `mongod`,
 *   SERVICE_UNAVAILABLE if it does not start
 */
export async function openEmbeddedMongo({
  mayUseRunning,
  ...options
}: OpenEmbeddedMongoOptions): Promise<EmbeddedMongo> {
  const { dataDir, cacheGb, log } = options;
  const running = mayUseRunning ? await runningEmbeddedMongo(dataDir) : null;
  if (running) return runElsewhere(running);
  await refuseWhileRunning(dataDir);

  const { path: binary, version, source } = await findMongod(options);
  log.info({ version, source, binary }, 'starting the embedded MongoDB');
  try {
    return await startEmbeddedMongo({ dataDir, binary, log, cacheGb });
  } catch (error) {
    const concurrent = mayUseRunning ? await runningEmbeddedMongo(dataDir) : null;
    if (concurrent) return runElsewhere(concurrent);
    throw error;
  }
}

/** Wraps a database that another process runs and will stop. */
const runElsewhere = ({ uri }: RunningMongo): EmbeddedMongo => ({
  uri,
  exited: new Promise(() => {}),
  stop: async () => {},
});
