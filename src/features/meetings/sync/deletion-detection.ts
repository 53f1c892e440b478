import type { Clock } from '../../../platform/clock.ts';
import type { TenantRef } from '../meetings.types.ts';
import type { ProviderPage } from '../provider/provider.types.ts';
import type { MeetingStore } from '../stored-meetings/meetings.store.ts';
import type { SyncLog } from './sync-log.ts';
import type { RunComparison, SyncRunDoc } from './sync-runs.model.ts';

/** Number of meetings from which more than half may not be missing at once. */
const MIN_COMPARED = 20;

interface Deps {
  meetings: MeetingStore;
  clock: Clock;
}

type ComparingRun = Pick<SyncRunDoc, 'since' | 'fetched'> & TenantRef;

/**
 * Finds meetings that were deleted at the provider: those created in the time range of a run that a complete list does
 * not contain. They are confirmed by a second reading of the list, since a list that changes while it is read can skip
 * a meeting.
 */
export function createDeletionDetection({ meetings, clock }: Deps) {
  return {
    /** Returns the state of a new comparison. */
    start: async (): Promise<RunComparison> => ({
      startedAt: await meetings.databaseTime(),
      reading: 1,
      isIncomplete: false,
    }),

    /** Records the meetings of a page. */
    async note(tenant: TenantRef, comparison: RunComparison, { meetings: listed, rejected }: ProviderPage) {
      const ids = [...listed, ...rejected].map(({ id }) => id);
      if (ids.includes(null)) comparison.isIncomplete = true;
      await meetings.markListed(
        tenant,
        ids.filter((id) => id !== null),
      );
    },

    /**
     * Called after the last page. Marks the missing meetings after the second reading.
     *
     * @returns true if the list must be read again first
     */
    async conclude(run: ComparingRun, comparison: RunComparison, log: SyncLog): Promise<boolean> {
      const range = { since: run.since, startedAt: comparison.startedAt };
      const { compared, missing } = await meetings.countMissing(run, range);
      if (missing === 0) return false;
      const refused = comparison.isIncomplete
        ? 'the list contains a meeting without an id'
        : run.fetched === (comparison.fetchedBefore ?? 0)
          ? 'the list is empty'
          : compared >= MIN_COMPARED && missing > compared / 2
            ? 'more than half of the meetings are missing'
            : null;
      if (refused) {
        log.note('deletions_refused', { count: missing, detail: refused });
        return false;
      }
      if (comparison.reading === 1) {
        log.note('recounted', { count: missing });
        return true;
      }
      log.note('deletions', { count: await meetings.markMissing(run, range, clock.now()) });
      return false;
    },
  };
}

export type DeletionDetection = ReturnType<typeof createDeletionDetection>;
