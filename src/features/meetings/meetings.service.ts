import { cursorCodec } from '../../platform/cursor.ts';
import { isOrder } from '../../platform/mongo/order.ts';
import { type Page, type PageRequest, toPage } from '../../platform/page.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { MeetingStore } from './meetings.store.ts';
import type { Meeting, MeetingActivity, TranscriptSegment } from './meetings.types.ts';
import { toActivity, toMeeting } from './views.ts';
import { searchTerms } from './words.ts';

interface Filter {
  /** Started at or after. */
  since?: Date;
  /** Words of title, summary and participants that all have to occur, and whole e-mail addresses. */
  search?: string;
}

/** What is read of meetings; syncs write them. */
export function meetingService({ meetings }: { meetings: MeetingStore }) {
  return {
    /** Newest first, by their start. */
    async list(
      tenant: Tenant,
      { since, search }: Filter,
      { limit, after }: PageRequest,
    ): Promise<Page<Meeting>> {
      const cursor = cursorCodec(['meetings', tenant.customerId, since?.getTime(), search], isOrder);
      const rows = await meetings.list(
        tenant,
        { since, terms: search === undefined ? undefined : searchTerms(search) },
        after === null ? null : cursor.decode(after),
        limit + 1,
      );
      return toPage(rows, limit, (row) => ({ cursor: cursor.encode(row.order), node: toMeeting(row) }));
    },

    /** Null when the tenant has no such meeting. */
    async find(tenant: Tenant, recorderMeetingId: string): Promise<Meeting | null> {
      const found = await meetings.find(tenant, recorderMeetingId);
      return found && toMeeting(found);
    },

    /** Null: it has not come yet, or there is none. */
    transcript: (tenant: Tenant, recorderMeetingId: string): Promise<TranscriptSegment[] | null> =>
      meetings.transcript(tenant, recorderMeetingId),

    /**
     * Newest first, by when they occurred.
     *
     * @param personExternalId only those of this person, exactly as the mapping has written it
     */
    async activities(
      tenant: Tenant,
      personExternalId: string | undefined,
      { limit, after }: PageRequest,
    ): Promise<Page<MeetingActivity>> {
      const cursor = cursorCodec(['meetingActivities', tenant.customerId, personExternalId], isOrder);
      const rows = await meetings.activities(
        tenant,
        personExternalId,
        after === null ? null : cursor.decode(after),
        limit + 1,
      );
      return toPage(rows, limit, (row) => ({ cursor: cursor.encode(row.order), node: toActivity(row) }));
    },
  };
}

export type MeetingService = ReturnType<typeof meetingService>;
