import cluster from 'node:cluster';
import type { Config } from '../../config/config.ts';
import type { RunningService, WorkerShare } from '../app.ts';
import { openChannel, type RemoteCalls } from './process-channel.ts';
import type { PrimaryCalls, WorkerCalls } from './worker-calls.ts';

/** Returns one worker's share of a limit; all shares together do not exceed the limit. */
const partOf = (limit: number, { workers }: Config): number => Math.max(1, Math.floor(limit / workers));

/** The connection of a worker to its primary. */
export interface WorkerLink {
  worker: number;
  /** The configuration with the addresses and shares of limits for this worker. */
  config: Config;
  share: WorkerShare;
  /** Resolves with the time limit when the primary stops this worker. */
  stopRequested: Promise<{ graceMs: number }>;
  /** Announces that the service has started. */
  ready(service: RunningService): Promise<void>;
}

/** Connects this process to the primary that has forked it. */
export async function linkToPrimary(config: Config): Promise<WorkerLink> {
  const self = cluster.worker;
  if (!self) throw new Error('This process is not a worker.');
  // If the primary was killed, messages of node:cluster itself fail, such as the one `server.close()` sends; the
  // disconnection that follows ends this process. The channel reports its own failures.
  self.on('error', () => {});
  const stopped = Promise.withResolvers<{ graceMs: number }>();
  const started = Promise.withResolvers<RunningService>();
  const calls: WorkerCalls = {
    stop: (limit) => stopped.resolve(limit),
    metrics: async () => (await started.promise).serializeMetrics(),
    health: async () => (await started.promise).services.health.check(),
  };
  const primary = openChannel<PrimaryCalls>(self, calls as RemoteCalls);
  const settings = await primary.call('settings', null);
  return {
    worker: settings.worker,
    config: {
      ...config,
      port: settings.port,
      // The primary serves the metrics and the health of all workers there.
      metricsPort: null,
      mongodbUri: settings.mongodbUri,
      mlSidecarUrl: settings.sidecarAddress?.url ?? null,
      mlSidecarToken: settings.sidecarAddress?.token ?? null,
      httpMaxConnections: partOf(config.httpMaxConnections, config),
      httpMaxConnectionsPerAddress: partOf(config.httpMaxConnectionsPerAddress, config),
      httpMaxRequestsPerKey: partOf(config.httpMaxRequestsPerKey, config),
    },
    share: {
      countFailure: (network) => primary.call('countFailure', network),
      renderMetrics: () => primary.call('metrics', null),
      demo: settings.demo,
      demoAddresses: settings.demoAddresses,
    },
    stopRequested: stopped.promise,
    async ready(service) {
      started.resolve(service);
      await primary.call('ready', { url: service.url, demo: service.demo });
    },
  };
}
