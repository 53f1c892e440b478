import { newObjectId } from '../../../platform/mongo/object-id.ts';
import { applyCheck } from './alert-hysteresis.ts';
import type { AlertDoc, AlertEventDoc } from './drift-alert.model.ts';
import type { Acknowledgement, CheckReadings, SubjectReading, SubjectState } from './drift-alert.types.ts';

/** Time between reminders of a drift that lasts. */
const REMINDER_INTERVAL_MS = 7 * 24 * 60 * 60_000;

interface PlanInput {
  /** States of the subjects before the check. */
  subjects: readonly SubjectState[];
  /** Revision of these states. */
  revision: number;
  /** Alerts of the scope that are not cleared. */
  open: readonly AlertDoc[];
  check: CheckReadings;
  now: Date;
}

/** What a check changes. */
interface AlertPlan {
  subjects: SubjectState[];
  inserted: AlertDoc[];
  changed: {
    alert: AlertDoc;
    values: Partial<Pick<AlertDoc, 'clearedAt' | 'remindedAt' | 'remindAt'>>;
  }[];
  /** Events to be published. */
  events: AlertEventDoc[];
}

/** True while an acknowledgement suppresses reminders. */
export const isAcknowledged = (acknowledgement: Acknowledgement | null, now: Date): boolean =>
  acknowledgement !== null && (acknowledgement.until === null || acknowledgement.until > now);

/**
 * Plans what a check means for the alerts of its scope. A subject raises one alert per onset, a reminder each week while
 * checks find it above its threshold and it is neither acknowledged nor muted, and an event when it is cleared.
 */
export function planAlerts({ subjects, revision, open, check, now }: PlanInput): AlertPlan {
  const { model, stage, checkedAt } = check;
  const { states, transitions } = applyCheck(subjects, check.readings);
  const drifted = new Set(states.filter(({ isDrifted }) => isDrifted).map(({ feature }) => feature));
  const readings = new Map(check.readings.map((reading) => [reading.feature, reading]));
  const alerts = new Map(open.map((alert) => [alert.feature, alert]));
  const plan: AlertPlan = { subjects: states, inserted: [], changed: [], events: [] };
  const nextReminder = new Date(now.getTime() + REMINDER_INTERVAL_MS);

  function addEvent(event: AlertEventDoc['event'], reading: SubjectReading, { reminder = false } = {}): void {
    const { feature, score, threshold, features = [] } = reading;
    // An earlier version recorded no alert for a drift that ends now.
    const alert = alerts.get(feature);
    plan.events.push({
      _id: newObjectId(now),
      event,
      model,
      alertId: alert?._id.toHexString() ?? null,
      since: alert?.since ?? checkedAt,
      reminder,
      features: event === 'drift.detected' ? features : [],
      stage,
      feature,
      score,
      threshold,
      checkedAt,
      revision,
      publishedUpTo: 0,
    });
  }

  for (const { feature, score, threshold, features = [] } of readings.values()) {
    if (!drifted.has(feature) || alerts.has(feature)) continue;
    const alert: AlertDoc = {
      _id: newObjectId(now),
      model,
      stage,
      feature,
      since: checkedAt,
      clearedAt: null,
      score,
      threshold,
      features,
      acknowledgement: null,
      remindedAt: null,
      remindAt: nextReminder,
    };
    alerts.set(feature, alert);
    plan.inserted.push(alert);
  }
  for (const { reading, isDrifted } of transitions)
    addEvent(isDrifted ? 'drift.detected' : 'drift.cleared', reading);
  for (const alert of open) {
    const reading = readings.get(alert.feature);
    if (!drifted.has(alert.feature)) plan.changed.push({ alert, values: { clearedAt: now } });
    else if (
      reading &&
      !reading.muted &&
      !reading.insufficientData &&
      reading.score > reading.threshold &&
      alert.remindAt <= now &&
      !isAcknowledged(alert.acknowledgement, now)
    ) {
      addEvent('drift.detected', reading, { reminder: true });
      plan.changed.push({ alert, values: { remindedAt: now, remindAt: nextReminder } });
    }
  }
  return plan;
}
