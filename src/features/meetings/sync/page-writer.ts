import type { Logger } from '../../../platform/logger.ts';
import type { ConnectionStore } from '../connection/connection.store.ts';
import { DEFAULT_MAPPING } from '../mapping/mapping-rules.ts';
import type { Owner, SyncCounts } from '../meetings.types.ts';
import type { ProviderPage } from '../provider/provider.types.ts';
import { isTooLarge, toRecords } from '../records/meeting-records.ts';
import type { MeetingStore } from '../records/meetings.store.ts';
import type { SyncObserver } from './sync-observer.ts';

interface Deps {
  connections: ConnectionStore;
  meetings: MeetingStore;
  observer: Pick<SyncObserver, 'onSyncPage'>;
  log: Logger;
}

/** Stores pages of meetings, by the tenant's mapping as it then is. */
export function createPageWriter({ connections, meetings, observer, log }: Deps) {
  /**
   * @param counts of the run so far; what the page adds is added once it is stored
   * @param run names the run, so that a page stored twice is counted as once
   */
  return async (owner: Owner, run: string, counts: SyncCounts, page: ProviderPage): Promise<void> => {
    const mapping = (await connections.mapping(owner)) ?? DEFAULT_MAPPING;
    // The later of two with one id is the newer state of it.
    const distinct = new Map(page.meetings.map((meeting) => [meeting.id, meeting]));
    const rejected = [...page.rejected];
    const records = [...distinct.values()].flatMap((meeting) => {
      const record = toRecords(owner, meeting, mapping);
      if (!isTooLarge(record)) return [record];
      rejected.push({ id: meeting.id, reason: 'transcript: too large to be stored' });
      return [];
    });
    const stored = await meetings.save(owner, records, `${run}:${counts.pages + 1}`);
    for (const { id, reason } of rejected)
      log.warn({ customerId: owner.customerId, run, meeting: id, reason }, 'a meeting could not be taken');
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
