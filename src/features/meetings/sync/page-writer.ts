import type { Logger } from '../../../platform/logger.ts';
import type { MappingStore } from '../mapping/mapping.store.ts';
import type { Owner, SyncCounts } from '../meetings.types.ts';
import type { ProviderPage } from '../provider/provider.types.ts';
import { isTooLarge, toRecords } from '../records/meeting-records.ts';
import type { MeetingStore } from '../records/meetings.store.ts';
import type { SyncObserver } from './sync-observer.ts';

interface Deps {
  mappings: MappingStore;
  meetings: MeetingStore;
  observer: Pick<SyncObserver, 'onSyncPage'>;
  log: Logger;
}

interface PageOfRun {
  owner: Owner;
  /** Id of the run: a page that is stored again after a crash counts once. */
  run: string;
  /** Counts of the run; the page's are added once it is stored. */
  counts: SyncCounts;
  page: ProviderPage;
}

/** Creates the function that stores a page of meetings, by the tenant's current mapping. */
export function createPageWriter({ mappings, meetings, observer, log }: Deps) {
  return async ({ owner, run, counts, page }: PageOfRun): Promise<void> => {
    const mapping = await mappings.find(owner);
    // Of two meetings with one id, the later one is the newer state.
    const distinct = new Map(page.meetings.map((meeting) => [meeting.id, meeting]));
    const rejected = [...page.rejected];
    const records = [...distinct.values()].flatMap((meeting) => {
      const record = toRecords(owner, meeting, mapping);
      if (!isTooLarge(record)) return [record];
      rejected.push({ id: meeting.id, reason: 'transcript: exceeds the maximum document size' });
      return [];
    });
    const stored = await meetings.save(owner, records, `${run}:${counts.pages + 1}`);
    for (const { id, reason } of rejected)
      log.warn({ customerId: owner.customerId, run, meeting: id, reason }, 'meeting rejected');
    const fetched = page.meetings.length + page.rejected.length;
    const updated = fetched - rejected.length - stored;
    counts.pages += 1;
    counts.fetched += fetched;
    counts.stored += stored;
    counts.updated += updated;
    counts.rejected += rejected.length;
    observer.onSyncPage({ fetched, stored, updated, rejected: rejected.length });
  };
}

export type PageWriter = ReturnType<typeof createPageWriter>;
