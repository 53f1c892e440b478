import { Option } from 'commander';
import { type Config, ROLES, type Role, readConfig } from '../../config/config.ts';
import { AppError } from '../../errors/app-error.ts';
import { requireFreePort } from '../../platform/http/require-free-port.ts';
import { createLogger, type Logger } from '../../platform/logger.ts';
import type { RunningService } from '../../runtime/app.ts';
import { DRAIN_TIMEOUT_MS } from '../../runtime/drain-timeout.ts';
import { releaseStartupMemory } from '../../runtime/memory-limits.ts';
import { newCommand } from '../command.ts';
import { stderrLog } from '../command-backend.ts';
import { print } from '../output/text-output.ts';
import { untilSignal } from '../until-signal.ts';

interface Options {
  role?: Role;
  json: boolean;
}

/** Time for pending output to drain after everything is closed. */
const EXIT_DELAY_MS = 100;

/** Ends the process although timers remain: Agenda leaves timers of five seconds behind. */
const exitSoon = (): void => void setTimeout(() => process.exit(), EXIT_DELAY_MS).unref();

interface ServeOptions {
  config: Config;
  log: Logger;
  json: boolean;
}

/** A started service, in this process or in workers. */
interface Started extends Pick<RunningService, 'url' | 'demo'> {
  failed: Promise<void>;
  stop(graceMs: number): Promise<void>;
}

/** Stops a service at a signal, at the request of its primary, or when its embedded database exits. */
async function untilStopped(service: Started, requests: Promise<StopRequest>[], log: Logger): Promise<void> {
  const { reason, deadline } = await Promise.race<StopRequest>([
    ...requests,
    service.failed.then(() => stopRequest('database')),
  ]).catch(async (error: unknown) => {
    await service.stop(DRAIN_TIMEOUT_MS);
    throw error;
  });
  log.info({ reason }, 'stopping');
  await service.stop(Math.max(0, deadline - performance.now()));
  if (reason === 'database')
    throw new AppError('SERVICE_UNAVAILABLE', 'The embedded database has exited; restart the service.');
}

interface StopRequest {
  reason: string;
  /** Deadline for the end of the process, by `performance.now()`. */
  deadline: number;
}

const stopRequest = (reason: string, graceMs = DRAIN_TIMEOUT_MS): StopRequest => ({
  reason,
  deadline: performance.now() + graceMs,
});

/** Logs the service's address and, in embedded mode, prints its URLs and demo keys on stderr, unless that has the log. */
function printBanner({ config, log, json }: ServeOptions, { url, demo }: Started): void {
  const { role, embedded, workers } = config;
  log.info({ url, role, embedded, workers }, 'listening');
  if (!demo || json) return;
  const targets = config.webhookAllowPrivateTargets
    ? 'Webhook targets may be http: and private addresses; WEBHOOK_ALLOW_PRIVATE_TARGETS=false forbids them.'
    : 'Webhook targets must be public https: addresses.';
  // Without a loopback address, no page contains a key.
  const token = config.loopback ? `?demo=${demo.graphiqlToken}  (with the demo keys, once)` : '';
  const lines = [
    '',
    `  Console            ${url}/console`,
    `  GraphiQL           ${url}/graphql${token}`,
    `  REST docs          ${url}/api/v1/docs`,
    `  REST docs, preview ${url}/v1/docs`,
    `  REST docs, drift   ${url}/api/docs`,
    `  Health             ${url}/api/health`,
    '',
    `  Demo customer      ${demo.customerId} (${demo.orgId})`,
    ...demo.keys.map(({ scope, key }) => `  ${`Demo ${scope} key`.padEnd(18)} ${key}`),
    `  Keys are stored in ${config.dataDir}/demo.env`,
    '',
    `  ${targets}`,
    '',
  ];
  process.stderr.write(`${lines.join('\n')}\n`);
}

/** Ends the process if it is still starting at the deadline of a stop request: it has accepted no work yet. */
function limitStart(request: Promise<StopRequest>, log: Logger): { completed(): void } {
  let isStarting = true;
  void request.then(({ reason, deadline }) => {
    setTimeout(() => {
      if (!isStarting) return;
      log.warn({ reason }, 'stopped before the start was complete');
      process.exit();
    }, deadline - performance.now()).unref();
  });
  return {
    completed() {
      isStarting = false;
    },
  };
}

/** Runs the service in this process, which may be a worker of a primary. */
async function serveHere({ config: configured, log: baseLog, json }: ServeOptions): Promise<void> {
  // Listens before anything starts: a signal may follow the first response immediately.
  const signaled = untilSignal().then((reason) => stopRequest(reason));
  const start = limitStart(signaled, baseLog);
  const requests: Promise<StopRequest>[] = [signaled];
  const link =
    configured.workers > 1
      ? await (await import('../../runtime/workers/worker.ts')).linkToPrimary(configured)
      : null;
  const config = link?.config ?? configured;
  const log = link ? baseLog.child({ worker: link.worker, pid: process.pid }) : baseLog;
  if (link) requests.push(link.stopRequested.then(({ graceMs }) => stopRequest('primary', graceMs)));
  // Imported before the database driver, which tracing instruments at import.
  const tracing = config.tracing
    ? (await import('../../platform/tracing/open-telemetry.ts')).startTracing(config.tracing, log)
    : null;
  try {
    const { startService } = await import('../../runtime/app.ts');
    const service = await startService({
      config,
      log,
      tracing,
      ...(link && { worker: link.worker, share: link.share }),
    });
    if (link) await link.ready(service);
    else printBanner({ config, log, json }, service);
    start.completed();
    releaseStartupMemory();
    await untilStopped(service, requests, log);
  } finally {
    await tracing?.stop();
  }
}

/** Runs the service in worker processes. */
async function serveInWorkers(options: ServeOptions): Promise<void> {
  const { config, log, json } = options;
  const signaled = untilSignal().then((reason) => stopRequest(reason));
  const start = limitStart(signaled, log);
  const { startWorkers } = await import('../../runtime/workers/primary.ts');
  const service = await startWorkers({ config, log, logToStderr: json });
  start.completed();
  printBanner(options, service);
  releaseStartupMemory();
  await untilStopped(service, [signaled], log);
}

/**
 * Fails before the database starts, which takes seconds, if a port of the service is in use.
 *
 * @throws AppError `CONFLICT`
 */
async function requireFreePorts({ host, port, metricsPort, role, embedded, dataDir }: Config): Promise<void> {
  try {
    if (role !== 'worker') await requireFreePort({ host, port, setting: 'PORT' });
    if (metricsPort !== null) await requireFreePort({ host, port: metricsPort, setting: 'METRICS_PORT' });
  } catch (error) {
    // A second start with the same `DATA_DIR` fails later with a better message, which names the other process.
    const { runningEmbeddedMongo } = await import('../../runtime/embedded/running-embedded-mongo.ts');
    if (!embedded || !(await runningEmbeddedMongo(dataDir))) throw error;
  }
}

/** `serve`: runs the service until a signal stops it. */
export const serveCommand = () =>
  newCommand('serve', 'run the service')
    .addOption(new Option('--role <role>', 'role of this process (default: ROLE)').choices(ROLES))
    .action(async ({ role, json }: Options) => {
      const config = readConfig(role ? { ROLE: role } : {});
      const log = json ? stderrLog(config.logLevel) : createLogger(config.logLevel);
      const isPrimary = config.workers > 1 && (await import('node:cluster')).default.isPrimary;
      if (config.workers === 1 || isPrimary) await requireFreePorts(config);
      const serve = isPrimary ? serveInWorkers : serveHere;
      await serve({ config, log, json }).finally(exitSoon);
      if (json) print({ json, result: { role: config.role, stopped: true }, text: '' });
    });
