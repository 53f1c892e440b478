import type { TenantLimit, TenantLimitReached } from '../../../limits/tenant-limits.ts';
import { createTimeSlice } from '../../../platform/time-slice.ts';
import type { MappingStore } from '../mapping/mapping.store.ts';
import type { TenantRef } from '../meetings.types.ts';
import type { ProviderMeeting } from '../provider/provider.types.ts';
import type { RecordKeyStore } from '../provider-records/record-keys.store.ts';
import type { ReportedDeletion } from './deletions.store.ts';
import { type MeetingDocuments, toDocuments } from './meeting-documents.ts';
import type { MeetingStore } from './meetings.store.ts';
import type { SavedPage } from './saved-pages.store.ts';
import type { MeetingSource } from './write-order.ts';

interface Deps {
  mappings: Pick<MappingStore, 'find'>;
  meetings: Pick<MeetingStore, 'save' | 'markSavedDeleted' | 'storedIds'>;
  /** Returns the deletions of these meetings that were reported at or after a time. */
  findDeletions(tenant: TenantRef, meetingIds: readonly string[], since: Date): Promise<ReportedDeletion[]>;
  recordKeys: Pick<RecordKeyStore, 'findOrCreate'>;
  /** Limits the meetings of each tenant; null for no limit. */
  limit: TenantLimit | null;
}

/** Numbers of meetings of a page that are stored, and of those that are not. */
export interface WrittenPage extends SavedPage {
  /** New meetings beyond the limit. */
  omitted: number;
  /** Why meetings were omitted; null if none was. */
  refusal: TenantLimitReached | null;
}

/** Times that meetings are stored while the mapping keeps changing. */
const MAX_STORE_ATTEMPTS = 5;

/** Creates the function that stores meetings of the provider, by the tenant's current mapping. */
export function createMeetingWriter({ mappings, meetings, findDeletions, recordKeys, limit }: Deps) {
  /**
   * Marks the stored meetings whose deletion was reported after they were requested: while one is not stored, the
   * deletion has no meeting to mark.
   */
  async function applyDeletions(
    tenant: TenantRef,
    page: ProviderMeeting[],
    source: MeetingSource,
  ): Promise<void> {
    const ids = page.map(({ id }) => id);
    await meetings.markSavedDeleted(tenant, source, await findDeletions(tenant, ids, source.readAt));
  }

  /** Returns the meetings that the limit permits: those that are stored already, and new ones while there is room. */
  async function permitted(tenant: TenantRef, page: ProviderMeeting[]): Promise<ProviderMeeting[]> {
    if (!limit) return page;
    const stored = await meetings.storedIds(
      tenant,
      page.map(({ id }) => id),
    );
    const added = page.filter(({ id }) => !stored.has(id));
    if (added.length === 0) return page;
    const omitted = new Set(added.slice(await limit.claim(tenant, added.length)));
    return page.filter((meeting) => !omitted.has(meeting));
  }

  /**
   * Stores the meetings, each id once; new ones beyond the tenant's limit are omitted. Stores them again if the mapping has changed meanwhile: the re-projection of the
   * activities may have ended before they were stored.
   */
  return async (tenant: TenantRef, given: ProviderMeeting[], source: MeetingSource): Promise<WrittenPage> => {
    const page = await permitted(tenant, given);
    const omitted = given.length - page.length;
    const refusal = omitted > 0 && limit ? limit.refusal() : null;
    if (page.length === 0) return { stored: 0, unchanged: 0, omitted, refusal };
    const [key, initialMapping] = await Promise.all([recordKeys.findOrCreate(tenant), mappings.find(tenant)]);
    const yieldToRequests = createTimeSlice();
    let mapping = initialMapping;
    for (let attempt = 1; ; attempt += 1) {
      const records: MeetingDocuments[] = [];
      for (const meeting of page) {
        await yieldToRequests();
        records.push(toDocuments(tenant, meeting, { mapping, key }));
      }
      const saved = await meetings.save(tenant, records, source);
      const [current] = await Promise.all([
        mappings.find(tenant),
        saved.stored > 0 && applyDeletions(tenant, page, source),
      ]);
      // A client that changes the mapping all the time does not stop the sync: the re-projection is checked later.
      if (current.version === mapping.version || attempt === MAX_STORE_ATTEMPTS)
        return { ...saved, omitted, refusal };
      mapping = current;
    }
  };
}

export type MeetingWriter = ReturnType<typeof createMeetingWriter>;
