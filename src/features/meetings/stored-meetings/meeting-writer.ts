import type { TenantLimit, TenantLimitReached } from '../../../limits/tenant-limits.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import { createTimeSlice, mapInSlices } from '../../../platform/time-slice.ts';
import type { Suppressions } from '../../privacy/suppression.service.ts';
import type { MappingStore } from '../mapping/mapping.store.ts';
import type { ProviderMeeting } from '../provider/provider.types.ts';
import type { RecordKeyStore } from '../provider-records/record-keys.store.ts';
import type { ReportedDeletion } from './deletions.store.ts';
import { type MeetingDocuments, toDocuments } from './meeting-documents.ts';
import type { MeetingStore } from './meetings.store.ts';
import type { SavedPage } from './saved-pages.store.ts';
import { withoutSuppressed } from './without-person.ts';
import type { MeetingSource } from './write-order.ts';

interface Deps {
  mappings: Pick<MappingStore, 'find'>;
  meetings: Pick<MeetingStore, 'save' | 'markReportedDeleted' | 'storedIds'>;
  /** Returns deletions of these meetings reported at or after a time. */
  findDeletions(tenant: TenantRef, meetingIds: readonly string[], since: Date): Promise<ReportedDeletion[]>;
  recordKeys: Pick<RecordKeyStore, 'findOrCreate'>;
  /** Returns the time before which the tenant's retention removes meetings; null if they are kept. */
  expiryOf(tenant: TenantRef): Promise<Date | null>;
  /** Limits the meetings of each tenant; null for no limit. */
  limit: TenantLimit | null;
  suppressions: Suppressions;
}

export interface WrittenPage extends SavedPage {
  /** New meetings beyond the limit, which are not stored. */
  omitted: number;
  /** Meetings with suppressed people, which are stored without them. */
  stripped: number;
  /** Ids of suppressed meetings, of which nothing is stored. */
  withheld: string[];
  /** Ids of meetings that retention would remove, which are not stored. */
  expired: string[];
  /** Why meetings were omitted; null if none were. */
  refusal: TenantLimitReached | null;
}

/** How often meetings are stored again while the mapping keeps changing. */
const MAX_STORE_ATTEMPTS = 5;

/** Creates the function that stores meetings of the provider, with activities by the tenant's current mapping. */
export function createMeetingWriter(deps: Deps) {
  const { mappings, meetings, findDeletions, recordKeys, expiryOf, limit, suppressions } = deps;

  /**
   * Marks stored meetings whose deletion was reported after the provider was asked for them: they may not have been
   * stored at that time.
   */
  async function applyDeletions(
    tenant: TenantRef,
    page: ProviderMeeting[],
    source: MeetingSource,
  ): Promise<void> {
    const ids = page.map(({ id }) => id);
    await meetings.markReportedDeleted(tenant, await findDeletions(tenant, ids, source.readAt), source);
  }

  /** Returns the meetings within the limit: those already stored, and new ones while there is room. */
  async function withinLimit(tenant: TenantRef, page: ProviderMeeting[]): Promise<ProviderMeeting[]> {
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
   * Stores meetings with distinct ids, except suppressed and expired ones; new ones beyond the tenant's limit are omitted.
   * If the mapping changes meanwhile, stores them again: the re-projection of the activities may have ended before they
   * were stored.
   */
  return (tenant: TenantRef, given: ProviderMeeting[], source: MeetingSource): Promise<WrittenPage> =>
    suppressions.whileStoring(tenant, async (suppressor, isSuppressedMeeting) => {
      const withheld = given.map(({ id }) => id).filter(isSuppressedMeeting);
      const permitted = given.filter(({ id }) => !withheld.includes(id));
      const expiry = await expiryOf(tenant);
      const isExpired = ({ startedAt }: ProviderMeeting) => expiry !== null && startedAt < expiry;
      const expired = permitted.filter(isExpired).map(({ id }) => id);
      const received = permitted.filter((meeting) => !isExpired(meeting));
      const results = await mapInSlices(await withinLimit(tenant, received), (meeting) =>
        withoutSuppressed(meeting, suppressor),
      );
      const page = results.map(({ meeting }) => meeting);
      const stripped = results.filter(({ isSuppressed }) => isSuppressed).length;
      if (stripped + withheld.length > 0) suppressions.count('meetings', stripped + withheld.length);
      const omitted = received.length - page.length;
      const refusal = omitted > 0 && limit ? limit.refusal() : null;
      const outcome = { omitted, stripped, withheld, expired, refusal };
      if (page.length === 0) return { stored: 0, unchanged: 0, ...outcome };
      const [key, initialMapping] = await Promise.all([
        recordKeys.findOrCreate(tenant),
        mappings.find(tenant),
      ]);
      const yieldToRequests = createTimeSlice();
      let mapping = initialMapping;
      for (let attempt = 1; ; attempt += 1) {
        const records: MeetingDocuments[] = [];
        for (const meeting of page) {
          await yieldToRequests();
          records.push(toDocuments(tenant, meeting, { mapping, key, suppressor }));
        }
        const saved = await meetings.save(tenant, records, source);
        const [current] = await Promise.all([
          mappings.find(tenant),
          saved.stored > 0 && applyDeletions(tenant, page, source),
        ]);
        // A client that keeps changing the mapping must not stop the sync. The re-projection finds these activities later.
        if (current.version === mapping.version || attempt === MAX_STORE_ATTEMPTS)
          return { ...saved, ...outcome };
        mapping = current;
      }
    });
}

export type MeetingWriter = ReturnType<typeof createMeetingWriter>;
