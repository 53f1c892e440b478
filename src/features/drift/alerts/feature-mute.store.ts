import type { Model } from 'mongoose';
import { newObjectId } from '../../../platform/mongo/object-id.ts';
import type { CheckScope } from './drift-alert.types.ts';
import type { FeatureMuteDoc } from './feature-mute.model.ts';

/** Identity of a mute. */
export type MutedFeature = Pick<FeatureMuteDoc, 'model' | 'stage' | 'feature'>;

export function featureMuteStore(DriftMute: Model<FeatureMuteDoc>) {
  /** Selects what is in force: the database deletes an expired mute up to a minute late. */
  const inForce = (now: Date) => ({ $or: [{ until: null }, { until: { $gt: now } }] });

  return {
    /** Lists the mutes in force of a model, newest first. @param stage undefined for all samples and every stage */
    list: ({ model, stage }: { model: string; stage?: string | undefined }, now: Date) =>
      DriftMute.find({ model, ...(stage !== undefined && { stage }), ...inForce(now) })
        .sort({ createdAt: -1, _id: -1 })
        .lean<FeatureMuteDoc[]>(),

    /** Names of the features that are muted in a check. */
    async mutedIn({ model, stage }: CheckScope, now: Date): Promise<Set<string>> {
      const found = await DriftMute.find({ model, stage: { $in: [null, stage] }, ...inForce(now) })
        .select({ feature: 1 })
        .lean<Pick<FeatureMuteDoc, 'feature'>[]>();
      return new Set(found.map(({ feature }) => feature));
    },

    count: () => DriftMute.countDocuments(),

    exists: async (of: MutedFeature): Promise<boolean> => (await DriftMute.exists(of)) !== null,

    /** Mutes a feature, or replaces the note and the end of its mute. */
    set: (of: MutedFeature, { createdAt, ...values }: Pick<FeatureMuteDoc, 'note' | 'until' | 'createdAt'>) =>
      DriftMute.findOneAndUpdate(
        of,
        { $set: values, $setOnInsert: { _id: newObjectId(createdAt), createdAt } },
        { upsert: true, returnDocument: 'after' },
      ).lean<FeatureMuteDoc>(),

    /** Returns the mute that it removes; null if there is none. */
    remove: (of: MutedFeature) => DriftMute.findOneAndDelete(of).lean<FeatureMuteDoc>(),
  };
}

export type FeatureMuteStore = ReturnType<typeof featureMuteStore>;
