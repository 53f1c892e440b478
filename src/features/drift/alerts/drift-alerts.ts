import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import { newObjectId } from '../../../platform/mongo/object-id.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import { newEvent } from '../../outbox/outbox-event.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import { applyCheck } from './alert-hysteresis.ts';
import type { AlertDoc } from './drift-alert.model.ts';
import { type DriftAlertStore, scopeOf } from './drift-alert.store.ts';
import type { CheckReadings } from './drift-alert.types.ts';

/** Endpoints whose customers receive their events in one commit. */
const ENDPOINTS_PER_COMMIT = 100;
/** Maximum number of commits per run of the job: other jobs and a shutdown do not wait longer. */
const COMMITS_PER_RUN = 20;

/** Returns the next customers, in order, that have an endpoint which names the event type; empty after the last ones. */
export type Subscribers = (
  event: AlertDoc['event'],
  range: { after: number; endpointLimit: number },
) => Promise<readonly number[]>;

interface Deps {
  alerts: DriftAlertStore;
  subscribers: Subscribers;
  getTenant: (customerId: number) => Promise<Tenant>;
  outbox: Pick<Outbox<unknown>, 'commit'>;
  /** Requests a run of `publish` in any process. */
  requestPublication: () => Promise<void>;
  clock: Clock;
  log: Logger;
}

/**
 * Turns drift checks into `drift.detected` and `drift.cleared`. A change of state and the alert for it are committed
 * together; each batch of events is committed together with the progress of the alert. A crash in between therefore
 * neither loses nor repeats an event: the next run continues.
 */
export function createDriftAlerts({ alerts, subscribers, getTenant, outbox, ...deps }: Deps) {
  const { requestPublication, clock, log } = deps;

  /** Publishes an alert to the next customers, or removes it after the last ones. Returns false if there is none. */
  async function publishNext(): Promise<boolean> {
    const { result } = await outbox.commit(
      async () => {
        const alert = await alerts.next();
        if (!alert) return { writes: [], events: [], result: false };
        const customerIds = await subscribers(alert.event, {
          after: alert.publishedUpTo,
          endpointLimit: ENDPOINTS_PER_COMMIT,
        });
        const tenants = await Promise.all(customerIds.map(getTenant));
        const { event, score, threshold, stage, feature } = alert;
        const data = {
          scope: scopeOf(alert),
          stage,
          feature,
          score,
          threshold,
          checkedAt: alert.checkedAt.toISOString(),
        };
        const now = clock.now();
        const last = customerIds.at(-1);
        return {
          writes: [last === undefined ? alerts.removal(alert) : alerts.progress(alert, last)],
          events: tenants.map((tenant) => newEvent({ tenant, event, data, now })),
          result: true,
        };
      },
      { tenant: null },
    );
    return result;
  }

  /** Records a check: its changes of state are then published, whatever happens to this process. */
  async function record({ stage, checkedAt, readings }: CheckReadings): Promise<void> {
    const now = clock.now();
    await alerts.ensureState(stage, now);
    const { result: raised } = await outbox.commit(
      async () => {
        const state = await alerts.state(stage);
        if (!state) throw new Error('The alert state of the check was removed.');
        const { states: subjects, transitions } = applyCheck(state.subjects, readings);
        const raised = transitions.map(
          ({ reading: { feature, score, threshold }, isDrifted }): AlertDoc => ({
            _id: newObjectId(now),
            event: isDrifted ? 'drift.detected' : 'drift.cleared',
            stage,
            feature,
            score,
            threshold,
            checkedAt,
            revision: state.revision,
            publishedUpTo: 0,
          }),
        );
        const writes = [
          alerts.stateChange(state, { subjects, checkedAt: now }),
          ...raised.map(alerts.insertion),
        ];
        return { writes, events: [], result: raised };
      },
      { tenant: null },
    );
    for (const { event, feature, score, threshold } of raised)
      log.info({ stage, feature, score, threshold }, event);
    if (raised.length === 0) return;
    await requestPublication().catch((error: unknown) =>
      log.debug({ err: error }, 'failed to request the publication of drift alerts; it follows on schedule'),
    );
  }

  return {
    record,

    /** Records that a stage has no samples any more, which ends its drift like two calm checks. */
    async recordWithoutSamples(stage: string): Promise<void> {
      const state = await alerts.state(stage);
      if (state && state.subjects.length > 0) await record({ stage, checkedAt: clock.now(), readings: [] });
    },

    /** Stages with drift that is not cleared. */
    driftedStages: alerts.driftedStages,

    /** Publishes recorded alerts. Returns true if there may be more. */
    async publish(): Promise<boolean> {
      for (let commits = 0; commits < COMMITS_PER_RUN; commits += 1) if (!(await publishNext())) return false;
      return true;
    },
  };
}

export type DriftAlerts = ReturnType<typeof createDriftAlerts>;
