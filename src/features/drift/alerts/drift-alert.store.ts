import { type Model, Types } from 'mongoose';
import { change, insertion, removal, type Write } from '../../../platform/commit/unit-of-work.ts';
import { DEFAULT_MODEL } from '../../../platform/sidecar-address.ts';
import type { AlertDoc, AlertRecordDoc, AlertStateDoc } from './drift-alert.model.ts';
import type {
  Acknowledgement,
  AlertFilter,
  AlertScope,
  CheckScope,
  SubjectState,
} from './drift-alert.types.ts';

interface Models {
  DriftAlertState: Model<AlertStateDoc>;
  DriftAlert: Model<AlertDoc>;
  DriftAlertRecord: Model<AlertRecordDoc>;
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

export function driftAlertStore({ DriftAlertState, DriftAlert, DriftAlertRecord }: Models) {
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
      { subjects, checkedAt }: { subjects: SubjectState[]; checkedAt: Date },
    ): Write =>
      change(DriftAlertState, { _id, revision }, { $set: { subjects, checkedAt }, $inc: { revision: 1 } }),

    /** Stages with drift that is not cleared. */
    async driftedStages(): Promise<(CheckScope & { stage: string })[]> {
      const drifted = await DriftAlertState.find(WITH_DRIFT, { _id: 1 }).lean<Pick<AlertStateDoc, '_id'>[]>();
      return drifted.flatMap(({ _id }) => {
        const { model, stage } = checkScopeOf(_id);
        return stage === null ? [] : [{ model, stage }];
      });
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
      DriftAlertRecord.find({ model, stage, clearedAt: null }).lean<AlertRecordDoc[]>(),

    recordInsertion: (record: AlertRecordDoc): Write => insertion(DriftAlertRecord, record),

    /** Changes an alert that is not cleared. */
    recordChange: (
      { _id }: AlertRecordDoc,
      values: Partial<Pick<AlertRecordDoc, 'clearedAt' | 'remindedAt' | 'remindAt'>>,
    ): Write => change(DriftAlertRecord, { _id, clearedAt: null }, { $set: values }),

    /** Lists alerts, latest first. */
    list: ({ model, stage, status, limit }: AlertFilter, now: Date) =>
      DriftAlertRecord.find({
        model,
        ...(stage != null && { stage }),
        ...(status && STATUS_FILTERS[status](now)),
      })
        .sort({ since: -1, _id: -1 })
        .limit(limit)
        .lean<AlertRecordDoc[]>(),

    find: (id: string) => DriftAlertRecord.findById(new Types.ObjectId(id)).lean<AlertRecordDoc>(),

    /** Sets or removes the acknowledgement of an alert; returns null if the alert is cleared or unknown. */
    setAcknowledgement: (id: string, acknowledgement: Acknowledgement | null) =>
      DriftAlertRecord.findOneAndUpdate(
        { _id: new Types.ObjectId(id), clearedAt: null },
        { $set: { acknowledgement } },
        { returnDocument: 'after' },
      ).lean<AlertRecordDoc>(),

    insertion: (alert: AlertDoc): Write => insertion(DriftAlert, alert),

    /** The alert event to be published next; null if there is none. Ids depend on the clocks of the processes. */
    next: () => DriftAlert.findOne().sort({ revision: 1, _id: 1 }).lean<AlertDoc>(),

    /** Records the customers that have the event, unless another process has published to them. */
    progress: ({ _id, publishedUpTo }: AlertDoc, customerId: number): Write =>
      change(DriftAlert, { _id, publishedUpTo }, { $set: { publishedUpTo: customerId } }),

    /** Removes an alert event that all customers have, unless another process has. */
    removal: ({ _id, publishedUpTo }: AlertDoc): Write => removal(DriftAlert, { _id, publishedUpTo }),
  };
}

export type DriftAlertStore = ReturnType<typeof driftAlertStore>;

/** Returns the scope of a subject. */
export function scopeOf({ stage, feature }: { stage: string | null; feature: string | null }): AlertScope {
  if (feature !== null) return 'feature';
  return stage === null ? 'overall' : 'stage';
}
