import type { Config } from '../../config/config.ts';
import type { RunningDemo } from '../../demo/ensure-demo.ts';
import type { Health } from '../../features/health/health.service.ts';
import { createFailureCounter } from '../../limits/rate-limits.ts';
import type { Logger } from '../../platform/logger.ts';
import { nullAfter } from '../../platform/null-after.ts';
import { DRAIN_TIMEOUT_MS } from '../drain-timeout.ts';
import { freePort } from '../embedded/free-port.ts';
import { startEmbeddedParts } from './embedded-parts.ts';
import { type ForkedWorker, forkWorker, setUpWorkers } from './fork-worker.ts';
import { createSupervisor } from './supervisor.ts';
import { createWorkerMetrics } from './worker-metrics.ts';

/** Time limit for a worker's health; the worker's own probes take up to one second. */
const HEALTH_TIMEOUT_MS = 2_000;

/** Workers behind one port. */
export interface RunningWorkers {
  url: string;
  demo: RunningDemo | null;
  /** Resolves when the embedded database exits unexpectedly; rejects when a worker repeatedly fails to start. */
  failed: Promise<void>;
  /** Stops the workers one after the other, then what they use. */
  stop(graceMs: number): Promise<void>;
}

interface PrimaryOptions {
  config: Config;
  log: Logger;
  /** Keeps the log of the workers off stdout. */
  logToStderr: boolean;
}

/**
 * Starts the workers of the service, which share a port and the count of failed authentications. This process serves no
 * requests: it owns the embedded database, and the listener for metrics and health.
 *
 * @throws WorkerStartError
 */
export async function startWorkers({ config, log, logToStderr }: PrimaryOptions): Promise<RunningWorkers> {
  const parts = await startEmbeddedParts(config, log);
  setUpWorkers({ logToStderr });
  const workers = new Map<number, ForkedWorker>();
  const metrics = createWorkerMetrics(workers);
  const countFailure = createFailureCounter();
  // The primary chooses the port: it stays the same even if all workers exit.
  const port = config.port === 0 ? await freePort() : config.port;
  let url = '';
  let demo: RunningDemo | null = null;

  function fork(worker: number): ForkedWorker {
    const { mongodbUri, sidecarAddress, demoAddresses } = parts;
    const child = forkWorker({
      settings: () => ({ worker, port, mongodbUri, sidecarAddress, demo, demoAddresses }),
      onReady(report) {
        url = report.url;
        demo = report.demo;
        workers.set(worker, child);
        log.info({ worker, workerPid: child.pid }, 'a worker is ready');
      },
      calls: {
        metrics: () => metrics.render(),
        countFailure,
      },
    });
    void child.exited.then(() => workers.delete(worker));
    return child;
  }

  /** Returns the health that the first worker to respond reports. */
  async function check(): Promise<Health> {
    for (const { calls } of workers.values()) {
      const health = await nullAfter(HEALTH_TIMEOUT_MS, () => calls.call('health', null));
      if (health) return health;
    }
    return {
      status: 'down',
      sidecar: { status: 'down', latencyMs: null, modelVersion: null },
      database: { status: 'down', latencyMs: null },
      jobs: { status: 'down', lastRunAt: null },
      outboundProxy: null,
      auditLog: { status: 'up', verifiedAt: null },
      encryption: { status: 'up', unreadableAt: null },
      version: '',
      uptimeSeconds: Math.floor(process.uptime()),
    };
  }

  const supervisor = createSupervisor({ count: config.workers, fork, onRestart: metrics.onRestart, log });
  const probes = config.metricsPort === null ? null : await createProbes(config.metricsPort);

  async function createProbes(probePort: number) {
    const { createProbeServer } = await import('../../http/server.ts');
    return createProbeServer({
      services: { health: { check } },
      log,
      config,
      ...(config.metrics && { metrics: metrics.render }),
      host: config.host,
      port: probePort,
    });
  }

  async function stop(graceMs: number): Promise<void> {
    await supervisor.stop(graceMs);
    await probes?.close(500);
    await parts.stop();
  }

  try {
    const probesUrl = (await probes?.listen())?.url;
    if (probesUrl) log.info({ url: probesUrl }, 'listening for metrics and health');
    await supervisor.start();
  } catch (error) {
    await stop(DRAIN_TIMEOUT_MS);
    throw error;
  }
  parts.seed();
  return { url, demo, failed: Promise.race([parts.databaseEnded, supervisor.failed]), stop };
}
