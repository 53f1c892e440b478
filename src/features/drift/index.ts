import type { Config } from '../../config/config.ts';
import type { Models } from '../../database/models.ts';
import type { RecurringJob, RequestRun } from '../../jobs/recurring-job.ts';
import { createOutboundClient } from '../../outbound/outbound-client.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { SidecarAddress } from '../../platform/sidecar-address.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { GetTenant } from '../tenants/tenants.types.ts';
import { alertErasure } from './alerts/alert-erasure.store.ts';
import { driftAlertStore } from './alerts/drift-alert.store.ts';
import { createDriftAlerts, type Subscribers } from './alerts/drift-alerts.ts';
import { featureMuteStore } from './alerts/feature-mute.store.ts';
import { featureMuteService } from './alerts/feature-mutes.service.ts';
import { type DriftObserver, driftService } from './drift.service.ts';
import { plannedChangeStore } from './planned-changes/planned-change.store.ts';
import { plannedChangeService } from './planned-changes/planned-changes.service.ts';
import { createScheduledChecks } from './scheduled-checks.ts';
import { createSidecarClient } from './sidecar.client.ts';

interface Deps {
  /** Null if no sidecar is configured. */
  sidecarAddress: SidecarAddress | null;
  config: Pick<Config, 'mlSidecarTimeoutMs' | 'driftCheckSchedule'>;
  models: Models;
  outbox: Outbox;
  /** Returns the next customers, in order, that have an endpoint which names the event type. */
  subscribers: Subscribers;
  getTenant: GetTenant;
  observer: DriftObserver;
  requestRun: RequestRun;
  clock: Clock;
  log: Logger;
}

const PUBLISH_JOB = 'drift.publish';
/** How often alerts are published that a failure or a crash left unpublished. Milliseconds. */
const PUBLISH_INTERVAL_MS = 10_000;
/** Interval between the runs that publish an alert to many customers. Milliseconds. */
const BUSY_PUBLISH_INTERVAL_MS = 50;

/** Creates drift monitoring: the service, its alerts and the scheduled checks. */
export function createDrift({
  sidecarAddress,
  config,
  models,
  outbox,
  subscribers,
  getTenant,
  ...deps
}: Deps) {
  const { observer, requestRun, clock, log } = deps;
  // A separate client: the operator's URL may be private, so its connections must not be shared with tenants' targets.
  const outbound = createOutboundClient({ allowPrivate: true, maxWireBytes: 5_000_000 });
  const sidecar = createSidecarClient({
    address: sidecarAddress,
    timeoutMs: config.mlSidecarTimeoutMs,
    outbound,
    log,
  });
  const alertStore = driftAlertStore(models);
  const mutes = featureMuteStore(models.DriftMute);
  const alerts = createDriftAlerts({
    alerts: alertStore,
    mutes,
    subscribers,
    getTenant,
    outbox,
    requestPublication: () => requestRun(PUBLISH_JOB),
    clock,
    log,
  });
  const drift = driftService({ sidecar, alerts, observer, clock, log });
  const checkAll = createScheduledChecks({ drift, alerts, log });
  const startedAt = clock.now();
  const schedule = sidecarAddress === null ? null : config.driftCheckSchedule;
  const jobs: RecurringJob[] = [
    {
      name: PUBLISH_JOB,
      every: PUBLISH_INTERVAL_MS,
      busyEvery: BUSY_PUBLISH_INTERVAL_MS,
      run: alerts.publish,
    },
    ...(schedule === null ? [] : [{ name: 'drift.check', every: schedule, run: checkAll }]),
  ];

  return {
    services: {
      drift,
      driftAlerts: alerts,
      driftMutes: featureMuteService({ mutes, clock, log }),
      plannedChanges: plannedChangeService({
        changes: plannedChangeStore(models.DriftPlannedChange),
        clock,
      }),
    },
    personalData: alertErasure(models),
    sidecar,
    jobs,
    gauges: {
      countDrifted: alertStore.countDrifted,
      // Before the first check, the time since the start is the time without one.
      lastCheck: async () => (schedule === null ? null : ((await alertStore.lastCheck()) ?? startedAt)),
    },
    close: () => outbound.close(500),
  };
}
