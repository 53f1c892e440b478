import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encryptionEnvironment } from '../encryption-environment.ts';
import { REPORT_VARIABLE } from './report-variable.ts';

const PRELOAD = pathToFileURL(join(import.meta.dirname, 'preload.ts')).href;

/**
 * Environment of a process that a test starts: commands are watched and fields encrypted as in the test's process, and
 * compiled code is kept.
 */
export function childEnvironment(): Record<string, string> {
  const { [REPORT_VARIABLE]: report, NODE_COMPILE_CACHE } = process.env;
  return {
    ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
    ...(report && { [REPORT_VARIABLE]: report, NODE_OPTIONS: `--import=${PRELOAD}` }),
    ...encryptionEnvironment(),
  };
}
