import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { buildSchemas } from '../schema/index.ts';
import { announce } from './announce.ts';
import type { Backend } from './cli/backend.ts';
import { addressOf, type Config } from './config.ts';
import { openDatabase } from './database.ts';
import { type DemoAccess, ensureDemo } from './demo/demo.ts';
import { seedDrift, seedDriftInBackground } from './demo/drift.ts';
import { AppError } from './errors.ts';
import { createConversations } from './features/conversations/index.ts';
import { createDrift } from './features/drift/index.ts';
import { createEvents } from './features/events/index.ts';
import { healthService } from './features/health/health.service.ts';
import { createMeetings } from './features/meetings/index.ts';
import { createRecorder } from './features/meetings/recorder.ts';
import { createTenants } from './features/tenants/index.ts';
import { createWebhooks } from './features/webhooks/index.ts';
import { ATTEMPT_OUTCOMES } from './features/webhooks/observer.ts';
import { createHttpServer } from './http/server.ts';
import { createJobs, lastJobRun } from './jobs/jobs.ts';
import { createCipher } from './platform/cipher.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import { createProgress, openEmbeddedMongo } from './platform/embedded/index.ts';
import { startSidecarProcess } from './platform/embedded/sidecar-process.ts';
import { loadOrCreateEncryptionKey } from './platform/encryption-key.ts';
import type { Logger } from './platform/logger.ts';
import { createMetrics } from './platform/metrics/metrics.ts';
import { createChanges } from './platform/mongo/changes.ts';
import type { Tracing } from './platform/tracing/tracing.ts';
import { systemWait, type Wait } from './platform/wait.ts';
import type { Services } from './services.ts';

/** What a stop may take in all, requests and attempts under way included (contract 11). */
const DRAIN_MS = 10_000;

/** Everything but HTTP and the jobs' clock, put together: the only place where things meet. */
async function compose(
  config: Config,
  log: Logger,
  shared: boolean,
  clock: Clock,
  tracing: Tracing | null = null,
  wait: Wait = systemWait,
) {
  const embedded = config.mongodbUri
    ? null
    : await openEmbeddedMongo({
        dataDir: config.dataDir,
        searchPath: config.searchPath,
        override: config.mongodBinary ?? undefined,
        progress: createProgress(),
        log,
        shared,
      });
  const uri = config.mongodbUri ?? embedded?.uri ?? '';
  const { connection, models } = await openDatabase(uri).catch(async (error: unknown) => {
    await embedded?.stop();
    throw error;
  });
  const cipher = createCipher(config.encryptionKeys ?? (await loadOrCreateEncryptionKey(config.dataDir)));
  const changes = createChanges(connection, ['webhookDeliveries', 'meetingSyncRuns', 'apiKeys'], log);
  const tenants = createTenants({ models, clock });
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  const metrics = createMetrics({
    version,
    process: config.metrics && !shared,
    attemptOutcomes: ATTEMPT_OUTCOMES,
  });
  const webhooks = createWebhooks({
    connection,
    models,
    cipher,
    changes,
    observer: metrics,
    tracing,
    clock,
    log,
    config,
  });
  metrics.watchWebhooks(webhooks.gauges);
  const { committer } = webhooks;
  const conversations = createConversations({ models, committer, clock });
  const sidecar =
    embedded && !shared && !config.mlSidecarUrl
      ? await startSidecarProcess({ mongodbUri: uri, threshold: config.driftThreshold, log })
      : null;
  const sidecarUrl = config.mlSidecarUrl ?? sidecar?.url ?? null;
  const drift = createDrift({ sidecarUrl, config, observe: metrics.onDrift, log });
  const recorder = createRecorder({ models, clock, wait, observer: metrics, log, config });
  const meetings = createMeetings({
    models,
    cipher,
    changes,
    provider: recorder.provider,
    observer: metrics,
    clock,
    log,
    config,
    runsHere: !shared && config.role !== 'api',
  });
  const services: Services = {
    ...tenants.services,
    ...webhooks.services,
    ...conversations.services,
    ...createEvents({ models, conversations: conversations.store, committer, clock }).services,
    ...drift.services,
    ...meetings.services,
    health: healthService({
      connection,
      lastJobRun: () => lastJobRun(connection),
      sidecar: drift.sidecar,
      clock,
      version,
    }),
  };

  return {
    services,
    connection,
    models,
    cipher,
    metrics,
    jobs: [...tenants.jobs, ...webhooks.jobs, ...drift.jobs, ...meetings.jobs],
    /** Of webhook endpoints and provider keys together. */
    async rotateSecrets() {
      const [signing, provider] = [await webhooks.rotateSecrets(), await meetings.rotateSecrets()];
      return {
        checked: signing.checked + provider.checked,
        resealed: signing.resealed + provider.resealed,
      };
    },
    /** Of the reference sidecar that was started here; null: there is none. */
    referenceSidecarUrl: sidecar?.url ?? null,
    /** Resolves when a database of our own has ended without being asked to. */
    databaseEnded: embedded?.exited ?? new Promise<void>(() => {}),
    async close(graceMs: number): Promise<void> {
      await changes.close();
      await Promise.all([webhooks.close(graceMs), meetings.close(graceMs)]);
      await recorder.close(500);
      await tenants.close();
      await drift.close();
      await sidecar?.stop();
      await connection.close();
      await embedded?.stop();
    },
  };
}

/** The database and the services, without HTTP and jobs: what the operator's commands work with. */
export async function openBackend(config: Config, log: Logger): Promise<Backend> {
  const app = await compose(config, log, true, systemClock);
  return {
    services: app.services,
    connection: app.connection,
    cipher: app.cipher,
    rotateSecrets: app.rotateSecrets,
    async seedDemo() {
      const { access } = await ensureDemo(app.services, app.models, config);
      return { ...access, driftSamples: config.mlSidecarUrl ? await seedDrift(config.mlSidecarUrl) : null };
    },
    close: () => app.close(DRAIN_MS),
  };
}

export interface RunningService {
  url: string;
  /** What the first start has made; null outside of embedded mode. */
  demo: DemoAccess | null;
  services: Services;
  /** Resolves when the service cannot go on, because its own database has ended. */
  failed: Promise<void>;
  /** Stops accepting, finishes what is running for ten seconds at most, and releases what it holds. */
  stop(): Promise<void>;
}

const readKeyOf = (access: DemoAccess | undefined): string | null =>
  access?.keys.find(({ scope }) => scope === 'read')?.key ?? null;

/** Starts the service in this process: database, API and worker, as the configuration says. */
export async function startService(
  config: Config,
  log: Logger,
  clock: Clock = systemClock,
  tracing: Tracing | null = null,
  wait: Wait = systemWait,
): Promise<RunningService> {
  const app = await compose(config, log, false, clock, tracing, wait);
  const jobs = config.role === 'api' ? null : createJobs(app.connection, app.jobs, log);
  const demo = config.embedded ? await ensureDemo(app.services, app.models, config) : null;
  const http =
    config.role === 'worker'
      ? null
      : createHttpServer({
          services: app.services,
          schemas: buildSchemas(),
          log,
          config,
          metrics: config.metrics ? app.metrics.render : undefined,
          onAnswer: app.metrics.onAnswer,
          tracing,
          demoReadKey: config.loopback ? readKeyOf(demo?.access) : null,
        });
  const address = addressOf(config.host, config.port);
  // Whoever waits for the first answer may read it at once: it is not to come later than that.
  if (config.port !== 0) await demo?.writeEnv(address);
  const listening = await http?.listen();
  const url = listening?.url ?? address;
  await demo?.writeEnv(url);
  await jobs?.start();
  // Beside everything else: nobody waits for samples to start with.
  const driftSeeding = app.referenceSidecarUrl ? seedDriftInBackground(app.referenceSidecarUrl, log) : null;

  let stopped: Promise<void> | null = null;
  return {
    url,
    demo: demo?.access ?? null,
    services: app.services,
    failed: app.databaseEnded,
    stop() {
      stopped ??= (async () => {
        const until = performance.now() + DRAIN_MS;
        const left = () => Math.max(500, until - performance.now());
        await Promise.all([http?.close(left()), jobs?.stop(left()), driftSeeding?.stop()]);
        await app.close(left());
      })();
      return stopped;
    },
  };
}

/** Runs the service until it is told to stop, or cannot go on: what `npm start` does. */
export async function serve(config: Config, log: Logger, tracing: Tracing | null): Promise<void> {
  // Listened for before anything starts: whoever sees the first answer may already send one.
  const told = Promise.race(
    (['SIGTERM', 'SIGINT'] as const).map((signal) => once(process, signal).then(() => signal)),
  );
  const service = await startService(config, log, systemClock, tracing);
  announce(config, service, log);
  const reason = await Promise.race([told, service.failed.then(() => 'database' as const)]);
  log.info({ reason }, 'stopping');
  await service.stop();
  if (reason === 'database') throw new AppError('SERVICE_UNAVAILABLE', 'The embedded database has ended.');
}
