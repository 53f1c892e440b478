import type { Connection } from 'mongoose';
import type { Config } from '../config/config.ts';
import { type DriftSeeding, seedDrift } from '../demo/demo-drift.ts';
import { ensureDemo } from '../demo/ensure-demo.ts';
import type { Services } from '../features/services.ts';
import type { Cipher } from '../platform/cipher.ts';
import type { Logger } from '../platform/logger.ts';
import { compose } from './compose.ts';
import { DRAIN_TIMEOUT_MS } from './drain-timeout.ts';

/** The database and the services without HTTP and jobs, for command-line commands. */
export interface Backend {
  services: Services;
  connection: Connection;
  cipher: Cipher;
  /** Re-encrypts every stored secret that is encrypted under an older key. */
  rotateSecrets(): Promise<{ checked: number; reencrypted: number }>;
  /**
   * Creates the demo tenant with sample data and keys, as the first start in embedded mode does. Loads samples into
   * the sidecar at `ML_SIDECAR_URL` or, in embedded mode, of the running service, if there is one.
   *
   * @throws NoDemoTenant; AppError `SERVICE_UNAVAILABLE` if the sidecar is unreachable or rejects the samples
   */
  seedDemo(): Promise<{
    customerId: number;
    orgId: string;
    keys: { scope: string; key: string }[];
    /** Null if there is no sidecar. */
    driftSamples: DriftSeeding | null;
  }>;
  /** Closes the connection, and stops the database if this command started it. */
  close(): Promise<void>;
}

/** Opens the backend of a command. */
export async function openBackend(config: Config, log: Logger): Promise<Backend> {
  const app = await compose({ config, log, isCommand: true });
  return {
    services: app.services,
    connection: app.connection,
    cipher: app.cipher,
    rotateSecrets: app.rotateSecrets,
    async seedDemo() {
      const { access } = await ensureDemo({ ...app, config, log, receiverUrl: null });
      return { ...access, driftSamples: app.sidecarAddress ? await seedDrift(app.sidecarAddress) : null };
    },
    close: () => app.close(DRAIN_TIMEOUT_MS),
  };
}
