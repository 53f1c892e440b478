import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import { nullAfter } from '../../platform/null-after.ts';
import type { ForkedWorker } from './fork-worker.ts';

/** Time limit for the metrics of one worker; below the scrape timeout of Prometheus, 10 s. */
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
    /** Renders the series of all workers that respond in time. */
    async render(): Promise<{ contentType: string; text: string }> {
      const pages = await Promise.all([
        registry.getMetricsAsJSON(),
        ...workers
          .values()
          .map(({ calls }) => nullAfter(WORKER_TIMEOUT_MS, () => calls.call('metrics', null))),
      ]);
      // The label separates the series of the workers: there is nothing to aggregate.
      const series = pages
        .filter((page) => page !== null)
        .map((page) => page.map((metric) => ({ ...metric, aggregator: 'first' })));
      const merged = AggregatorRegistry.aggregate(series);
      return { contentType: merged.contentType, text: await merged.metrics() };
    },
  };
}
