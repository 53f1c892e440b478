import type { Model } from 'mongoose';
import { change, insertion, removal, type Write } from '../../../platform/commit/unit-of-work.ts';
import type { AlertDoc, AlertStateDoc } from './drift-alert.model.ts';
import type { AlertScope, SubjectState } from './drift-alert.types.ts';

interface Models {
  DriftAlertState: Model<AlertStateDoc>;
  DriftAlert: Model<AlertDoc>;
}

const OVERALL = 'overall';
const STAGE_PREFIX = 'stage:';

/** Returns the id of the state of a check's scope. */
const stateId = (stage: string | null): string => (stage === null ? OVERALL : `${STAGE_PREFIX}${stage}`);

const stageOf = (id: string): string | null => (id === OVERALL ? null : id.slice(STAGE_PREFIX.length));

const WITH_DRIFT = { 'subjects.isDrifted': true };

export function driftAlertStore({ DriftAlertState, DriftAlert }: Models) {
  return {
    /** Creates the state of a scope, unless it exists: the committer plans a guarded change again, not an insertion. */
    async ensureState(stage: string | null, at: Date): Promise<void> {
      const _id = stateId(stage);
      if (await DriftAlertState.exists({ _id })) return;
      await DriftAlertState.updateOne(
        { _id },
        { $setOnInsert: { revision: 0, checkedAt: at, subjects: [] } },
        { upsert: true },
      );
    },

    state: (stage: string | null) => DriftAlertState.findById(stateId(stage)).lean<AlertStateDoc>(),

    /** Replaces a state, unless a concurrent check has. */
    stateChange: (
      { _id, revision }: AlertStateDoc,
      { subjects, checkedAt }: { subjects: SubjectState[]; checkedAt: Date },
    ): Write =>
      change(DriftAlertState, { _id, revision }, { $set: { subjects, checkedAt }, $inc: { revision: 1 } }),

    /** Stages with drift that is not cleared. */
    async driftedStages(): Promise<string[]> {
      const drifted = await DriftAlertState.find(WITH_DRIFT, { _id: 1 }).lean<Pick<AlertStateDoc, '_id'>[]>();
      return drifted.map(({ _id }) => stageOf(_id)).filter((stage) => stage !== null);
    },

    /** Number of subjects that are drifted, by scope. */
    async countDrifted(): Promise<Record<AlertScope, number>> {
      const counts = { overall: 0, stage: 0, feature: 0 };
      for (const { _id, subjects } of await DriftAlertState.find(WITH_DRIFT).lean<AlertStateDoc[]>())
        for (const { feature, isDrifted } of subjects)
          if (isDrifted) counts[scopeOf({ stage: stageOf(_id), feature })] += 1;
      return counts;
    },

    insertion: (alert: AlertDoc): Write => insertion(DriftAlert, alert),

    /** The alert to be published next; null if there is none. Ids depend on the clocks of the processes. */
    next: () => DriftAlert.findOne().sort({ revision: 1, _id: 1 }).lean<AlertDoc>(),

    /** Records the customers that have the event, unless another process has published to them. */
    progress: ({ _id, publishedUpTo }: AlertDoc, customerId: number): Write =>
      change(DriftAlert, { _id, publishedUpTo }, { $set: { publishedUpTo: customerId } }),

    /** Removes an alert that all customers have, unless another process has. */
    removal: ({ _id, publishedUpTo }: AlertDoc): Write => removal(DriftAlert, { _id, publishedUpTo }),
  };
}

export type DriftAlertStore = ReturnType<typeof driftAlertStore>;

/** Returns the scope of a subject. */
export function scopeOf({ stage, feature }: { stage: string | null; feature: string | null }): AlertScope {
  if (feature !== null) return 'feature';
  return stage === null ? 'overall' : 'stage';
}
