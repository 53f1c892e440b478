import type { Config } from '../config.ts';
import { configuredSidecar } from '../find-sidecar.ts';
import type { Logger } from '../platform/logger.ts';
import type { SidecarAddress } from '../platform/sidecar-address.ts';

/** The processes of embedded mode that all workers use. */
export interface EmbeddedParts {
  mongodbUri: string | null;
  sidecarAddress: SidecarAddress | null;
  /** Resolves when the embedded database exits unexpectedly. */
  databaseEnded: Promise<void>;
  /** Loads the demo samples into the reference sidecar, in the background. */
  seed(): void;
  stop(): Promise<void>;
}

/** Starts the database and the reference sidecar in embedded mode; otherwise returns the configured addresses. */
export async function startEmbeddedParts(config: Config, log: Logger): Promise<EmbeddedParts> {
  const { mongodbUri } = config;
  const configured = configuredSidecar(config);
  if (mongodbUri !== null)
    return {
      mongodbUri,
      sidecarAddress: configured,
      databaseEnded: new Promise(() => {}),
      seed() {},
      stop: async () => {},
    };
  const [{ openConfiguredMongo }, { startSidecarProcess }, { seedDriftInBackground }] = await Promise.all([
    import('../embedded-mongo.ts'),
    import('../platform/embedded/sidecar-process.ts'),
    import('../demo/demo-drift.ts'),
  ]);
  const mongo = await openConfiguredMongo(config, { log, shared: false });
  const sidecar =
    configured === null
      ? await startSidecarProcess({
          mongodbUri: mongo.uri,
          dataDir: config.dataDir,
          token: config.mlSidecarToken,
          threshold: config.driftThreshold,
          currentWindow: config.driftCurrentWindow,
          log,
        })
      : null;
  let seeding: ReturnType<typeof seedDriftInBackground> | undefined;
  return {
    mongodbUri: mongo.uri,
    sidecarAddress: sidecar?.address ?? configured,
    databaseEnded: mongo.exited,
    seed() {
      if (sidecar) seeding = seedDriftInBackground(sidecar.address, log);
    },
    async stop() {
      await seeding?.stop();
      await sidecar?.stop();
      await mongo.stop();
    },
  };
}
