import type { Model } from 'mongoose';
import { coalesced } from '../../../platform/mongo/coalesced.ts';
import { byIds, type DocumentRef } from '../../../platform/mongo/ids-of-tenants.ts';
import { rawReads } from '../../../platform/mongo/raw-collection.ts';
import { timeOrder } from '../../../platform/mongo/time-order.ts';
import type { TenantRef, TranscriptSegment } from '../meetings.types.ts';
import type { ProviderRecordDoc } from '../provider-records/provider-records.model.ts';
import type { SearchIndexStore } from '../search/search-index.store.ts';
import { decodeTranscript } from '../transcript-json.ts';
import { deletionStore, NOT_DELETED } from './deletions.store.ts';
import { keyOf } from './meeting-documents.ts';
import type { ActivityDoc, MeetingDoc, TranscriptDoc } from './meetings.model.ts';
import { savedPageStore } from './saved-pages.store.ts';

interface MeetingFilter {
  /** Started at or after. */
  since?: Date;
  /** True to include meetings deleted at the provider. */
  includeDeleted?: boolean;
  /** Terms, each with its alternatives, that must all occur. */
  terms?: string[][];
}

interface OrderRange {
  /** Order of the last row of the previous page; null for the first page. */
  before: string | null;
  limit: number;
}

interface Models {
  Meeting: Model<MeetingDoc>;
  MeetingTranscript: Model<TranscriptDoc>;
  MeetingProviderRecord: Model<ProviderRecordDoc>;
  MeetingActivity: Model<ActivityDoc>;
}

/** Queries do not read the search terms. */
export type StoredMeeting = Omit<MeetingDoc, 'terms'>;

const WITHOUT_TERMS = { terms: 0 } as const;

/** Filter on terms, each with its alternatives; without terms it matches nothing. */
const matchAll = (terms: string[][]) =>
  terms.every(({ length }) => length === 1)
    ? { terms: { $all: terms.flat() } }
    : { $and: terms.map((words) => ({ terms: { $in: words } })) };

/** Filter on `order`; empty without bounds. */
const orderWithin = ({ since, before }: { since?: Date; before: string | null }) =>
  since || before !== null
    ? { order: { ...(since && { $gte: timeOrder(since) }), ...(before !== null && { $lt: before }) } }
    : {};

/** @param search notified when meetings are stored that are not indexed */
export function meetingStore(models: Models, search: Pick<SearchIndexStore, 'markPending'>) {
  const { Meeting, MeetingTranscript, MeetingActivity } = models;
  const transcripts = rawReads(MeetingTranscript);

  const transcriptByKey = coalesced<DocumentRef<string>, TranscriptSegment[] | null>(async (keys) => {
    const found = await transcripts.find(byIds(keys)).toArray();
    const index = new Map(found.map(({ _id, transcriptJson }) => [_id, transcriptJson]));
    return keys.map(({ _id }) => {
      const json = index.get(_id);
      return json === undefined ? null : decodeTranscript(json);
    });
  });

  return {
    /** Returns the earliest creation time, from `since` on, of a meeting that awaits its transcript; null if none does. */
    async oldestAwaiting({ customerId }: TenantRef, since: Date): Promise<Date | null> {
      const oldest = await Meeting.findOne(
        { customerId, awaitingTranscript: true, createdAt: { $gte: since } },
        { createdAt: 1 },
      )
        .sort({ createdAt: 1 })
        .lean<Pick<MeetingDoc, 'createdAt'>>();
      return oldest?.createdAt ?? null;
    },

    /** Returns which of these ids are stored, deleted meetings included. */
    async storedIds(tenant: TenantRef, recorderMeetingIds: readonly string[]): Promise<Set<string>> {
      const found = await rawReads(Meeting)
        .find(byIds(recorderMeetingIds.map((id) => ({ ...tenant, _id: keyOf(tenant, id) }))))
        .project<Pick<MeetingDoc, 'recorderMeetingId'>>({ recorderMeetingId: 1 })
        .toArray();
      return new Set(found.map(({ recorderMeetingId }) => recorderMeetingId));
    },

    ...savedPageStore(models, search),
    ...deletionStore(models),

    find: (tenant: TenantRef, recorderMeetingId: string) =>
      Meeting.findOne(
        { _id: keyOf(tenant, recorderMeetingId), customerId: tenant.customerId },
        WITHOUT_TERMS,
      ).lean<StoredMeeting>(),

    newest: ({ customerId }: TenantRef) =>
      Meeting.findOne({ customerId, ...NOT_DELETED }, WITHOUT_TERMS)
        .sort({ order: -1 })
        .lean<StoredMeeting>(),

    list: (
      { customerId }: TenantRef,
      { since, terms, includeDeleted = false }: MeetingFilter,
      { before, limit }: OrderRange,
    ) =>
      Meeting.find(
        {
          customerId,
          ...(!includeDeleted && NOT_DELETED),
          ...(terms && matchAll(terms)),
          ...orderWithin({ since, before }),
        },
        WITHOUT_TERMS,
      )
        .sort({ order: -1 })
        .limit(limit)
        .lean<StoredMeeting[]>(),

    /** Returns null if no transcript is stored. Concurrent calls share a query. */
    transcript: (tenant: TenantRef, recorderMeetingId: string) =>
      transcriptByKey({ _id: keyOf(tenant, recorderMeetingId), customerId: tenant.customerId }),

    activities: (
      { customerId }: TenantRef,
      { personExternalId }: { personExternalId?: string },
      { before, limit }: OrderRange,
    ) =>
      MeetingActivity.find({
        customerId,
        ...NOT_DELETED,
        ...(personExternalId !== undefined && { personExternalId }),
        ...orderWithin({ before }),
      })
        .sort({ order: -1 })
        .limit(limit)
        .lean<ActivityDoc[]>(),
  };
}

export type MeetingStore = ReturnType<typeof meetingStore>;
