import type { Model, mongo } from 'mongoose';
import { coalesced } from '../../../platform/mongo/coalesced.ts';
import { byIds, type DocumentRef } from '../../../platform/mongo/ids-of-tenants.ts';
import { rawReads } from '../../../platform/mongo/raw-collection.ts';
import { timeOrder } from '../../../platform/mongo/time-order.ts';
import type { Owner, TranscriptSegment } from '../meetings.types.ts';
import type { ProviderRecordDoc } from '../provider-records/provider-records.model.ts';
import { encryptRecord } from '../provider-records/record-codec.ts';
import type { SearchIndexStore } from '../search/search-index.store.ts';
import { deletionStore, NOT_DELETED } from './deletions.store.ts';
import { keyOf, type MeetingRecords } from './meeting-records.ts';
import type { ActivityDoc, MeetingDoc, TranscriptDoc } from './meetings.model.ts';

interface MeetingFilter {
  /** Started at or after. */
  since?: Date;
  /** True to list meetings as well that were deleted at the provider. */
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

/** Where meetings come from. */
export interface MeetingSource {
  /** Identifies the page of a run, or the notice: meetings that it stores again after a crash count once. */
  id: string;
  /** Time of the request that returned the meetings. */
  readAt: Date;
}

/** Numbers of meetings of a saved page. */
export interface SavedPage {
  /** New ones. */
  stored: number;
  unchanged: number;
}

/** A meeting without its search terms, which queries do not read. */
export type StoredMeeting = Omit<MeetingDoc, 'terms'>;

const WITHOUT_TERMS = { terms: 0 } as const;

/** By the database's clock, since comparisons compare it with the start of their run. */
const LISTED_NOW = { $currentDate: { listedAt: true } } as const;

/** Bypasses mongoose, whose casting costs more than the write. */
const upsert = (
  { _id, customerId, ...fields }: Partial<MeetingDoc | TranscriptDoc | ProviderRecordDoc | ActivityDoc>,
  onInsert: mongo.Document = {},
  more: mongo.Document = {},
): mongo.AnyBulkWriteOperation => ({
  updateOne: {
    filter: { customerId, _id: _id as never },
    update: { $set: fields, $setOnInsert: onInsert, ...more },
    upsert: true,
  },
});

/** Filter on terms, each with its alternatives; matches no meeting without terms. */
const matchAll = (terms: string[][]) =>
  terms.every(({ length }) => length === 1)
    ? { terms: { $all: terms.flat() } }
    : { $and: terms.map((words) => ({ terms: { $in: words } })) };

/** Filter on `order`; empty without bounds. */
const orderWithin = ({ since, before }: { since?: Date; before: string | null }) =>
  since || before !== null
    ? { order: { ...(since && { $gte: timeOrder(since) }), ...(before !== null && { $lt: before }) } }
    : {};

/** @param search is notified when meetings are stored that the search index does not contain */
export function meetingStore(
  { Meeting, MeetingTranscript, MeetingProviderRecord, MeetingActivity }: Models,
  search: Pick<SearchIndexStore, 'markPending'>,
) {
  const transcripts = rawReads(MeetingTranscript);

  const transcriptByKey = coalesced<DocumentRef<string>, TranscriptSegment[] | null>(async (keys) => {
    const found = await transcripts.find(byIds(keys)).toArray();
    const index = new Map(found.map(({ _id, transcriptJson }) => [_id, transcriptJson]));
    return keys.map(({ _id }) => {
      const json = index.get(_id);
      return json === undefined ? null : (JSON.parse(json) as TranscriptSegment[]);
    });
  });

  /** Runs independent upserts of one collection; idempotent. */
  async function write<D extends mongo.Document>(
    model: Model<D>,
    operations: mongo.AnyBulkWriteOperation[],
  ): Promise<void> {
    if (operations.length === 0) return;
    const collection = model.collection as unknown as mongo.Collection;
    await collection.bulkWrite(operations, { ordered: false });
  }

  /**
   * Returns the records of a page that differ from the stored ones, which meetings have new content, which of these are
   * searchable, and if all are indexed. Those that were stored or marked deleted by a later reading are not different.
   */
  async function compareWithStored({ customerId }: Owner, page: MeetingRecords[], source: MeetingSource) {
    const stored = await rawReads(Meeting)
      .find({ customerId, _id: { $in: page.map(({ meeting }) => meeting._id) } })
      .project<
        Pick<
          MeetingDoc,
          '_id' | 'contentHash' | 'indexedAs' | 'readAt' | 'recordHash' | 'writtenBy' | 'deletedAt'
        >
      >({
        contentHash: 1,
        indexedAs: 1,
        readAt: 1,
        recordHash: 1,
        writtenBy: 1,
        deletedAt: 1,
      })
      .toArray();
    const known = new Map(stored.map((meeting) => [meeting._id, meeting]));
    const isLater = (at: Date | null | undefined) => !!at && at > source.readAt;
    const records = page.filter(({ meeting }) => {
      const before = known.get(meeting._id);
      return !isLater(before?.readAt) && !isLater(before?.deletedAt);
    });
    const changed = new Set<string>();
    for (const { meeting } of records)
      if (known.get(meeting._id)?.contentHash !== meeting.contentHash || known.get(meeting._id)?.deletedAt)
        changed.add(meeting._id);
    const searchable = stored.filter(({ _id, indexedAs }) => changed.has(_id) && indexedAs != null);
    const isIndexed = changed.size === 0 && stored.every(({ indexedAs }) => indexedAs != null);
    const different = records.filter(({ meeting }) => {
      const before = known.get(meeting._id);
      // What this page wrote before a crash counts as different.
      return before?.recordHash !== meeting.recordHash || before.writtenBy === source.id || before.deletedAt;
    });
    return { different, changed, searchable: searchable.map(({ _id }) => _id), isIndexed };
  }

  return {
    /**
     * Stores the meetings of a page of one tenant, each once; one that is stored already is not written. Idempotent.
     *
     * @returns the numbers of new and of unchanged meetings
     */
    async save(owner: Owner, records: MeetingRecords[], source: MeetingSource): Promise<SavedPage> {
      if (records.length === 0) return { stored: 0, unchanged: 0 };
      const { customerId } = owner;
      const { different, changed, searchable, isIndexed } = await compareWithStored(owner, records, source);
      const mark = () => (isIndexed ? null : search.markPending(owner));
      // Marked before the meetings are written as well: after a crash, no sync may store them again.
      const marked = mark();
      if (searchable.length > 0) {
        await marked;
        // Hidden before any document is replaced: a crash leaves no meeting that is found by its former content.
        await Meeting.updateMany({ customerId, _id: { $in: searchable } }, { $unset: { indexedAs: 1 } });
      }
      // Meetings last: one that does not await its transcript must have one, and one that is up to date its activity.
      const transcriptWrites = different.flatMap(({ transcript }) =>
        transcript ? [upsert(transcript)] : [],
      );
      const recordWrites: mongo.AnyBulkWriteOperation[] = [];
      for (const { meeting, record } of different) {
        const key = { _id: meeting._id, customerId };
        recordWrites.push(
          record
            ? upsert({ ...key, ...(await encryptRecord(record, key._id)) })
            : // An earlier record would no longer match the meeting.
              { deleteOne: { filter: key as never } },
        );
      }
      await Promise.all([
        marked,
        write(MeetingTranscript, transcriptWrites),
        write(MeetingProviderRecord, recordWrites),
        write(
          MeetingActivity,
          different.map(({ activity }) => upsert({ ...activity, deletedAt: null })),
        ),
      ]);
      await write(
        Meeting,
        different.map(({ meeting: { awaitingTranscript, ...fields } }) => {
          const content = { ...fields, writtenBy: source.id, readAt: source.readAt, deletedAt: null };
          // The indexer may have published the former content meanwhile.
          const meeting = changed.has(content._id) ? { ...content, indexedAs: null } : content;
          // A stored transcript is kept when the provider no longer sends it.
          return awaitingTranscript
            ? upsert(meeting, { storedBy: source.id, awaitingTranscript }, LISTED_NOW)
            : upsert({ ...meeting, awaitingTranscript }, { storedBy: source.id }, LISTED_NOW);
        }),
      );
      const [stored] = await Promise.all([
        Meeting.countDocuments({
          customerId,
          _id: { $in: records.map(({ meeting }) => meeting._id) },
          storedBy: source.id,
        }),
        // The indexer may have removed the first mark before the meetings were stored.
        mark(),
      ]);
      return { stored, unchanged: records.length - different.length };
    },

    /** Returns the creation time of the oldest meeting since then that awaits its transcript; null if there is none. */
    async oldestAwaiting({ customerId }: Owner, since: Date): Promise<Date | null> {
      const oldest = await Meeting.findOne(
        { customerId, awaitingTranscript: true, createdAt: { $gte: since } },
        { createdAt: 1 },
      )
        .sort({ createdAt: 1 })
        .lean<Pick<MeetingDoc, 'createdAt'>>();
      return oldest?.createdAt ?? null;
    },

    ...deletionStore({ Meeting, MeetingActivity }),

    find: (owner: Owner, recorderMeetingId: string) =>
      Meeting.findOne(
        { _id: keyOf(owner, recorderMeetingId), customerId: owner.customerId },
        WITHOUT_TERMS,
      ).lean<StoredMeeting>(),

    /** Returns the meeting with the latest start; null if there is none. */
    newest: ({ customerId }: Owner) =>
      Meeting.findOne({ customerId, ...NOT_DELETED }, WITHOUT_TERMS)
        .sort({ order: -1 })
        .lean<StoredMeeting>(),

    list: (
      { customerId }: Owner,
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

    /** Returns null when no transcript is stored; concurrent calls share a query. */
    transcript: (owner: Owner, recorderMeetingId: string) =>
      transcriptByKey({ _id: keyOf(owner, recorderMeetingId), customerId: owner.customerId }),

    activities: (
      { customerId }: Owner,
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
