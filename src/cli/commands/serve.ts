import { once } from 'node:events';
import { Option } from 'commander';
import { type Config, ROLES, type Role, readConfig } from '../../config.ts';
import { AppError } from '../../errors.ts';
import { createLogger, type Logger } from '../../platform/logger.ts';
import type { Tracing } from '../../platform/tracing/tracing.ts';
import { newCommand } from '../command.ts';
import { stderrLog } from '../command-backend.ts';
import { announce } from '../output/startup-banner.ts';
import { print } from '../output/text-output.ts';

interface Options {
  role?: Role;
  json: boolean;
}

/** How long what is still to be written gets, once everything has been closed. Milliseconds. */
const LEAVE_MS = 100;

/** Agenda leaves timers of five seconds behind, which would keep a process that has nothing left to do. */
const leave = (): void => void setTimeout(() => process.exit(), LEAVE_MS).unref();

/** Runs the service until it is stopped by a signal, or cannot go on. */
async function serve(config: Config, log: Logger, tracing: Tracing | null): Promise<void> {
  // Before anything starts: the signal may come as soon as the first answer was seen.
  const signalled = Promise.race(
    (['SIGTERM', 'SIGINT'] as const).map((signal) => once(process, signal).then(() => signal)),
  );
  // After tracing, which instruments the database's driver as it is loaded.
  const { startService } = await import('../../app.ts');
  const service = await startService({ config, log, tracing });
  announce(config, service, log);
  const reason = await Promise.race([signalled, service.failed.then(() => 'database' as const)]);
  log.info({ reason }, 'stopping');
  await service.stop();
  if (reason === 'database') throw new AppError('SERVICE_UNAVAILABLE', 'The embedded database has ended.');
}

/** `serve`: runs the service until it is told to stop; what `npm start` does. */
export const serveCommand = () =>
  newCommand('serve', 'run the service')
    .addOption(new Option('--role <role>', 'what this process does (default: ROLE)').choices(ROLES))
    .action(async ({ role, json }: Options) => {
      const config = readConfig(role ? { ROLE: role } : {});
      const log = json ? stderrLog(config.logLevel) : createLogger(config.logLevel);
      // Before the rest, and so before the database's driver; where nobody asks for traces it is not even loaded.
      const tracing = config.tracing
        ? (await import('../../platform/tracing/open-telemetry.ts')).startTracing(config.tracing, log)
        : null;
      await serve(config, log, tracing)
        .finally(() => tracing?.stop())
        .finally(leave);
      if (json) print(json, { role: config.role, stopped: true }, '');
    });
