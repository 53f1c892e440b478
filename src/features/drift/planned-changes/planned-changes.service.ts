import { AppError, invalid } from '../../../errors/app-error.ts';
import type { Clock } from '../../../platform/clock.ts';
import { isObjectIdText, newObjectId } from '../../../platform/mongo/object-id.ts';
import { MAX_PLANNED_CHANGES } from '../../../shared/drift-limits.ts';
import type { PlannedChangeDoc } from './planned-change.model.ts';
import type { PlannedChangeFilter, PlannedChangeStore } from './planned-change.store.ts';

/** A change that operators expect to move scores. */
export interface PlannedChange extends Omit<PlannedChangeDoc, '_id'> {
  id: string;
}

/** A planned change to be created. */
export interface NewPlannedChange extends Omit<PlannedChange, 'id' | 'createdAt' | 'endsAt'> {
  /** Null for a moment. */
  endsAt: Date | null;
}

interface Deps {
  changes: PlannedChangeStore;
  clock: Clock;
}

const toChange = ({ _id, ...change }: PlannedChangeDoc): PlannedChange => ({
  id: _id.toHexString(),
  ...change,
});

/** Creates the service for planned changes, which annotate the charts of drift. */
export function plannedChangeService({ changes, clock }: Deps) {
  return {
    /** Lists the changes that overlap a time range, latest start first. */
    list: async (filter: PlannedChangeFilter): Promise<PlannedChange[]> =>
      (await changes.list(filter)).map(toChange),

    /** @throws AppError `VALIDATION_FAILED` if it ends before it starts, `CONFLICT` if there are too many */
    async create({ endsAt, ...input }: NewPlannedChange): Promise<PlannedChange> {
      if (endsAt && endsAt < input.startsAt) throw invalid('endsAt', 'Must not be before `startsAt`.');
      if ((await changes.count()) >= MAX_PLANNED_CHANGES)
        throw new AppError(
          'CONFLICT',
          `At most ${MAX_PLANNED_CHANGES} planned changes can exist; delete one first.`,
        );
      const now = clock.now();
      const change = { _id: newObjectId(now), ...input, endsAt: endsAt ?? input.startsAt, createdAt: now };
      await changes.add(change);
      return toChange(change);
    },

    /** Deletes a change and returns it. @throws AppError `NOT_FOUND` */
    async remove(id: string): Promise<PlannedChange> {
      const change = isObjectIdText(id) ? await changes.remove(id) : null;
      if (!change) throw new AppError('NOT_FOUND', `There is no planned change ${id}.`);
      return toChange(change);
    },
  };
}

export type PlannedChangeService = ReturnType<typeof plannedChangeService>;
