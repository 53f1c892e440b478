import { type Model, Types } from 'mongoose';
import { change, insertion, removal, type Write } from '../../../platform/commit/unit-of-work.ts';
import { DEFAULT_MODEL } from '../../../platform/sidecar-address.ts';
import type { AlertDoc, AlertEventDoc, AlertStateDoc } from './drift-alert.model.ts';
import type {
  Acknowledgement,
  AlertFilter,
  AlertScope,
  CheckScope,
  SubjectState,
} from './drift-alert.types.ts';

interface Models {
  DriftAlertState: Model<AlertStateDoc>;
  DriftAlertEvent: Model<AlertEventDoc>;
  DriftAlert: Model<AlertDoc>;
}

const OVERALL = 'overall';
const STAGE_PREFIX = 'stage:';

/** Returns the id of the state of a check's scope: JSON of a model other than the default one and the stage. */
function stateId({ model, stage }: CheckScope): string {
  if (model !== DEFAULT_MODEL) return JSON.stringify([model, stage]);
  return stage === null ? OVERALL : `${STAGE_PREFIX}${stage}`;
}

function checkScopeOf(id: string): CheckScope {
  if (id === OVERALL) return { model: DEFAULT_MODEL, stage: null };
  if (id.startsWith(STAGE_PREFIX)) return { model: DEFAULT_MODEL, stage: id.slice(STAGE_PREFIX.length) };
  const [model, stage] = JSON.parse(id) as [model: string, stage: string | null];
  return { model, stage };
}

const WITH_DRIFT = { 'subjects.isDrifted': true };

/** Selects alerts by their status. */
const STATUS_FILTERS = {
  cleared: () => ({ clearedAt: { $ne: null } }),
  acknowledged: (now: Date) => ({ clearedAt: null, ...isAcknowledged(now) }),
  active: (now: Date) => ({ clearedAt: null, $nor: [isAcknowledged(now)] }),
};

const isAcknowledged = (now: Date) => ({
  acknowledgement: { $ne: null },
  $or: [{ 'acknowledgement.until': null }, { 'acknowledgement.until': { $gt: now } }],
});

export function driftAlertStore({ DriftAlertState, DriftAlertEvent, DriftAlert }: Models) {
  return {
    /** Creates the state of a scope, unless it exists: the committer plans a guarded change again, not an insertion. */
    async ensureState(scope: CheckScope, at: Date): Promise<void> {
      const _id = stateId(scope);
      if (await DriftAlertState.exists({ _id })) return;
      await DriftAlertState.updateOne(
        { _id },
        { $setOnInsert: { revision: 0, checkedAt: at, subjects: [] } },
        { upsert: true },
      );
    },

    state: (scope: CheckScope) => DriftAlertState.findById(stateId(scope)).lean<AlertStateDoc>(),

    /** Replaces a state, unless a concurrent check has. */
    stateChange: (
      { _id, revision }: AlertStateDoc,
      changed: { subjects: SubjectState[]; checkedAt: Date; tick?: Date },
    ): Write => change(DriftAlertState, { _id, revision }, { $set: changed, $inc: { revision: 1 } }),

    /** Scopes of checks with drift that is not cleared. */
    async driftedScopes(): Promise<CheckScope[]> {
      const drifted = await DriftAlertState.find(WITH_DRIFT, { _id: 1 }).lean<Pick<AlertStateDoc, '_id'>[]>();
      return drifted.map(({ _id }) => checkScopeOf(_id));
    },

    /** When the latest check of all samples of the default model was recorded; null before the first one. */
    async lastCheck(): Promise<Date | null> {
      const state = await DriftAlertState.findById(OVERALL, { checkedAt: 1 }).lean<
        Pick<AlertStateDoc, 'checkedAt'>
      >();
      return state?.checkedAt ?? null;
    },

    /** Number of subjects that are drifted, by scope. */
    async countDrifted(): Promise<Record<AlertScope, number>> {
      const counts = { overall: 0, stage: 0, feature: 0 };
      for (const { _id, subjects } of await DriftAlertState.find(WITH_DRIFT).lean<AlertStateDoc[]>())
        for (const { feature, isDrifted } of subjects)
          if (isDrifted) counts[scopeOf({ stage: checkScopeOf(_id).stage, feature })] += 1;
      return counts;
    },

    /** The alerts of a scope that are not cleared. */
    open: ({ model, stage }: CheckScope) =>
      DriftAlert.find({ model, stage, clearedAt: null }).lean<AlertDoc[]>(),

    /** The alert of a feature, over all samples, that is not cleared. */
    openOfFeature: ({ model, feature }: { model: string; feature: string }) =>
      DriftAlert.findOne({ model, stage: null, feature, clearedAt: null }).lean<AlertDoc>(),

    insertion: (alert: AlertDoc): Write => insertion(DriftAlert, alert),

    /** Changes an alert that is not cleared. */
    change: (
      { _id }: AlertDoc,
      values: Partial<Pick<AlertDoc, 'clearedAt' | 'remindedAt' | 'remindAt'>>,
    ): Write => change(DriftAlert, { _id, clearedAt: null }, { $set: values }),

    /** Lists alerts, latest first. */
    list: ({ model, stage, status, limit }: AlertFilter, now: Date) =>
      DriftAlert.find({
        model,
        ...(stage != null && { stage }),
        ...(status && STATUS_FILTERS[status](now)),
      })
        .sort({ since: -1, _id: -1 })
        .limit(limit)
        .lean<AlertDoc[]>(),

    find: (id: string) => DriftAlert.findById(new Types.ObjectId(id)).lean<AlertDoc>(),

    /** Sets or removes the acknowledgement of an alert; returns null if the alert is cleared or unknown. */
    setAcknowledgement: (id: string, acknowledgement: Acknowledgement | null) =>
      DriftAlert.findOneAndUpdate(
        { _id: new Types.ObjectId(id), clearedAt: null },
        { $set: { acknowledgement } },
        { returnDocument: 'after' },
      ).lean<AlertDoc>(),

    eventInsertion: (event: AlertEventDoc): Write => insertion(DriftAlertEvent, event),

    /** The event to be published next; null if there is none. Ids depend on the clocks of the processes. */
    nextEvent: () => DriftAlertEvent.findOne().sort({ revision: 1, _id: 1 }).lean<AlertEventDoc>(),

    /** Records the customers that have the event, unless another process has published to them. */
    eventProgress: ({ _id, publishedUpTo }: AlertEventDoc, customerId: number): Write =>
      change(DriftAlertEvent, { _id, publishedUpTo }, { $set: { publishedUpTo: customerId } }),

    /** Removes an event that all customers have, unless another process has. */
    eventRemoval: ({ _id, publishedUpTo }: AlertEventDoc): Write =>
      removal(DriftAlertEvent, { _id, publishedUpTo }),
  };
}

export type DriftAlertStore = ReturnType<typeof driftAlertStore>;

/** Returns the scope of a subject. */
export function scopeOf({ stage, feature }: { stage: string | null; feature: string | null }): AlertScope {
  if (feature !== null) return 'feature';
  return stage === null ? 'overall' : 'stage';
}
