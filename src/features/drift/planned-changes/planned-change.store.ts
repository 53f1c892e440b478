import { type Model, Types } from 'mongoose';
import type { PlannedChangeDoc } from './planned-change.model.ts';

/** Selects planned changes that overlap a time range. */
export interface PlannedChangeFilter {
  model: string;
  /** Selects changes that concern this stage or every stage; all changes if absent or null. */
  stage?: string | null;
  /** Inclusive. */
  since?: Date | null;
  /** Exclusive. */
  until?: Date | null;
  limit: number;
}

export function plannedChangeStore(DriftPlannedChange: Model<PlannedChangeDoc>) {
  return {
    list: ({ model, stage, since, until, limit }: PlannedChangeFilter) =>
      DriftPlannedChange.find({
        model,
        ...(stage != null && { stage: { $in: [null, stage] } }),
        ...(since && { endsAt: { $gte: since } }),
        ...(until && { startsAt: { $lt: until } }),
      })
        .sort({ startsAt: -1, _id: -1 })
        .limit(limit)
        .lean<PlannedChangeDoc[]>(),

    count: () => DriftPlannedChange.countDocuments(),

    async add(change: PlannedChangeDoc): Promise<void> {
      await DriftPlannedChange.create([change]);
    },

    /** Returns the change that it removes; null if there is none. */
    remove: (id: string) =>
      DriftPlannedChange.findOneAndDelete({ _id: new Types.ObjectId(id) }).lean<PlannedChangeDoc>(),
  };
}

export type PlannedChangeStore = ReturnType<typeof plannedChangeStore>;
