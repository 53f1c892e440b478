import { AppError, invalid } from '../../../errors/app-error.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import { isObjectIdText } from '../../../platform/mongo/object-id.ts';
import { DEFAULT_MODEL } from '../../../platform/sidecar-address.ts';
import type { EventData } from '../../outbox/event-catalog.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import { newEvent } from '../../outbox/outbox-event.ts';
import type { GetTenant } from '../../tenants/tenants.types.ts';
import type { CompletedCheck } from '../drift.types.ts';
import { isAcknowledged, planAlerts } from './alert-plan.ts';
import { readingsOf } from './check-readings.ts';
import type { AlertDoc, AlertEventDoc } from './drift-alert.model.ts';
import { type DriftAlertStore, scopeOf } from './drift-alert.store.ts';
import type {
  Acknowledgement,
  AlertFilter,
  AlertStatus,
  CheckReadings,
  CheckScope,
  DriftAlert,
} from './drift-alert.types.ts';
import type { FeatureMuteStore } from './feature-mute.store.ts';

/** Endpoints whose customers receive their events in one commit. */
const ENDPOINTS_PER_COMMIT = 100;
/** Maximum number of commits per run of the job: other jobs and a shutdown do not wait longer. */
const COMMITS_PER_RUN = 20;
/** Returns the next customers, in order, with an endpoint that names the event type; empty at the end. */
export type Subscribers = (
  event: AlertEventDoc['event'],
  range: { after: number; endpointLimit: number },
) => Promise<readonly number[]>;

interface Deps {
  alerts: DriftAlertStore;
  mutes: Pick<FeatureMuteStore, 'mutedIn'>;
  subscribers: Subscribers;
  getTenant: GetTenant;
  outbox: Outbox;
  /** Requests a run of `publish` in any process. */
  requestPublication: () => Promise<void>;
  clock: Clock;
  log: Logger;
}

/**
 * Turns drift checks into alerts and their events, `drift.detected` and `drift.cleared`. A change of state, its alert
 * and the event to be published are committed together; each batch of events is committed together with the progress
 * of the publication. A crash in between therefore neither loses nor repeats an event: the next run continues.
 */
export function createDriftAlerts({ alerts, mutes, subscribers, getTenant, outbox, ...deps }: Deps) {
  const { requestPublication, clock, log } = deps;

  /** Publishes an event to the next customers, or removes it after the last customer. Returns false if there is no event. */
  async function publishNext(): Promise<boolean> {
    const { result } = await outbox.commit(
      async () => {
        const event = await alerts.nextEvent();
        if (!event) return { writes: [], events: [], result: false };
        const customerIds = await subscribers(event.event, {
          after: event.publishedUpTo,
          endpointLimit: ENDPOINTS_PER_COMMIT,
        });
        const tenants = await Promise.all(customerIds.map(getTenant));
        const data = eventData(event);
        const now = clock.now();
        const last = customerIds.at(-1);
        return {
          writes: [last === undefined ? alerts.eventRemoval(event) : alerts.eventProgress(event, last)],
          events: tenants.map((tenant) => newEvent({ tenant, event: event.event, data, now })),
          result: true,
        };
      },
      { tenant: null },
    );
    return result;
  }

  /** Records readings: the resulting events are then published, whatever happens to this process. */
  async function record(check: CheckReadings): Promise<void> {
    const { model, stage, tick } = check;
    const now = clock.now();
    await alerts.ensureState(check, now);
    const { result: events } = await outbox.commit(
      async () => {
        const [state, open] = await Promise.all([alerts.state(check), alerts.open(check)]);
        if (!state) throw new Error('The alert state of the check was removed.');
        // Another worker repeats the run of a process that died after it had recorded this check.
        if (tick && state.tick?.getTime() === tick.getTime()) return { writes: [], events: [], result: [] };
        const { subjects, revision } = state;
        const plan = planAlerts({ subjects, revision, open, check, now });
        const writes = [
          alerts.stateChange(state, { subjects: plan.subjects, checkedAt: now, ...(tick && { tick }) }),
          ...plan.inserted.map(alerts.insertion),
          ...plan.changed.map(({ alert, values }) => alerts.change(alert, values)),
          ...plan.events.map(alerts.eventInsertion),
        ];
        return { writes, events: [], result: plan.events };
      },
      { tenant: null },
    );
    for (const { event, feature, score, threshold, reminder } of events)
      log.info({ model, stage, feature, score, threshold, reminder }, event);
    if (events.length === 0) return;
    await requestPublication().catch((error: unknown) =>
      log.debug({ err: error }, 'failed to request the publication of drift alerts; it follows on schedule'),
    );
  }

  /** Sets or removes the acknowledgement of an alert that is not cleared. */
  async function setAcknowledgement(id: string, value: Acknowledgement | null): Promise<DriftAlert> {
    const alert = isObjectIdText(id) ? await alerts.setAcknowledgement(id, value) : null;
    if (alert) return toAlert(alert, clock.now());
    if (isObjectIdText(id) && (await alerts.find(id)))
      throw new AppError('CONFLICT', 'The alert is cleared.');
    throw new AppError('NOT_FOUND', `Drift alert ${id} does not exist.`);
  }

  return {
    /**
     * Records a check.
     *
     * @param options.threshold general threshold
     * @param options.tick scheduled time; undefined for a check that was requested
     */
    async recordCheck(
      scope: CheckScope,
      check: CompletedCheck,
      { threshold, tick }: { threshold: number; tick: Date | undefined },
    ): Promise<void> {
      const muted = await mutes.mutedIn(scope, clock.now());
      await record({
        ...scope,
        checkedAt: check.checkedAt ?? clock.now(),
        tick,
        readings: readingsOf(check, { stage: scope.stage, threshold, muted }),
      });
    },

    /**
     * Records that a stage has no samples left, or that a model is no longer listed, which clears the drift as two checks
     * below the threshold would.
     */
    async endDriftOf(scope: CheckScope, tick?: Date): Promise<void> {
      const state = await alerts.state(scope);
      if (state && state.subjects.length > 0)
        await record({ ...scope, checkedAt: clock.now(), tick, readings: [] });
    },

    /** Scopes of checks with drift that is not cleared. */
    driftedScopes: alerts.driftedScopes,

    /** Returns the time at which the drift of a feature over all samples was detected; null if it has not drifted. */
    driftedSince: async (of: { model: string; feature: string }): Promise<Date | null> =>
      (await alerts.openOfFeature(of))?.since ?? null,

    /** Publishes the events of alerts. Returns true if there may be more. */
    async publish(): Promise<boolean> {
      for (let commits = 0; commits < COMMITS_PER_RUN; commits += 1) if (!(await publishNext())) return false;
      return true;
    },

    /** Lists alerts, latest first. */
    async list(filter: AlertFilter): Promise<DriftAlert[]> {
      const now = clock.now();
      return (await alerts.list(filter, now)).map((alert) => toAlert(alert, now));
    },

    /**
     * Acknowledges an alert, or replaces its note and end: it is not reminded of until then.
     * @throws AppError `VALIDATION_FAILED` for an end in the past, `NOT_FOUND`, `CONFLICT` if the alert is cleared
     */
    async acknowledge(id: string, { note, until }: Omit<Acknowledgement, 'at'>): Promise<DriftAlert> {
      const now = clock.now();
      if (until && until <= now) throw invalid('until', 'Must be in the future.');
      return setAcknowledgement(id, { note, until, at: now });
    },

    /** Removes the acknowledgement of an alert. @throws AppError `NOT_FOUND`, `CONFLICT` if the alert is cleared */
    withdrawAcknowledgement: (id: string): Promise<DriftAlert> => setAcknowledgement(id, null),
  };
}

export type DriftAlerts = ReturnType<typeof createDriftAlerts>;

/** Returns the `data` of an event. Events that an earlier version stored lack the later fields. */
const eventData = (event: AlertEventDoc): EventData<'drift.detected'> => ({
  scope: scopeOf(event),
  stage: event.stage,
  feature: event.feature,
  score: event.score,
  threshold: event.threshold,
  checkedAt: event.checkedAt.toISOString(),
  model: event.model ?? DEFAULT_MODEL,
  alertId: event.alertId ?? null,
  since: (event.since ?? event.checkedAt).toISOString(),
  reminder: event.reminder ?? false,
  // Rows are of all customers: only admins read their ids, in the alert.
  features: (event.features ?? []).map((feature) => ({ ...feature, exampleIds: [] })),
});

const toAlert = ({ _id, remindAt: _, ...alert }: AlertDoc, now: Date): DriftAlert => ({
  id: _id.toHexString(),
  ...alert,
  scope: scopeOf(alert),
  status: statusOf(alert, now),
});

function statusOf(
  { clearedAt, acknowledgement }: Pick<AlertDoc, 'clearedAt' | 'acknowledgement'>,
  now: Date,
): AlertStatus {
  if (clearedAt) return 'cleared';
  return isAcknowledged(acknowledgement, now) ? 'acknowledged' : 'active';
}
