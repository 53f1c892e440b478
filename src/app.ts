import type { Connection } from 'mongoose';
import { buildSchemas } from '../schema/index.ts';
import { type ComposeOptions, compose } from './compose.ts';
import { addressOf, type Config } from './config.ts';
import { type DriftSeeding, seedDrift, seedDriftInBackground } from './demo/demo-drift.ts';
import { type DemoAccess, ensureDemo } from './demo/ensure-demo.ts';
import { createHttpServer, createProbeServer } from './http/http-server.ts';
import { createJobs } from './jobs/jobs.ts';
import type { Cipher } from './platform/cipher.ts';
import type { Logger } from './platform/logger.ts';
import type { Services } from './services.ts';
import { checkSettings } from './startup-checks.ts';

/** Time limit of a shutdown, including requests and attempts in flight (contract 11). */
const DRAIN_TIMEOUT_MS = 10_000;

/** The database and the services without HTTP and jobs, for command-line commands. */
export interface Backend {
  services: Services;
  connection: Connection;
  cipher: Cipher;
  /** Re-encrypts with the first key every stored secret that an older key encrypted. */
  rotateSecrets(): Promise<{ checked: number; reencrypted: number }>;
  /**
   * Creates the demo tenant with sample data and keys, as the first start in embedded mode does, and loads samples
   * into the sidecar at `ML_SIDECAR_URL`, if it is configured.
   *
   * @throws AppError `SERVICE_UNAVAILABLE` if the sidecar is unreachable or rejects the samples
   */
  seedDemo(): Promise<{
    customerId: number;
    orgId: string;
    keys: { scope: string; key: string }[];
    /** Null if no sidecar is configured. */
    driftSamples: DriftSeeding | null;
  }>;
  /** Closes the connection, and stops the database if this command started it. */
  close(): Promise<void>;
}

/** Opens the backend of a command. */
export async function openBackend(config: Config, log: Logger): Promise<Backend> {
  const app = await compose({ config, log, shared: true });
  return {
    services: app.services,
    connection: app.connection,
    cipher: app.cipher,
    rotateSecrets: app.rotateSecrets,
    async seedDemo() {
      const { access } = await ensureDemo({ ...app, config, log });
      return { ...access, driftSamples: config.mlSidecarUrl ? await seedDrift(config.mlSidecarUrl) : null };
    },
    close: () => app.close(DRAIN_TIMEOUT_MS),
  };
}

export interface RunningService {
  url: string;
  /** Base URL of the listener for metrics and health; null if `METRICS_PORT` is unset. */
  probesUrl: string | null;
  /** The demo tenant and its keys; null outside of embedded mode. */
  demo: DemoAccess | null;
  services: Services;
  /** Resolves when the embedded database exits unexpectedly. */
  failed: Promise<void>;
  /** Accepts no more requests, waits up to ten seconds for work in flight, and releases every lease. */
  stop(): Promise<void>;
}

const readKeyOf = (access: DemoAccess | undefined): string | null =>
  access?.keys.find(({ scope }) => scope === 'read')?.key ?? null;

/** Starts the service in this process, in the configured role. */
export async function startService(options: Omit<ComposeOptions, 'shared'>): Promise<RunningService> {
  const { config, log, tracing = null } = options;
  const app = await compose(options);
  await checkSettings({ ...app, config, log }).catch(async (error: unknown) => {
    await app.close(0);
    throw error;
  });
  const jobs = config.role === 'api' ? null : createJobs({ ...app, recurring: app.jobs, log });
  const demo = config.embedded ? await ensureDemo({ ...app, config, log }) : null;
  const probeOptions = {
    services: app.services,
    log,
    config,
    metrics: config.metrics ? app.metrics.render : undefined,
  };
  const http =
    config.role === 'worker'
      ? null
      : createHttpServer({
          ...probeOptions,
          schemas: buildSchemas(),
          onResponse: app.metrics.onResponse,
          onConnectionRefused: app.metrics.onConnectionRefused,
          onStalledConnection: app.metrics.onStalledConnection,
          outages: app.outages,
          tracing,
          demoReadKey: config.loopback ? readKeyOf(demo?.access) : null,
        });
  const probes =
    config.metricsPort === null
      ? null
      : createProbeServer({ ...probeOptions, host: config.host, port: config.metricsPort });
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
  const driftSeeding = app.referenceSidecarUrl ? seedDriftInBackground(app.referenceSidecarUrl, log) : null;

  let stopped: Promise<void> | null = null;
  return {
    url,
    probesUrl,
    demo: demo?.access ?? null,
    services: app.services,
    failed: app.databaseEnded,
    stop() {
      stopped ??= (async () => {
        const until = performance.now() + DRAIN_TIMEOUT_MS;
        const left = () => Math.max(500, until - performance.now());
        await Promise.all([
          http?.close(left()),
          probes?.close(left()),
          jobs?.stop(left()),
          driftSeeding?.stop(),
        ]);
        await app.close(left());
      })();
      return stopped;
    },
  };
}
