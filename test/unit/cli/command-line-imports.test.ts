import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { MAIN } from '../../support/process.ts';

/** Prints each import of a database driver by the service's own code. */
const PRINT_DRIVER_IMPORTS = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(specifier, context, next) {
      if (/^(mongoose|mongodb)/.test(specifier) && !context.parentURL.includes('/node_modules/'))
        console.error(specifier + ' imported by ' + context.parentURL);
      return next(specifier, context);
    },
  });`)}`;

test('the command line does not load the database driver before a command runs', async () => {
  // OpenTelemetry instruments the driver while it loads, so `serve` must start tracing first.
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [
    `--import=${PRINT_DRIVER_IMPORTS}`,
    MAIN,
    '--help',
  ]);
  expect(stdout).toContain('Usage');
  expect(stderr).toBe('');
});
