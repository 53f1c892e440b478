import { randomUUID } from 'node:crypto';
import { type Model, mongo } from 'mongoose';
import { bulkUpsert } from '../../../platform/mongo/bulk-upsert.ts';
import { rawCollection, rawReads } from '../../../platform/mongo/raw-collection.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import { createTimeSlice } from '../../../platform/time-slice.ts';
import type { FieldEncryption } from '../../privacy/field-encryption.ts';
import type { TenantDoc } from '../../tenants/tenants.model.ts';
import { NOT_DELETED } from '../stored-meetings/deletions.store.ts';
import {
  MEETING_FIELDS,
  type MeetingDoc,
  TRANSCRIPT_FIELDS,
  type TranscriptDoc,
} from '../stored-meetings/meetings.model.ts';
import { type Batch, encodePart, GROUP_SIZE, groupOfOrdinal } from './postings.ts';
import { convertiblePostings } from './postings-conversion.store.ts';
import {
  appending,
  groupDigits,
  groupOf,
  hashedBucket,
  idRange,
  postingsId,
  TIMES_BUCKET,
} from './postings-documents.ts';
import { POSTINGS_FIELDS, type PostingsDoc, type SearchStateDoc } from './search-index.model.ts';

interface Models {
  Meeting: Model<MeetingDoc>;
  MeetingTranscript: Model<TranscriptDoc>;
  MeetingPostings: Model<PostingsDoc>;
  MeetingSearchState: Model<SearchStateDoc>;
  Tenant: Model<TenantDoc>;
}

/** Parts of one group, in one bucket, that are stored in one document. */
export interface GroupParts {
  group: number;
  parts: Buffer[];
}

/** Part of a list of meetings. */
interface ListWindow {
  /** Number of meetings before it. */
  skip: number;
  limit: number;
}

/** The meetings to index in a window of those that are not indexed. */
interface Unindexed {
  meetings: MeetingDoc[];
  /** Number of others, whose key this process lacks; it can return. */
  withoutKey: number;
  /** True if no further meetings follow the window. */
  isLast: boolean;
}

/** Delays indexing, so that it does not slow down a sync whose pages arrive without pauses. */
export interface IndexDelay {
  /** A tenant's meetings are indexed once no new meeting has arrived for this long. Milliseconds. */
  quietMs: number;
  /** The longest that they wait for this. Milliseconds. */
  maxWaitMs: number;
}

export interface PendingState extends SearchStateDoc {
  /** False during the delay. */
  isDue: boolean;
}

/** Returns the groups that have visible meetings and no postings. */
export const lostGroups = (stored: readonly number[], sizes: ReadonlyMap<number, number>): number[] => {
  const withPostings = new Set(stored);
  return [...sizes.keys()].filter((group) => !withPostings.has(group));
};

/** Stores the search index of each tenant's meetings, which a job writes in batches. */
export function searchIndexStore(models: Models, encryption: FieldEncryption) {
  const { Meeting, MeetingTranscript, MeetingPostings, MeetingSearchState, Tenant } = models;
  const meetings = rawReads(Meeting);
  const postings = rawReads(MeetingPostings);
  const transcripts = rawReads(MeetingTranscript);

  /** @param options.nextGroup first group that new ordinals may use; unchanged by default */
  async function outdateBatches({ customerId }: TenantRef, { nextGroup = 0 } = {}): Promise<void> {
    await MeetingSearchState.updateOne(
      { _id: customerId },
      { $inc: { removals: 1 }, $max: { next: nextGroup * GROUP_SIZE } },
    );
  }

  /** Removes groups, whose meetings are then indexed again. The start times, which `groups` reads, go last. */
  async function removeGroups(tenant: TenantRef, groups: readonly number[]): Promise<void> {
    if (groups.length === 0) return;
    const { customerId } = tenant;
    // A batch that begins now must not get ordinals of a group whose words are then removed.
    await outdateBatches(tenant, { nextGroup: Math.max(...groups) + 1 });
    for (const group of groups)
      await Meeting.updateMany(
        { customerId, indexedAs: { $gte: group * GROUP_SIZE, $lt: (group + 1) * GROUP_SIZE } },
        { $unset: { indexedAs: 1 } },
      );
    const suffixes = groups.map(groupDigits).join('|');
    const removeWords = () =>
      MeetingPostings.deleteMany({ customerId, _id: { $regex: `^${customerId}:.+:(${suffixes})$` } });
    await removeWords();
    // A conversion may have moved documents to ids that the first removal had passed.
    if (await encryption.hashing(tenant)) await removeWords();
    await MeetingPostings.deleteMany({
      customerId,
      _id: { $in: groups.map((group) => postingsId(tenant, TIMES_BUCKET, group)) },
    });
    await MeetingSearchState.updateOne({ _id: customerId }, { $pullAll: { erasedGroups: [...groups] } });
  }

  return {
    /** Marks a tenant whose meetings are not all indexed. Returns the database's time. */
    async markPending({ customerId }: TenantRef): Promise<Date> {
      const { markedAt } = await MeetingSearchState.findOneAndUpdate(
        { _id: customerId },
        [
          {
            $set: {
              pending: randomUUID(),
              pendingSince: { $ifNull: ['$pendingSince', '$$NOW'] },
              markedAt: '$$NOW',
              next: { $ifNull: ['$next', 0] },
              compactedAt: { $ifNull: ['$compactedAt', 0] },
            },
          },
        ],
        { upsert: true, updatePipeline: true, returnDocument: 'after' },
      ).lean<Required<SearchStateDoc>>();
      return markedAt;
    },

    /** Marks tenants without an index, whose meetings an earlier version may have stored. */
    async markUnknownTenants(): Promise<void> {
      const [tenants, known] = await Promise.all([
        // A mark of a tenant that is being deleted could outlast it.
        Tenant.distinct('customerId', { deletion: { $exists: false } }),
        MeetingSearchState.distinct('_id'),
      ]);
      const indexed = new Set<unknown>(known);
      for (const customerId of tenants) if (!indexed.has(customerId)) await this.markPending({ customerId });
    },

    /** Returns states of marked tenants, in random order. */
    pending: ({ quietMs, maxWaitMs }: IndexDelay, limit: number) =>
      MeetingSearchState.aggregate<PendingState>([
        { $match: { pending: { $exists: true } } },
        { $sample: { size: limit } },
        {
          $set: {
            // States of an earlier version lack the times and are due.
            isDue: {
              $or: [
                { $lte: ['$markedAt', { $subtract: ['$$NOW', quietMs] }] },
                { $lte: ['$pendingSince', { $subtract: ['$$NOW', maxWaitMs] }] },
              ],
            },
          },
        },
      ]),

    /** Removes a tenant's mark, or, if meetings were stored since it was read, restarts their wait. */
    async settle({ _id, pending }: SearchStateDoc): Promise<void> {
      const isSame = { $eq: ['$pending', pending] };
      await MeetingSearchState.updateOne(
        { _id, pending: { $exists: true } },
        [
          {
            $set: {
              pending: { $cond: [isSame, '$$REMOVE', '$pending'] },
              pendingSince: { $cond: [isSame, '$$REMOVE', '$markedAt'] },
            },
          },
        ],
        { updatePipeline: true },
      );
    },

    /** Returns some of the meetings that are not indexed. Those that were modified in the database have no words. */
    async unindexed({ customerId }: TenantRef, { skip, limit }: ListWindow): Promise<Unindexed> {
      const found = await meetings
        .find({ customerId, indexedAs: null, ...NOT_DELETED } as never)
        .project<MeetingDoc>({ terms: 0, recordHash: 0 })
        .skip(skip)
        .limit(limit)
        .toArray();
      // `publish` compares with the stored form.
      const storedHashes = new Map(found.map(({ _id, contentHash }) => [_id, contentHash]));
      let withoutKey = 0;
      const modified: MeetingDoc[] = [];
      const readable = await encryption.decryptReadable(MEETING_FIELDS, found, (meeting, reason) => {
        if (reason === 'unknown_key') withoutKey += 1;
        else modified.push({ ...meeting, title: null, participantsJson: [], summaryText: null });
      });
      const unindexed = [...readable, ...modified].map((meeting) => ({
        ...meeting,
        contentHash: storedHashes.get(meeting._id),
      }));
      return { meetings: unindexed, withoutKey, isLast: found.length < limit };
    },

    countUnindexed: ({ customerId }: TenantRef, limit: number): Promise<number> =>
      Meeting.countDocuments({ customerId, indexedAs: null, ...NOT_DELETED }).limit(limit),

    /** Returns null if no transcript is stored, or if it cannot be decrypted. */
    async transcriptJson({ customerId }: TenantRef, _id: string): Promise<string | null> {
      const found = await transcripts.find({ customerId, _id }).toArray();
      const [transcript] = await encryption.decryptReadable(TRANSCRIPT_FIELDS, found);
      return transcript?.transcriptJson ?? null;
    },

    /** Reserves ordinals; returns the first. */
    async reserve({ customerId }: TenantRef, count: number): Promise<number> {
      const before = await MeetingSearchState.findOneAndUpdate(
        { _id: customerId },
        { $inc: { next: count } },
        { returnDocument: 'before' },
      ).lean<SearchStateDoc>();
      if (!before) throw new Error(`Customer ${customerId} has no search state.`);
      return before.next;
    },

    /** Appends a batch to the postings of a group. */
    async append(tenant: TenantRef, group: number, batch: Batch, times: Buffer): Promise<void> {
      const { customerId } = tenant;
      const hash = await encryption.storedHashing(tenant);
      const postingsOf = (bucket: string, part: Buffer): PostingsDoc => ({
        _id: postingsId(tenant, hash ? hashedBucket(hash, bucket) : bucket, group),
        customerId,
        parts: [new mongo.Binary(part)],
      });
      const ofWords = [...batch].map(([bucket, words]) => postingsOf(bucket, encodePart(words)));
      const stored = await encryption.encrypt(POSTINGS_FIELDS, ofWords);
      const operations = [postingsOf(TIMES_BUCKET, times), ...stored].map(appending);
      const { refused } = await bulkUpsert(rawCollection(MeetingPostings), operations);
      // Without its postings, a meeting must not become visible.
      if (refused > 0) throw new Error(`${refused} postings of customer ${customerId} were refused.`);
    },

    /**
     * Makes indexed meetings visible to searches, except those that were replaced, converted or indexed meanwhile. Returns
     * the number that it has made visible. If words, texts or meetings were removed since the state was read, the batch is
     * withdrawn with its groups, and the number is 0: it may lack its words, or have those of what is removed.
     *
     * @param state as read before the meetings
     */
    async publish(
      { _id: customerId, removals = 0 }: SearchStateDoc,
      indexed: { _id: string; contentHash: string | undefined; ordinal: number }[],
    ): Promise<number> {
      const areStored = async () =>
        (await Meeting.countDocuments({ customerId, _id: { $in: indexed.map(({ _id }) => _id) } })) ===
        indexed.length;
      const { modifiedCount } = await rawCollection(Meeting).bulkWrite(
        indexed.map(({ _id, contentHash, ordinal }) => ({
          updateOne: {
            filter: {
              customerId,
              _id,
              indexedAs: null,
              contentHash: contentHash ?? null,
              ...NOT_DELETED,
            } as never,
            update: { $set: { indexedAs: ordinal } },
          },
        })),
        { ordered: false },
      );
      // Read afterwards: a removal that begins later finds the meetings that are visible by then.
      const state = await MeetingSearchState.findById(customerId, { removals: 1 }).lean<SearchStateDoc>();
      const isCurrent = (state?.removals ?? 0) === removals;
      if (isCurrent && (modifiedCount === indexed.length || (await areStored()))) return modifiedCount;
      const groups = new Set(indexed.map(({ ordinal }) => groupOfOrdinal(ordinal)));
      await removeGroups({ customerId }, [...groups]);
      return 0;
    },

    /**
     * Has the batches in progress withdrawn and read again. Call it after texts were removed, and before a search for their
     * words.
     */
    outdateBatches: (tenant: TenantRef): Promise<void> => outdateBatches(tenant),
    removeGroups,

    /** Marks the group of a meeting from which an erasure is about to remove words. */
    async markErased({ customerId }: TenantRef, ordinal: number): Promise<void> {
      await MeetingSearchState.updateOne(
        { _id: customerId },
        { $addToSet: { erasedGroups: groupOfOrdinal(ordinal) } },
      );
    },

    /** Returns the groups that `markErased` has marked and `removeGroups` has not removed. */
    async erasedGroups({ customerId }: TenantRef): Promise<number[]> {
      const state = await MeetingSearchState.findById(customerId, { erasedGroups: 1 }).lean<SearchStateDoc>();
      return state?.erasedGroups ?? [];
    },

    /** Returns the number of visible meetings by group. */
    async groupSizes({ customerId }: TenantRef): Promise<Map<number, number>> {
      const sizes = await meetings
        .aggregate<{ _id: number; count: number }>([
          { $match: { customerId, indexedAs: { $gte: 0 } } },
          { $group: { _id: { $floor: { $divide: ['$indexedAs', GROUP_SIZE] } }, count: { $sum: 1 } } },
        ])
        .toArray();
      return new Map(sizes.map(({ _id, count }) => [_id, count]));
    },

    compacted: ({ _id, next }: SearchStateDoc) =>
      MeetingSearchState.updateOne({ _id }, { $set: { compactedAt: next } }),

    /** Returns the groups that have postings. */
    async groups({ customerId }: TenantRef): Promise<number[]> {
      const found = await MeetingPostings.find(
        { customerId, _id: idRange(customerId, TIMES_BUCKET) },
        { _id: 1 },
      ).lean<Pick<PostingsDoc, '_id'>[]>();
      return found.map(({ _id }) => groupOf(_id));
    },

    /**
     * Reads the parts of a bucket, a document at a time: together, those of many meetings do not fit into memory. Yields
     * after each time slice. Returns a group twice while it has parts in both forms, plain and encrypted, and leaves out
     * what cannot be decrypted.
     *
     * @param groups null for all groups
     */
    async *parts(
      tenant: TenantRef,
      bucket: string,
      groups: readonly number[] | null,
    ): AsyncGenerator<GroupParts> {
      const { customerId } = tenant;
      const hash = bucket === TIMES_BUCKET ? null : await encryption.hashing(tenant);
      const buckets = hash ? [bucket, hashedBucket(hash, bucket)] : [bucket];
      const [first, ...others] = buckets.map((name) => ({
        _id: groups
          ? { $in: groups.map((group) => postingsId(tenant, name, group)) }
          : idRange(customerId, name),
      }));
      const found = postings
        .find({ customerId, ...(others.length > 0 ? { $or: [first, ...others] } : first) } as never)
        .sort({ _id: 1 });
      const yieldToRequests = createTimeSlice();
      for await (const document of found) {
        await yieldToRequests();
        for (const { _id, parts } of await encryption.decryptReadable(POSTINGS_FIELDS, [document]))
          yield { group: groupOf(_id), parts: parts.map(({ buffer }) => buffer as Buffer) };
      }
    },

    /** Returns which of these ordinals belong to meetings. Reads only the database's index. */
    async visibleOrdinals({ customerId }: TenantRef, ordinals: number[]): Promise<Set<number>> {
      const found = await meetings
        .find({ customerId, indexedAs: { $in: ordinals } } as never)
        .project<{ indexedAs: number }>({ _id: 0, indexedAs: 1 })
        .toArray();
      return new Set(found.map(({ indexedAs }) => indexedAs));
    },

    /** Returns the meetings with these ordinals, by ordinal. */
    async visible({ customerId }: TenantRef, ordinals: number[]): Promise<Map<number, MeetingDoc>> {
      const found = await meetings
        .find({ customerId, indexedAs: { $in: ordinals } } as never)
        .project<MeetingDoc>({ terms: 0, contentHash: 0, recordHash: 0 })
        .toArray();
      const readable = await encryption.decryptForView(MEETING_FIELDS, found);
      return new Map(readable.map((meeting) => [meeting.indexedAs as number, meeting]));
    },

    convertible: convertiblePostings(models, encryption),
  };
}

export type SearchIndexStore = ReturnType<typeof searchIndexStore>;
