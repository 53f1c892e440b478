import { cursorCodec } from '../../../platform/cursor.ts';
import { type Page, type PageRequest, toPage } from '../../../platform/list-page.ts';
import { isOrder } from '../../../platform/mongo/time-order.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import type { Meeting, MeetingActivity, TranscriptSegment } from '../meetings.types.ts';
import type { SearchIndexStore } from '../search/search-index.store.ts';
import { searchTerms } from '../search/search-terms.ts';
import { wordsBeginningWith } from '../search/word-expansion.ts';
import { toActivityView, toMeeting } from './meeting-views.ts';
import type { MeetingStore } from './meetings.store.ts';

interface MeetingFilter {
  /** Started at or after. */
  since?: Date;
  /** True to list meetings as well that were deleted at the provider. */
  includeDeleted?: boolean;
  /** Beginnings of words that must all occur in title, summary or participants; an email address is one word. */
  search?: string;
}

interface ActivityFilter {
  /** Person as stored in the activity; compared exactly. */
  personExternalId?: string;
}

/** Reads the meetings and activities that syncs have stored. */
export function meetingService({
  meetings,
  index,
}: {
  meetings: MeetingStore;
  index: Pick<SearchIndexStore, 'parts'>;
}) {
  return {
    /** Returns meetings, the latest start first. */
    async list(
      tenant: Tenant,
      { since, search, includeDeleted = false }: MeetingFilter,
      { limit, after }: PageRequest,
    ): Promise<Page<Meeting>> {
      const cursor = cursorCodec(
        ['meetings', tenant.customerId, since?.getTime(), search, includeDeleted],
        isOrder,
      );
      const before = after === null ? null : cursor.decode(after);
      const terms =
        search === undefined
          ? undefined
          : await Promise.all(searchTerms(search).map((term) => wordsBeginningWith(index, tenant, term)));
      const rows = await meetings.list(
        tenant,
        { since, terms, includeDeleted },
        { before, limit: limit + 1 },
      );
      return toPage(rows, limit, (row) => ({ cursor: cursor.encode(row.order), node: toMeeting(row) }));
    },

    /** Returns null when the tenant has no such meeting. */
    async find(tenant: Tenant, recorderMeetingId: string): Promise<Meeting | null> {
      const found = await meetings.find(tenant, recorderMeetingId);
      return found && toMeeting(found);
    },

    /** Returns null when the tenant has no such meeting, or the provider has not sent its transcript yet. */
    transcript: (tenant: Tenant, recorderMeetingId: string): Promise<TranscriptSegment[] | null> =>
      meetings.transcript(tenant, recorderMeetingId),

    /** Returns activities, the latest first. */
    async activities(
      tenant: Tenant,
      { personExternalId }: ActivityFilter,
      { limit, after }: PageRequest,
    ): Promise<Page<MeetingActivity>> {
      const cursor = cursorCodec(['meetingActivities', tenant.customerId, personExternalId], isOrder);
      const before = after === null ? null : cursor.decode(after);
      const rows = await meetings.activities(tenant, { personExternalId }, { before, limit: limit + 1 });
      return toPage(rows, limit, (row) => ({ cursor: cursor.encode(row.order), node: toActivityView(row) }));
    },
  };
}

export type MeetingService = ReturnType<typeof meetingService>;
