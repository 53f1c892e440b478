import { setTimeout as sleep } from 'node:timers/promises';
import { addressOf, type Config } from '../config/config.ts';
import { seedDriftInBackground } from '../demo/demo-drift-history.ts';
import { connectDemoProvider, type DemoAddresses, startDemoServers } from '../demo/demo-servers.ts';
import { demoKeysFile, ensureDemo, NoDemoTenant, type RunningDemo } from '../demo/ensure-demo.ts';
import { graphiqlTokenUse, newGraphiQLToken } from '../demo/graphiql-token.ts';
import { AppError } from '../errors/app-error.ts';
import { operatorActor } from '../features/audit/audit-actor.ts';
import type { Services } from '../features/services.ts';
import type { Scope } from '../features/tenants/scopes.ts';
import type { HttpServer } from '../http/http-app.ts';
import type { HttpServerOptions, ProbeOptions, RenderMetrics } from '../http/http-server-options.ts';
import { createProbeServer } from '../http/server.ts';
import { createJobs } from '../jobs/jobs.ts';
import type { CountFailure } from '../limits/rate-limits.ts';
import type { SerializedMetrics } from '../platform/metrics/service-metrics.ts';
import { isUnavailable } from '../platform/mongo/unavailable.ts';
import { auditedSettings } from './audited-settings.ts';
import { type ComposeOptions, compose } from './compose.ts';
import { DRAIN_TIMEOUT_MS } from './drain-timeout.ts';
import { checkSettings } from './startup-checks.ts';

/** State that a worker shares with the other workers: failed authentications, metrics and demo data. */
export interface WorkerShare {
  countFailure: CountFailure;
  /** Renders the metrics of all workers. */
  renderMetrics: RenderMetrics;
  /** The demo tenant that another worker created; null for the first worker, and outside of embedded mode. */
  demo: RunningDemo | null;
  /** Addresses of the demo servers that the primary runs; null outside of embedded mode. */
  demoAddresses: DemoAddresses | null;
}

type StartOptions = Omit<ComposeOptions, 'isCommand'> & { share?: WorkerShare };

export interface RunningService {
  url: string;
  /** Base URL of the listener for metrics and health; null if `METRICS_PORT` is unset. */
  probesUrl: string | null;
  /** The demo tenant and its keys; null outside of embedded mode, or if the operator has deleted or suspended it. */
  demo: RunningDemo | null;
  services: Services;
  serializeMetrics(): Promise<SerializedMetrics>;
  /** Resolves when the embedded database exits unexpectedly. */
  failed: Promise<void>;
  /**
   * Accepts no more requests, waits for work in flight, and releases every lease.
   * @param graceMs time limit; ten seconds by default
   */
  stop(graceMs?: number): Promise<void>;
}

/** Part of the shutdown time reserved for closing what requests and jobs use. Milliseconds. */
const CLOSING_MS = 2_000;
/** Part of the shutdown time reserved for ending the process when the database does not respond. Milliseconds. */
const EXIT_MS = 1_000;
/** Minimum time of each shutdown step. Milliseconds. */
const MIN_GRACE_MS = 500;

const NO_DATABASE =
  'The database did not respond in time; check that it has a primary and that its machine is not overloaded, then start again.';

/** Loaded on demand: the role `worker` serves no requests. */
async function createServer(options: Omit<HttpServerOptions, 'schemas'>): Promise<HttpServer> {
  const [{ createHttpServer }, { buildSchemas }] = await Promise.all([
    import('../http/server.ts'),
    import('../../schema/index.ts'),
  ]);
  return createHttpServer({ ...options, schemas: buildSchemas() });
}

const keysByScope = ({ keys }: RunningDemo) =>
  Object.fromEntries(keys.map(({ scope, key }) => [scope, key])) as Record<Scope, string>;

const withDemoProvider = (config: Config, addresses: DemoAddresses | null): Config =>
  addresses?.recorderApiUrl ? { ...config, recorderApiUrl: addresses.recorderApiUrl } : config;

/**
 * Starts the service in this process, in the configured role. A failed start closes what it has opened.
 *
 * @throws AppError `SERVICE_UNAVAILABLE` if the database does not respond in time
 */
export const startService = (options: StartOptions): Promise<RunningService> =>
  start(options).catch((error: unknown) => {
    throw isUnavailable(error) ? new AppError('SERVICE_UNAVAILABLE', NO_DATABASE, { cause: error }) : error;
  });

async function start(options: StartOptions): Promise<RunningService> {
  await using opened = new AsyncDisposableStack();
  const { log, tracing = null, share } = options;
  const demoServers = options.config.embedded && !share ? await startDemoServers(options.config) : null;
  opened.defer(async () => demoServers?.stop());
  const demoAddresses = demoServers?.addresses ?? share?.demoAddresses ?? null;
  const config = withDemoProvider(options.config, demoAddresses);
  const app = await compose({ ...options, config });
  opened.defer(() => app.close(0));
  const isFirst = (options.worker ?? 1) === 1;
  await checkSettings({ ...app, config, log, warns: isFirst });
  await app.services.audit.recordSettings(auditedSettings(config, app.cipher.keyIds), operatorActor());
  const jobs =
    config.role === 'api'
      ? null
      : await createJobs({ ...app, clock: app.databaseClock, recurring: app.jobs, log });
  opened.defer(async () => jobs?.stop(0));
  const demo =
    config.embedded && !share?.demo
      ? await ensureDemo({ ...app, config, log, receiverUrl: demoAddresses?.receiverUrl ?? null }).catch(
          (error: unknown) => {
            if (!(error instanceof NoDemoTenant)) throw error;
            if (isFirst) log.warn(error.message);
            return null;
          },
        )
      : null;
  const runningDemo = demo ? { ...demo.access, graphiqlToken: newGraphiQLToken() } : (share?.demo ?? null);
  const probeOptions: ProbeOptions = { services: app.services, log, config };
  if (config.metrics) probeOptions.metrics = share?.renderMetrics ?? app.metrics.render;
  const http =
    config.role === 'worker'
      ? null
      : await createServer({
          ...probeOptions,
          services: app.services,
          config,
          ...(share && { countFailure: share.countFailure }),
          onResponse: app.metrics.onResponse,
          onConnectionRefused: app.metrics.onConnectionRefused,
          onStalledConnection: app.metrics.onStalledConnection,
          onQueueChange: app.metrics.onQueueChange,
          onQueueWait: app.metrics.onQueueWait,
          onUnsentBytes: app.metrics.onUnsentBytes,
          onSlowestReader: app.metrics.onSlowestReader,
          outages: app.outages.primary,
          tracing,
          demo:
            config.loopback && runningDemo
              ? {
                  keysFile: demoKeysFile(config.dataDir),
                  keys: keysByScope(runningDemo),
                  useToken: graphiqlTokenUse(app.models, runningDemo.graphiqlToken),
                }
              : null,
        });
  opened.defer(async () => http?.close(0));
  const probes =
    config.metricsPort === null
      ? null
      : createProbeServer({ ...probeOptions, host: config.host, port: config.metricsPort });
  opened.defer(async () => probes?.close(0));
  const address = addressOf(config.host, config.port);
  // Before the server listens: a client may read the file after the first response.
  if (config.port !== 0) await demo?.writeEnv(address);
  const listening = await http?.listen();
  const url = listening?.url ?? address;
  await demo?.writeEnv(url);
  const probesUrl = (await probes?.listen())?.url ?? null;
  if (probesUrl) log.info({ url: probesUrl }, 'listening for metrics and health');
  await jobs?.start();
  // In the background: the service is usable before the samples are loaded.
  const driftSeeding = app.runsSidecar
    ? seedDriftInBackground({ mongodbUri: app.mongodbUri, threshold: config.driftThreshold.general, log })
    : null;
  if (demo?.isFirstStart && demoAddresses?.recorderApiUrl)
    await connectDemoProvider(app.services, demo.tenant, log);

  // From now on, `stop` closes everything.
  opened.move();
  let stopped: Promise<void> | null = null;
  return {
    url,
    probesUrl,
    demo: runningDemo,
    services: app.services,
    serializeMetrics: app.metrics.serialize,
    failed: app.databaseEnded,
    stop(graceMs = DRAIN_TIMEOUT_MS) {
      stopped ??= (async () => {
        const until = performance.now() + graceMs - CLOSING_MS;
        const left = () => Math.max(MIN_GRACE_MS, until - performance.now());
        const finish = async () => {
          await Promise.all([
            http?.close(left()),
            probes?.close(left()),
            jobs?.stop(left()),
            driftSeeding?.stop(),
          ]);
          await app.close(left());
          demoServers?.stop();
        };
        const limitMs = Math.max(graceMs - EXIT_MS, 2 * MIN_GRACE_MS);
        const timedOut = sleep(limitMs, true, { ref: false });
        if (await Promise.race([finish(), timedOut]))
          log.warn('stopped without a response of the database; the leases of this process expire');
      })();
      return stopped;
    },
  };
}
