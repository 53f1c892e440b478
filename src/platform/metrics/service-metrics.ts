import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { driftMetrics } from './drift-metrics.ts';
import { httpMetrics } from './http-metrics.ts';
import { meetingMetrics } from './meeting-metrics.ts';
import { type WebhookGauges, webhookGauges, webhookMetrics } from './webhook-metrics.ts';

/** Milliseconds between two looks at the event loop: half as many wake-ups as prom-client's default. */
const EVENT_LOOP_PRECISION_MS = 20;

interface MetricsOptions {
  version: string;
  /** Whether to watch this process too: its event loop, memory, CPU and garbage collection, at about 0.4 % of a CPU. */
  process: boolean;
  /** Everything that may come of a delivery attempt, so that each series begins at 0. */
  attemptOutcomes: readonly string[];
}

/**
 * What `GET /metrics` shows, in Prometheus's terms: base units in the names, no label that names a tenant, an endpoint
 * or an address. The `on…` functions are told of what happens; they are called on hot paths and cost under a
 * microsecond. One for each process: there may be several in one test.
 */
export function createMetrics({ version, process: ofProcess, attemptOutcomes }: MetricsOptions) {
  const registry = new Registry();
  const registers = [registry];
  if (ofProcess)
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
  new Gauge({
    name: 'engagement_build_info',
    help: 'Always 1; its labels say what runs.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version, node: process.versions.node }, 1);

  return {
    ...httpMetrics(registers),
    ...webhookMetrics(registers, attemptOutcomes),
    ...driftMetrics(registers),
    ...meetingMetrics(registers),
    /** Adds what is read when the page is asked for; once. */
    watchWebhooks: (sources: WebhookGauges): void => webhookGauges(registers, sources),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}
