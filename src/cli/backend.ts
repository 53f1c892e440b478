import type { Connection } from 'mongoose';
import { type Config, readConfig } from '../config.ts';
import type { DriftSeeding } from '../demo/drift.ts';
import type { Cipher } from '../platform/cipher.ts';
import { createLogger, type Logger } from '../platform/logger.ts';
import type { Services } from '../services.ts';

/** The database and the services, without HTTP and jobs: what commands work with. */
export interface Backend {
  services: Services;
  connection: Connection;
  cipher: Cipher;
  /** Seals every stored secret that is under an older key anew, under the first one. */
  rotateSecrets(): Promise<{ checked: number; resealed: number }>;
  /**
   * Makes the demo tenant with sample data and keys, as the first embedded start does, and gives the sidecar that
   * `ML_SIDECAR_URL` names, if it does, samples to compare.
   * @throws AppError SERVICE_UNAVAILABLE when that sidecar does not take them
   */
  seedDemo(): Promise<{
    customerId: number;
    orgId: string;
    keys: { scope: string; key: string }[];
    /** Null: no sidecar is configured. */
    driftSamples: DriftSeeding | null;
  }>;
  /** Lets go of the database; ends it when it was started for this command. */
  close(): Promise<void>;
}

/** Commands say what is wrong and little else, unless `LOG_LEVEL` asks for more. */
const QUIET = { LOG_LEVEL: 'warn' };

/** Configuration of a command that works with the database. Throws `ConfigError`. */
export const commandConfig = (): Config => readConfig({}, QUIET);

/** A log on stderr: stdout belongs to the command's result. */
export const stderrLog = (level: string): Logger => createLogger(level, 'stderr');

/** Opens the database and the services: in embedded mode those of a running service, or its own for that time. */
export async function openBackend(config: Config): Promise<Backend> {
  const app = await import('../app.ts');
  return app.openBackend(config, stderrLog(config.logLevel));
}

/** Runs `work` with the backend open, and closes it whatever comes of it. */
export async function withBackend<T>(work: (backend: Backend) => Promise<T>): Promise<T> {
  const backend = await openBackend(commandConfig());
  try {
    return await work(backend);
  } finally {
    await backend.close();
  }
}
