import type { Clock } from '../../../platform/clock.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import type { ProviderPage } from '../provider/provider.types.ts';
import type { ComparedRange } from '../stored-meetings/deletions.store.ts';
import type { MeetingStore } from '../stored-meetings/meetings.store.ts';
import type { SyncLog } from './sync-log.ts';
import type { RunComparison, SyncRunDoc } from './sync-runs.model.ts';

/** From this many compared meetings on, a list that lacks more than half of them is not believed. */
const MIN_COMPARED = 20;

interface Deps {
  meetings: MeetingStore;
  clock: Clock;
}

type ComparingRun = Pick<SyncRunDoc, 'since' | 'fetched'> & Pick<ComparedRange, 'listedSince'> & TenantRef;

/**
 * Finds meetings that were deleted at the provider: they were created in a run's time range and listed to its key before,
 * but a complete list does not contain them. A second reading of the list confirms this, because a list that changes while
 * it is read can skip a meeting.
 */
export function createDeletionDetection({ meetings, clock }: Deps) {
  return {
    start: async (): Promise<RunComparison> => ({
      startedAt: await meetings.databaseTime(),
      reading: 1,
      isIncomplete: false,
    }),

    /** Notes which meetings a page lists. */
    async note(tenant: TenantRef, comparison: RunComparison, { meetings: listed, rejected }: ProviderPage) {
      const ids = [...listed, ...rejected].map(({ id }) => id);
      if (ids.includes(null)) comparison.isIncomplete = true;
      await meetings.markListed(
        tenant,
        ids.filter((id) => id !== null),
      );
    },

    /**
     * Called after the last page: after the second reading, marks the missing meetings as deleted.
     *
     * @returns true if the list must be read a second time first
     */
    async conclude(run: ComparingRun, comparison: RunComparison, log: SyncLog): Promise<boolean> {
      const { since, listedSince } = run;
      const range = { since, startedAt: comparison.startedAt, listedSince };
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
