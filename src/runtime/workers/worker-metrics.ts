import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import { nullAfter } from '../../platform/null-after.ts';
import type { ForkedWorker } from './fork-worker.ts';

/** Time limit for one worker's metrics, below the 10 s scrape timeout of Prometheus. */
const WORKER_TIMEOUT_MS = 3_000;

/** Creates the metrics page of all workers, on which each series has the label `worker`. */
export function createWorkerMetrics(workers: ReadonlyMap<number, ForkedWorker>) {
  const registry = new Registry();
  const registers = [registry];
  const restarts = new Counter({
    name: 'engagement_worker_restarts_total',
    help: 'Workers that were restarted after they had exited.',
    registers,
  });
  new Gauge({
    name: 'engagement_workers',
    help: 'Worker processes.',
    registers,
    collect() {
      this.set(workers.size);
    },
  });

  return {
    onRestart: (): void => restarts.inc(),
    /** Renders the series of all workers, except workers that do not respond in time. */
    async render(): Promise<{ contentType: string; text: string }> {
      const pages = await Promise.all([
        registry.getMetricsAsJSON(),
        ...workers
          .values()
          .map(({ calls }) => nullAfter(WORKER_TIMEOUT_MS, () => calls.call('metrics', null))),
      ]);
      // Not aggregated: the label `worker` keeps the series apart.
      const series = pages
        .filter((page) => page !== null)
        .map((page) => page.map((metric) => ({ ...metric, aggregator: 'first' })));
      const merged = AggregatorRegistry.aggregate(series);
      return { contentType: merged.contentType, text: await merged.metrics() };
    },
  };
}
