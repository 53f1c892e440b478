import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encryptionEnvironment } from '../encryption-environment.ts';
import { REPORT_VARIABLE } from './report-variable.ts';

const PRELOAD = pathToFileURL(join(import.meta.dirname, 'preload.ts')).href;

/** Environment of a process that a test starts: commands are watched and fields encrypted as in the test's process. */
export function childEnvironment(): Record<string, string> {
  const report = process.env[REPORT_VARIABLE];
  return {
    ...(report && { [REPORT_VARIABLE]: report, NODE_OPTIONS: `--import=${PRELOAD}` }),
    ...encryptionEnvironment(),
  };
}
