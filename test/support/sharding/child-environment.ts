import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { REPORT_VARIABLE } from './report-variable.ts';

const PRELOAD = pathToFileURL(join(import.meta.dirname, 'preload.ts')).href;

/** Environment of a service that a test starts: its commands are watched as those in the test's process are. */
export function watchedEnvironment(): Record<string, string> {
  const report = process.env[REPORT_VARIABLE];
  return report ? { [REPORT_VARIABLE]: report, NODE_OPTIONS: `--import=${PRELOAD}` } : {};
}
