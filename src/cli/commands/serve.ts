import { Option } from 'commander';
import { type Config, ROLES, type Role, readConfig } from '../../config.ts';
import { AppError } from '../../errors/app-error.ts';
import { createLogger, type Logger } from '../../platform/logger.ts';
import type { Tracing } from '../../platform/tracing/tracing.ts';
import { newCommand } from '../command.ts';
import { stderrLog } from '../command-backend.ts';
import { printBanner } from '../output/startup-banner.ts';
import { print } from '../output/text-output.ts';
import { untilSignal } from '../until-signal.ts';

interface Options {
  role?: Role;
  json: boolean;
}

/** Time for pending output after everything has been closed. */
const EXIT_DELAY_MS = 100;

/** Ends the process although timers remain: Agenda leaves some of five seconds behind. */
const exitSoon = (): void => void setTimeout(() => process.exit(), EXIT_DELAY_MS).unref();

interface ServeOptions {
  config: Config;
  log: Logger;
  tracing: Tracing | null;
}

/** Runs the service until a signal stops it or its embedded database exits. */
async function serve({ config, log, tracing }: ServeOptions): Promise<void> {
  // Before anything starts: a signal may follow the first response immediately.
  const signaled = untilSignal();
  // After tracing, which instruments the database driver when the driver is loaded.
  const { startService } = await import('../../app.ts');
  const service = await startService({ config, log, tracing });
  printBanner(config, service, log);
  const reason = await Promise.race([signaled, service.failed.then(() => 'database' as const)]);
  log.info({ reason }, 'stopping');
  await service.stop();
  if (reason === 'database')
    throw new AppError('SERVICE_UNAVAILABLE', 'The embedded database has exited; restart the service.');
}

/** `serve`: runs the service until a signal stops it. */
export const serveCommand = () =>
  newCommand('serve', 'run the service')
    .addOption(new Option('--role <role>', 'role of this process (default: ROLE)').choices(ROLES))
    .action(async ({ role, json }: Options) => {
      const config = readConfig(role ? { ROLE: role } : {});
      const log = json ? stderrLog(config.logLevel) : createLogger(config.logLevel);
      // Loaded on demand, and before the database driver.
      const tracing = config.tracing
        ? (await import('../../platform/tracing/open-telemetry.ts')).startTracing(config.tracing, log)
        : null;
      await serve({ config, log, tracing })
        .finally(() => tracing?.stop())
        .finally(exitSoon);
      if (json) print({ json, result: { role: config.role, stopped: true }, text: '' });
    });
