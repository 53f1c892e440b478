import type { Config } from '../../config.ts';
import type { Models } from '../../database.ts';
import type { RecurringJob } from '../../jobs/recurring-job.ts';
import { createOutboundClient } from '../../outbound/outbound-client.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { SidecarAddress } from '../../platform/sidecar-address.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { TenantService } from '../tenants/tenants.service.ts';
import { driftAlertStore } from './alerts/drift-alert.store.ts';
import { createDriftAlerts, type Subscribers } from './alerts/drift-alerts.ts';
import { type DriftReading, driftService } from './drift.service.ts';
import { createScheduledChecks } from './scheduled-checks.ts';
import { createSidecarClient } from './sidecar.client.ts';

interface Deps {
  /** Null if no sidecar is configured. */
  sidecarAddress: SidecarAddress | null;
  config: Pick<Config, 'mlSidecarTimeoutMs' | 'driftCheckSchedule'>;
  models: Models;
  outbox: Pick<Outbox<unknown>, 'commit'>;
  /** Returns the next customers, in order, that have an endpoint which names the event type. */
  subscribers: Subscribers;
  tenants: Pick<TenantService, 'get'>;
  metrics: {
    onDrift: (reading: DriftReading) => void;
    onDriftStages: (stages: readonly string[]) => void;
  };
  clock: Clock;
  log: Logger;
}

/** Interval at which alerts are published that a failure or a crash has left out. Milliseconds. */
const PUBLISH_INTERVAL_MS = 10_000;

/** Creates drift monitoring: the service, its alerts and the scheduled checks. */
export function createDrift({ sidecarAddress, config, models, outbox, subscribers, tenants, ...deps }: Deps) {
  const { metrics, clock, log } = deps;
  // A separate client: the operator's URL may be private, so its connections must not be shared with tenants' targets.
  const outbound = createOutboundClient({ allowPrivate: true, maxWireBytes: 5_000_000 });
  const sidecar = createSidecarClient({
    address: sidecarAddress,
    timeoutMs: config.mlSidecarTimeoutMs,
    outbound,
    log,
  });
  const alertStore = driftAlertStore(models);
  const alerts = createDriftAlerts({
    alerts: alertStore,
    subscribers,
    getTenant: tenants.get,
    outbox,
    clock,
    log,
  });
  const drift = driftService({ sidecar, alerts, observe: metrics.onDrift, clock, log });
  const checkAll = createScheduledChecks({ drift, onStages: metrics.onDriftStages, log });
  const jobs: RecurringJob[] = [
    { name: 'drift.publish', every: PUBLISH_INTERVAL_MS, run: alerts.publish },
    ...(config.driftCheckSchedule === null || sidecarAddress === null
      ? []
      : [{ name: 'drift.check', every: config.driftCheckSchedule, once: true, run: checkAll }]),
  ];

  return {
    services: { drift },
    sidecar,
    jobs,
    /** Number of subjects that are drifted, by scope, for all processes. */
    countDrifted: alertStore.countDrifted,
    close: () => outbound.close(500),
  };
}
