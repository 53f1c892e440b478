import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Clock } from '../clock.ts';
import type { Outages } from '../mongo/outages.ts';
import { auditGauges, type LastVerification } from './audit-metrics.ts';
import { type DriftGauges, driftGauges, driftMetrics } from './drift-metrics.ts';
import { feedGauges, feedMetrics } from './feed-metrics.ts';
import { httpMetrics } from './http-metrics.ts';
import { meetingGauges, meetingMetrics, type RecentSyncs } from './meeting-metrics.ts';
import { type WebhookGauges, webhookGauges, webhookMetrics } from './webhook-metrics.ts';

/** Sampling interval of the event loop delay: ten times the default of prom-client, for a tenth of the wake-ups. */
const EVENT_LOOP_PRECISION_MS = 100;

/** All series of one process. */
export type SerializedMetrics = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

interface MetricsOptions {
  version: string;
  /** Adds metrics of the event loop, memory, CPU and garbage collection of this process, for about 0.4 % of a CPU. */
  process: boolean;
  /** Value of the label `worker` of every series; null if the service is one process. */
  worker: number | null;
  /** All outcomes of a delivery attempt, so that each series starts at 0. */
  attemptOutcomes: readonly string[];
  /** All resources with a limit per tenant, so that each series starts at 0. */
  limitedResources: readonly string[];
  /** All outcomes of a request to the outbound proxy, so that each series starts at 0; empty without a proxy. */
  tunnelOutcomes: readonly string[];
  /** Where data of suppressed people can arrive, so that each series starts at 0. */
  suppressionSources: readonly string[];
  /** What retention removes; one series each. */
  retentionKinds: readonly string[];
  clock: Clock;
}

/**
 * Creates the Prometheus metrics of `GET /metrics`. No label identifies a tenant, an endpoint or an address, which
 * bounds the number of series. The `on…` callbacks are called on hot paths and take less than a microsecond.
 */
export function createMetrics({
  version,
  process: withProcess,
  worker,
  attemptOutcomes,
  limitedResources,
  tunnelOutcomes,
  suppressionSources,
  retentionKinds,
  clock,
}: MetricsOptions) {
  // Not the global registry, because tests run several services in one process.
  const registry = new Registry();
  if (worker !== null) registry.setDefaultLabels({ worker: String(worker) });
  const registers = [registry];
  if (withProcess)
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS });
  new Gauge({
    name: 'engagement_build_info',
    help: 'Always 1; the labels hold the versions of the service and of Node.js.',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version, node: process.versions.node }, 1);

  return {
    ...httpMetrics(registers),
    ...webhookMetrics(registers, attemptOutcomes),
    ...driftMetrics(registers, clock),
    ...feedMetrics(registers),
    ...meetingMetrics(registers),
    ...limitMetrics(registers, limitedResources),
    ...proxyMetrics(registers, tunnelOutcomes),
    ...suppressionMetrics(registers, suppressionSources),
    ...encryptionMetrics(registers),
    ...retentionMetrics(registers, retentionKinds),
    /** Registers the gauges of the database. Call it once. */
    registerDatabaseGauges: (outages: Outages): void => databaseGauges(registers, outages),
    /** Registers the gauges of webhook delivery. Call it once. */
    registerWebhookGauges: (sources: WebhookGauges): void => webhookGauges(registers, sources),
    /** Registers the gauges of drift checks. Call it once. */
    registerDriftGauges: (sources: DriftGauges): void => driftGauges(registers, sources),
    /** Registers the gauges of the audit logs. Call it once. */
    registerAuditGauges: (lastVerification: LastVerification): void =>
      auditGauges(registers, lastVerification),
    /** Registers the gauge of recent syncs. Call it once. */
    registerMeetingGauges: (countRecent: RecentSyncs): void => meetingGauges(registers, countRecent),
    /** Registers the gauge of event feeds. Call it once. */
    registerFeedGauges: (countBehind: () => Promise<number>): void => feedGauges(registers, countBehind),
    /** Returns all series; the primary renders them together with the other workers' series. */
    serialize: (): Promise<SerializedMetrics> => registry.getMetricsAsJSON(),
    render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

/** Registers the metrics of the limits per tenant, summed over all tenants. */
function limitMetrics(registers: Registry[], resources: readonly string[]) {
  const refusals = new Counter({
    name: 'engagement_tenant_limit_refusals_total',
    help: 'Operations of this process that would have exceeded a limit of their customer, by what is limited.',
    labelNames: ['resource'],
    registers,
  });
  for (const resource of resources) refusals.inc({ resource }, 0);
  return { onTenantLimitRefusal: (resource: string): void => refusals.inc({ resource }) };
}

/** Registers the metrics of the outbound proxy. */
function proxyMetrics(registers: Registry[], outcomes: readonly string[]) {
  const tunnels = new Counter({
    name: 'engagement_outbound_proxy_tunnels_total',
    help: 'Connections that this process requested from the outbound proxy, by outcome: opened, target_failed (the proxy could not or may not reach the target), and proxy_… for failures of the proxy.',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of outcomes) tunnels.inc({ outcome }, 0);
  return { onTunnel: (outcome: string): void => tunnels.inc({ outcome }) };
}

/** Registers the metric of suppressed people and meetings, summed over all tenants. */
function suppressionMetrics(registers: Registry[], sources: readonly string[]) {
  const suppressed = new Counter({
    name: 'engagement_suppressed_total',
    help: 'Objects of suppressed people that this process stored without what names the person, and suppressed meetings that it did not store, by where they arrived.',
    labelNames: ['source'],
    registers,
  });
  for (const source of sources) suppressed.inc({ source }, 0);
  return { onSuppressed: (source: string, count: number): void => suppressed.inc({ source }, count) };
}

/** Registers the metric of encrypted personal data. */
function encryptionMetrics(registers: Registry[]) {
  const unreadable = new Counter({
    name: 'engagement_unreadable_data_total',
    help: 'Encrypted values that this process could not decrypt, because they were modified or moved, or their key was destroyed, by collection.',
    labelNames: ['collection'],
    registers,
  });
  return { onUnreadableData: (collection: string): void => unreadable.inc({ collection }) };
}

/** Registers the metrics of the retention times of tenants, summed over all tenants. */
function retentionMetrics(registers: Registry[], kinds: readonly string[]) {
  const expired = new Counter({
    name: 'engagement_retention_removed_total',
    help: 'Objects that this process has removed after the retention times of customers, by what they are.',
    labelNames: ['kind'],
    registers,
  });
  const failures = new Counter({
    name: 'engagement_retention_failures_total',
    help: 'Runs of this process that could not remove what has expired of a kind.',
    labelNames: ['kind'],
    registers,
  });
  for (const kind of kinds) {
    expired.inc({ kind }, 0);
    failures.inc({ kind }, 0);
  }
  return {
    onExpired: (kind: string, count: number): void => expired.inc({ kind }, count),
    onRetentionFailure: (kind: string): void => failures.inc({ kind }),
  };
}

/** Registers the gauges of the database, as this process sees it. */
function databaseGauges(registers: Registry[], { primary, writes, majorityLagMs }: Outages): void {
  new Gauge({
    name: 'engagement_database_available',
    help: '1 while this process can read (operation: read) or write durably (operation: write), otherwise 0.',
    labelNames: ['operation'],
    registers,
    collect() {
      this.set({ operation: 'read' }, primary.isOut() ? 0 : 1);
      this.set({ operation: 'write' }, writes.isOut() ? 0 : 1);
    },
  });
  new Gauge({
    name: 'engagement_database_majority_lag_seconds',
    help: 'Time for which a majority of the replica set has not acknowledged a write of the primary; 0 on a sharded cluster.',
    registers,
    collect() {
      this.set(majorityLagMs() / 1000);
    },
  });
}
