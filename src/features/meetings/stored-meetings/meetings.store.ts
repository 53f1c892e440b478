import type { Model, QueryFilter } from 'mongoose';
import { coalesced } from '../../../platform/mongo/coalesced.ts';
import { byIds, type DocumentRef } from '../../../platform/mongo/ids-of-tenants.ts';
import { rawReads } from '../../../platform/mongo/raw-collection.ts';
import { mergedByOrder, timeOrder } from '../../../platform/mongo/time-order.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import type { FieldEncryption } from '../../privacy/field-encryption.ts';
import { type Hash, hashedWord } from '../../privacy/personal-fields.ts';
import type { TranscriptSegment } from '../meetings.types.ts';
import type { ProviderRecordDoc } from '../provider-records/provider-records.model.ts';
import type { SearchIndexStore } from '../search/search-index.store.ts';
import { decodeTranscript } from '../transcript-json.ts';
import { deletionStore, NOT_DELETED } from './deletions.store.ts';
import { keyOf } from './meeting-documents.ts';
import {
  ACTIVITY_FIELDS,
  type ActivityDoc,
  activityLookup,
  BY_ORDER,
  MEETING_FIELDS,
  type MeetingDoc,
  TRANSCRIPT_FIELDS,
  type TranscriptDoc,
} from './meetings.model.ts';
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

/** Fields that only syncs and the search use. */
const UNREAD = { terms: 0, contentHash: 0, recordHash: 0 } as const;

export type StoredMeeting = Omit<MeetingDoc, keyof typeof UNREAD>;

/**
 * Filter on terms, each with its alternatives; without terms it matches nothing.
 *
 * @param hash null if the tenant has no hashed terms
 */
function matchAll(terms: string[][], hash: Hash | null): QueryFilter<MeetingDoc> {
  // mongoose omits an empty `$and`, which would match everything.
  if (terms.length === 0 || (!hash && terms.every(({ length }) => length === 1)))
    return { terms: { $all: terms.flat() } };
  const stored = (words: string[]): unknown[] =>
    hash ? [...words, ...words.map((word) => hashedWord(hash, word))] : words;
  return { $and: terms.map((words) => ({ terms: { $in: stored(words) as string[] } })) };
}

/** Filter on `order`; empty without bounds. */
const orderWithin = ({ since, before }: { since?: Date; before: string | null }) =>
  since || before !== null
    ? { order: { ...(since && { $gte: timeOrder(since) }), ...(before !== null && { $lt: before }) } }
    : {};

/** @param search notified when meetings are stored that are not indexed */
export function meetingStore(
  models: Models,
  { search, encryption }: { search: Pick<SearchIndexStore, 'markPending'>; encryption: FieldEncryption },
) {
  const { Meeting, MeetingTranscript, MeetingActivity } = models;
  const transcripts = rawReads(MeetingTranscript);

  const transcriptByKey = coalesced<DocumentRef<string>, TranscriptDoc | null>(async (keys) => {
    const found = await transcripts.find(byIds(keys)).toArray();
    const index = new Map(found.map((transcript) => [transcript._id, transcript]));
    return keys.map(({ _id }) => index.get(_id) ?? null);
  });

  const listActivities = (
    { customerId }: TenantRef,
    condition: QueryFilter<ActivityDoc>,
    { before, limit }: OrderRange,
  ) =>
    MeetingActivity.find({ customerId, ...NOT_DELETED, ...condition, ...orderWithin({ before }) })
      .sort({ order: -1 })
      .limit(limit)
      .lean<ActivityDoc[]>();

  /** Alternatives of a person, plain and encrypted. An index serves each of them, but not an `$or`. */
  async function byPerson(tenant: TenantRef, personExternalId: string): Promise<QueryFilter<ActivityDoc>[]> {
    const hash = await encryption.hashing(tenant);
    return [{ personExternalId }, ...(hash ? [{ lookups: hash(activityLookup(personExternalId)) }] : [])];
  }

  const viewOf = (stored: StoredMeeting | null): Promise<StoredMeeting | null> =>
    encryption.decryptOneForView(MEETING_FIELDS, stored);

  return {
    /** Counts up to `limit`. */
    count: ({ customerId }: TenantRef, limit: number) =>
      Meeting.countDocuments({ customerId }, { limit, hint: BY_ORDER }),

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

    ...savedPageStore(models, { search, encryption }),
    ...deletionStore(models),

    find: async (tenant: TenantRef, recorderMeetingId: string) =>
      viewOf(
        await Meeting.findOne(
          { _id: keyOf(tenant, recorderMeetingId), customerId: tenant.customerId },
          UNREAD,
        ).lean<StoredMeeting>(),
      ),

    newest: async ({ customerId }: TenantRef) =>
      viewOf(
        await Meeting.findOne({ customerId, ...NOT_DELETED }, UNREAD)
          .sort({ order: -1 })
          .lean<StoredMeeting>(),
      ),

    async list(
      tenant: TenantRef,
      { since, terms, includeDeleted = false }: MeetingFilter,
      { before, limit }: OrderRange,
    ): Promise<StoredMeeting[]> {
      const found = await Meeting.find(
        {
          customerId: tenant.customerId,
          ...(!includeDeleted && NOT_DELETED),
          ...(terms && matchAll(terms, await encryption.hashing(tenant))),
          ...orderWithin({ since, before }),
        },
        UNREAD,
      )
        .sort({ order: -1 })
        .limit(limit)
        .lean<StoredMeeting[]>();
      return encryption.decryptForView(MEETING_FIELDS, found);
    },

    /** Returns null if no transcript is stored. Concurrent calls share a query. */
    async transcript(tenant: TenantRef, recorderMeetingId: string): Promise<TranscriptSegment[] | null> {
      const stored = await transcriptByKey({
        _id: keyOf(tenant, recorderMeetingId),
        customerId: tenant.customerId,
      });
      const transcript = await encryption.decryptOneForView(TRANSCRIPT_FIELDS, stored);
      return transcript && decodeTranscript(transcript.transcriptJson);
    },

    async activities(
      tenant: TenantRef,
      { personExternalId }: { personExternalId?: string },
      range: OrderRange,
    ): Promise<ActivityDoc[]> {
      const conditions = personExternalId === undefined ? [{}] : await byPerson(tenant, personExternalId);
      const lists = await Promise.all(
        conditions.map((condition) => listActivities(tenant, condition, range)),
      );
      return encryption.decryptForView(ACTIVITY_FIELDS, mergedByOrder(lists, range.limit));
    },
  };
}

export type MeetingStore = ReturnType<typeof meetingStore>;
