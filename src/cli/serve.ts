import { Option } from 'commander';
import { ROLES, type Role, readConfig } from '../config.ts';
import { createLogger } from '../platform/logger.ts';
import { stderrLog } from './backend.ts';
import { newCommand } from './command.ts';
import { print } from './output.ts';

interface Options {
  role?: Role;
  json: boolean;
}

/** How long what is still to be written gets, once everything has been closed. Milliseconds. */
const LEAVE_MS = 100;

/** Agenda leaves timers of five seconds behind, which would keep a process that has nothing left to do. */
const leave = (): void => void setTimeout(() => process.exit(), LEAVE_MS).unref();

/** `serve`: runs the service until it is told to stop; what `npm start` does. */
export const serveCommand = () =>
  newCommand('serve', 'run the service')
    .addOption(new Option('--role <role>', 'what this process does (default: ROLE)').choices(ROLES))
    .action(async ({ role, json }: Options) => {
      const config = readConfig(role ? { ROLE: role } : {});
      const log = json ? stderrLog(config.logLevel) : createLogger(config.logLevel);
      // Before the rest, and so before the database's driver; where nobody asks for traces it is not even loaded.
      const tracing = config.tracing
        ? (await import('../platform/tracing/open-telemetry.ts')).startTracing(config.tracing, log)
        : null;
      const { serve } = await import('../app.ts');
      await serve(config, log, tracing)
        .finally(() => tracing?.stop())
        .finally(leave);
      if (json) print(json, { role: config.role, stopped: true }, '');
    });
