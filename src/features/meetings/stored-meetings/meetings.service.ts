import { cursorCodec } from '../../../platform/cursor.ts';
import { type Page, type PageRequest, readPage } from '../../../platform/list-page.ts';
import { isOrder } from '../../../platform/mongo/time-order.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import { mapInSlices } from '../../../platform/time-slice.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import type { Meeting, MeetingActivity, TranscriptSegment } from '../meetings.types.ts';
import { bucketOf, countWords } from '../search/postings.ts';
import type { SearchIndexStore } from '../search/search-index.store.ts';
import { searchTerms, toIndexedWord } from '../search/search-terms.ts';
import { toActivityView, toMeeting } from './meeting-views.ts';
import type { MeetingStore } from './meetings.store.ts';

/** Words per term: the database merges as many index ranges, and twice as many for a customer with a data key. */
const MAX_EXPANSIONS = 100;

/**
 * Expands a search term to the words that begin with it: the term itself, and the most frequent words in the tenant's
 * titles, participants and summaries.
 */
async function wordsBeginningWith(
  index: Pick<SearchIndexStore, 'parts'>,
  tenant: TenantRef,
  term: string,
): Promise<string[]> {
  const bytes = Buffer.from(toIndexedWord(term));
  const counts = new Map<string, number>();
  for await (const { parts } of index.parts(tenant, bucketOf(term), null))
    for (const part of parts) countWords(part, bytes, counts);
  counts.delete(term);
  // The words of an email address are indexed as well.
  if (!term.includes('@')) for (const word of counts.keys()) if (word.includes('@')) counts.delete(word);
  const byCount = [...counts].toSorted(([, a], [, b]) => b - a);
  return [term, ...byCount.slice(0, MAX_EXPANSIONS - 1).map(([word]) => word)];
}

interface MeetingFilter {
  /** Started at or after. */
  since?: Date;
  /** True to include meetings deleted at the provider. */
  includeDeleted?: boolean;
  /** Prefixes of words that must all occur in title, summary or participants; an email address is one word. */
  search?: string;
}

interface ActivityFilter {
  /** Compared exactly. */
  personExternalId?: string;
}

/** Reads stored meetings and activities. */
export function meetingService({
  meetings,
  index,
}: {
  meetings: MeetingStore;
  index: Pick<SearchIndexStore, 'parts'>;
}) {
  return {
    /** Returns meetings, the latest start first. */
    list: (
      tenant: Tenant,
      { since, search, includeDeleted = false }: MeetingFilter,
      page: PageRequest,
    ): Promise<Page<Meeting>> =>
      readPage(page, {
        cursor: cursorCodec(
          ['meetings', tenant.customerId, since?.getTime(), search, includeDeleted],
          isOrder,
        ),
        async read(before, limit) {
          const terms =
            search === undefined
              ? undefined
              : await mapInSlices(searchTerms(search), (term) => wordsBeginningWith(index, tenant, term));
          return meetings.list(tenant, { since, terms, includeDeleted }, { before, limit });
        },
        positionOf: ({ order }) => order,
        toNode: toMeeting,
      }),

    /** Returns null when the tenant has no such meeting. */
    async find(tenant: Tenant, recorderMeetingId: string): Promise<Meeting | null> {
      const found = await meetings.find(tenant, recorderMeetingId);
      return found && toMeeting(found);
    },

    /** Returns null if the tenant has no such meeting, or if its transcript has not arrived yet. */
    transcript: (tenant: Tenant, recorderMeetingId: string): Promise<TranscriptSegment[] | null> =>
      meetings.transcript(tenant, recorderMeetingId),

    /** Returns activities, the latest first. */
    activities: (
      tenant: Tenant,
      { personExternalId }: ActivityFilter,
      page: PageRequest,
    ): Promise<Page<MeetingActivity>> =>
      readPage(page, {
        cursor: cursorCodec(['meetingActivities', tenant.customerId, personExternalId], isOrder),
        read: (before, limit) => meetings.activities(tenant, { personExternalId }, { before, limit }),
        positionOf: ({ order }) => order,
        toNode: toActivityView,
      }),
  };
}

export type MeetingService = ReturnType<typeof meetingService>;
