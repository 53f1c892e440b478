import type { Backend } from '../app.ts';
import { type Config, readConfig } from '../config.ts';
import { createLogger, type Logger } from '../platform/logger.ts';

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
