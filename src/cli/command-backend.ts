import { type Config, readConfig } from '../config/config.ts';
import { createLogger, type Logger } from '../platform/logger.ts';
import type { Backend } from '../runtime/backend.ts';

/** Default log level of commands: their log shares the terminal with their result. */
const QUIET = { LOG_LEVEL: 'warn' };

/**
 * Reads the configuration of a command.
 *
 * @throws ConfigError
 */
export const commandConfig = (): Config => readConfig({}, QUIET);

/** Creates a logger on stderr: stdout carries only the command's result. */
export const stderrLog = (level: string): Logger => createLogger(level, 'stderr');

/** Opens the database and the services; embedded mode uses the database of a running service, if there is one. */
export async function openCommandBackend(config: Config): Promise<Backend> {
  const { openBackend } = await import('../runtime/backend.ts');
  return openBackend(config, stderrLog(config.logLevel));
}

/** Runs `work` with an open backend and closes it afterwards, also after an error. */
export async function withBackend<T>(work: (backend: Backend) => Promise<T>): Promise<T> {
  const backend = await openCommandBackend(commandConfig());
  try {
    return await work(backend);
  } finally {
    await backend.close();
  }
}
