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

/** Customers whose events are committed together. */
const CUSTOMERS_PER_COMMIT = 100;

/** Returns the next customers, in order, that have an endpoint which names the event type. */
export type Subscribers = (
  event: AlertDoc['event'],
  range: { after: number; limit: number },
) => Promise<readonly number[]>;

interface Deps {
  alerts: DriftAlertStore;
  subscribers: Subscribers;
  getTenant: (customerId: number) => Promise<Tenant>;
  outbox: Pick<Outbox<unknown>, 'commit'>;
  clock: Clock;
  log: Logger;
}

/**
 * Turns drift checks into `drift.detected` and `drift.cleared`. A change of state and the alert for it are committed
 * together; each batch of events is committed together with the progress of the alert. A crash in between therefore
 * neither loses nor repeats an event: the next run continues.
 */
export function createDriftAlerts({ alerts, subscribers, getTenant, outbox, clock, log }: Deps) {
  /** Publishes an alert to the next customers, or removes it after the last ones. */
  async function publishNext(): Promise<boolean> {
    const { result } = await outbox.commit(async () => {
      const alert = await alerts.oldest();
      if (!alert) return { writes: [], events: [], result: false };
      const customerIds = await subscribers(alert.event, {
        after: alert.publishedUpTo,
        limit: CUSTOMERS_PER_COMMIT,
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
      const isComplete = last === undefined || customerIds.length < CUSTOMERS_PER_COMMIT;
      return {
        writes: [isComplete ? alerts.removal(alert) : alerts.progress(alert, last)],
        events: tenants.map((tenant) => newEvent({ tenant, event, data, now })),
        result: true,
      };
    });
    return result;
  }

  return {
    /** Records a check: its changes of state are then published, whatever happens to this process. */
    async record({ stage, checkedAt, readings }: CheckReadings): Promise<void> {
      await alerts.ensureState(stage, checkedAt);
      const { result: raised } = await outbox.commit(async () => {
        const state = await alerts.state(stage);
        if (!state) throw new Error('The alert state of the check was removed.');
        const { states: subjects, transitions } = applyCheck(state.subjects, readings);
        const now = clock.now();
        const raised = transitions.map(
          ({ reading: { feature, score, threshold }, isDrifted }): AlertDoc => ({
            _id: newObjectId(now),
            event: isDrifted ? 'drift.detected' : 'drift.cleared',
            stage,
            feature,
            score,
            threshold,
            checkedAt,
            publishedUpTo: 0,
          }),
        );
        const writes = [alerts.stateChange(state, { subjects, checkedAt }), ...raised.map(alerts.insertion)];
        return { writes, events: [], result: raised };
      });
      for (const { event, feature, score, threshold } of raised)
        log.info({ stage, feature, score, threshold }, event);
    },

    /** Publishes the recorded alerts that are not published yet, oldest first. */
    async publish(): Promise<void> {
      while (await publishNext());
    },
  };
}

export type DriftAlerts = ReturnType<typeof createDriftAlerts>;
