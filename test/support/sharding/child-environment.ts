import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encryptionEnvironment } from '../encryption-environment.ts';
import { readWatch, watchEnvironment } from './watch-variable.ts';

const PRELOAD = pathToFileURL(join(import.meta.dirname, 'preload.ts')).href;

/**
 * Environment of a process that a test starts: commands are watched, fields encrypted and compiled modules kept as in the
 * test's process.
 */
export function childEnvironment(): Record<string, string> {
  const watch = readWatch();
  const { NODE_COMPILE_CACHE } = process.env;
  return {
    ...(watch && { ...watchEnvironment(watch), NODE_OPTIONS: `--import=${PRELOAD}` }),
    ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
    ...encryptionEnvironment(),
  };
}
