import type { Config } from '../../config/config.ts';
import type { DemoAddresses } from '../../demo/demo-servers.ts';
import type { Logger } from '../../platform/logger.ts';
import type { SidecarAddress } from '../../platform/sidecar-address.ts';
import { configuredSidecar } from '../find-sidecar.ts';

/** The processes of embedded mode, shared by all workers. */
export interface EmbeddedParts {
  mongodbUri: string | null;
  sidecarAddress: SidecarAddress | null;
  /** Null outside of embedded mode. */
  demoAddresses: DemoAddresses | null;
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
      demoAddresses: null,
      databaseEnded: new Promise(() => {}),
      seed() {},
      stop: async () => {},
    };
  const [{ openConfiguredMongo }, { startSidecarProcess }, { seedDriftInBackground }, { startDemoServers }] =
    await Promise.all([
      import('../embedded-mongo.ts'),
      import('../embedded/sidecar-process.ts'),
      import('../../demo/demo-drift-history.ts'),
      import('../../demo/demo-servers.ts'),
    ]);
  const mongo = await openConfiguredMongo(config, { log, mayUseRunning: false });
  const sidecar =
    configured === null ? await startSidecarProcess(config, { mongodbUri: mongo.uri, log }) : null;
  const demoServers = await startDemoServers(config);
  let seeding: ReturnType<typeof seedDriftInBackground> | undefined;
  return {
    mongodbUri: mongo.uri,
    sidecarAddress: sidecar?.address ?? configured,
    demoAddresses: demoServers.addresses,
    databaseEnded: mongo.exited,
    seed() {
      if (!sidecar) return;
      seeding = seedDriftInBackground({
        mongodbUri: mongo.uri,
        threshold: config.driftThreshold.general,
        log,
      });
    },
    async stop() {
      await seeding?.stop();
      demoServers.stop();
      await sidecar?.stop();
      await mongo.stop();
    },
  };
}
