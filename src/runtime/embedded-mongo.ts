import type { Config } from '../config/config.ts';
import type { Logger } from '../platform/logger.ts';
import { createProgress } from './embedded/download-progress.ts';
import { openEmbeddedMongo } from './embedded/open-embedded-mongo.ts';

/** Opens the embedded database of the configured data directory, see `openEmbeddedMongo`. */
export const openConfiguredMongo = (
  config: Config,
  { log, mayUseRunning }: { log: Logger; mayUseRunning: boolean },
) =>
  openEmbeddedMongo({
    dataDir: config.dataDir,
    searchPath: config.searchPath,
    override: config.mongodBinary ?? undefined,
    progress: createProgress(),
    log,
    mayUseRunning,
  });
