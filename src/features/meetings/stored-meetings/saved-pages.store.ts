import type { Model, mongo } from 'mongoose';
import { bulkUpsert, type UpsertResult } from '../../../platform/mongo/bulk-upsert.ts';
import type { DocumentRef } from '../../../platform/mongo/ids-of-tenants.ts';
import { rawCollection, rawReads } from '../../../platform/mongo/raw-collection.ts';
import { createTimeSlice } from '../../../platform/time-slice.ts';
import type { TenantRef } from '../meetings.types.ts';
import type { ProviderRecordDoc } from '../provider-records/provider-records.model.ts';
import { encryptRecord } from '../provider-records/record-codec.ts';
import type { SearchIndexStore } from '../search/search-index.store.ts';
import { NOT_DELETED } from './deletions.store.ts';
import type { MeetingDocuments } from './meeting-documents.ts';
import type { ActivityDoc, MeetingDoc, TranscriptDoc } from './meetings.model.ts';
import { type MeetingSource, notAfter, orderedUpsert, writeOrderOf } from './write-order.ts';

/** Write of a document: the upsert, and the same document for an insert. */
interface DocumentWrite {
  upsert: mongo.AnyBulkWriteOperation;
  insert: mongo.Document & { _id: string };
}

/**
 * Runs independent writes of one collection, without those of documents from later writes, which are refused. New
 * documents are inserted, in half of the time; those that another process inserts at the same time are upserted.
 */
export const writeAll = <D extends mongo.Document>(
  model: Model<D>,
  writes: DocumentWrite[],
  isNew: (id: string) => boolean,
): Promise<UpsertResult> =>
  bulkUpsert(
    // Bypasses mongoose, whose casting costs more than the write.
    rawCollection(model) as unknown as mongo.Collection,
    writes.map(({ upsert }) => upsert),
    writes.map(({ insert, upsert }) =>
      isNew(insert._id) ? { insertOne: { document: insert as mongo.Document } } : upsert,
    ),
  );

/** Write of a document that depends on a meeting. */
export const dependantWrite = (
  { _id, customerId, ...fields }: TranscriptDoc | ProviderRecordDoc | ActivityDoc,
  writeOrder: string,
): DocumentWrite => ({
  upsert: orderedUpsert({ _id, customerId }, writeOrder, { $set: { ...fields, writeOrder } }),
  insert: { _id, customerId, ...fields, writeOrder },
});

/** Removes a record but keeps the order of the removal. An earlier record would not match the meeting. */
export const recordRemoval = (key: DocumentRef<string>, writeOrder: string): DocumentWrite => ({
  upsert: orderedUpsert(key, writeOrder, { $set: { writeOrder }, $unset: { keyId: 1, data: 1 } }),
  insert: { ...key, writeOrder },
});

/**
 * Write of a meeting. The upsert compares with the document that it replaces, which can be newer than the one that was
 * read.
 *
 * @param now time of the database, for an insert
 */
export function meetingWrite(
  { _id, customerId, awaitingTranscript, ...fields }: MeetingDocuments['meeting'],
  { id }: MeetingSource,
  { writeOrder, now }: { writeOrder: string; now: Date },
): DocumentWrite {
  const content = { ...fields, writtenBy: id, writeOrder, deletedAt: null };
  const isSameContent = {
    $and: [{ $eq: ['$contentHash', fields.contentHash] }, { $eq: [{ $ifNull: ['$deletedAt', null] }, null] }],
  };
  const upsert = orderedUpsert({ _id, customerId }, writeOrder, [
    {
      $set: {
        ...Object.fromEntries(Object.entries(content).map(([name, $literal]) => [name, { $literal }])),
        // The indexer may have published the former content meanwhile.
        indexedAs: { $cond: [isSameContent, '$indexedAs', null] },
        // A stored transcript is kept when the provider no longer sends it.
        awaitingTranscript: awaitingTranscript ? { $ifNull: ['$awaitingTranscript', true] } : false,
        storedBy: { $ifNull: ['$storedBy', id] },
        // By the database's clock, since comparisons compare it with the start of their run.
        listedAt: '$$NOW',
      },
    },
  ]);
  const insert = {
    ...{ _id, customerId, ...content },
    ...{ awaitingTranscript, indexedAs: null, storedBy: id, listedAt: now },
  };
  return { upsert, insert };
}

interface Models {
  Meeting: Model<MeetingDoc>;
  MeetingTranscript: Model<TranscriptDoc>;
  MeetingProviderRecord: Model<ProviderRecordDoc>;
  MeetingActivity: Model<ActivityDoc>;
}

/** Numbers of meetings of a saved page. */
export interface SavedPage {
  /** New ones. */
  stored: number;
  unchanged: number;
}

const COMPARED_FIELDS = {
  contentHash: 1,
  indexedAs: 1,
  recordHash: 1,
  writtenBy: 1,
  writeOrder: 1,
  deletedAt: 1,
  storedBy: 1,
} as const;

/** @param search is notified when meetings are stored that the search index does not contain */
export function savedPageStore(
  { Meeting, MeetingTranscript, MeetingProviderRecord, MeetingActivity }: Models,
  search: Pick<SearchIndexStore, 'markPending'>,
) {
  /**
   * Returns the records of a page that differ from the stored ones, the ids of those that replace a stored meeting and
   * of those with other content than that, which ones are new, and if all meetings are indexed. Those that were stored or
   * marked deleted by a later write are not different.
   */
  async function compareWithStored(
    { customerId }: TenantRef,
    page: MeetingDocuments[],
    source: MeetingSource,
  ) {
    const stored = await rawReads(Meeting)
      .find({ customerId, _id: { $in: page.map(({ meeting }) => meeting._id) } })
      .project<Pick<MeetingDoc, '_id' | keyof typeof COMPARED_FIELDS>>(COMPARED_FIELDS)
      .toArray();
    const known = new Map(stored.map((meeting) => [meeting._id, meeting]));
    const writeOrder = writeOrderOf(source);
    const records = page.filter(({ meeting }) => {
      const before = known.get(meeting._id);
      return !before?.writeOrder || before.writeOrder <= writeOrder;
    });
    const different = records.filter(({ meeting }) => {
      const before = known.get(meeting._id);
      // What this page wrote before a crash counts as different.
      return before?.recordHash !== meeting.recordHash || before.writtenBy === source.id || before.deletedAt;
    });
    const replaced = different.flatMap(({ meeting }) => known.get(meeting._id) ?? []);
    const contentHashes = new Map(page.map(({ meeting }) => [meeting._id, meeting.contentHash]));
    const changed = replaced.filter(({ _id, contentHash }) => contentHash !== contentHashes.get(_id));
    const idsOf = (meetings: Pick<MeetingDoc, '_id'>[]) => meetings.map(({ _id }) => _id);
    return {
      different,
      isNew: (id: string) => !known.has(id),
      replaced: idsOf(replaced),
      changed: idsOf(changed),
      /** Number of meetings that this page has stored already, before a crash or under another mapping. */
      storedBefore: stored.filter(({ storedBy }) => storedBy === source.id).length,
      isIndexed: stored.every(({ indexedAs }) => indexedAs != null),
    };
  }

  /**
   * Prepares stored meetings for other documents, so that a crash before all are written leaves no meeting that is found
   * by its former content, and none that counts as unchanged.
   */
  async function prepare(
    { customerId }: TenantRef,
    { replaced, changed }: { replaced: string[]; changed: string[] },
    writeOrder: string,
  ): Promise<void> {
    const unset = (_id: string[], fields: mongo.Document) =>
      _id.length > 0 &&
      Meeting.updateMany(
        { customerId, _id: { $in: _id }, ...notAfter(writeOrder), ...NOT_DELETED },
        { $unset: fields },
      );
    await Promise.all([unset(replaced, { recordHash: 1 }), unset(changed, { indexedAs: 1 })]);
  }

  /** Writes the documents that depend on the meetings. */
  async function writeDependants(
    records: MeetingDocuments[],
    { writeOrder, isNew }: { writeOrder: string; isNew: (id: string) => boolean },
  ): Promise<void> {
    async function writeRecords(): Promise<void> {
      const writes = [];
      const yieldToRequests = createTimeSlice();
      for (const { meeting, record } of records) {
        await yieldToRequests();
        const { _id, customerId } = meeting;
        writes.push(
          record
            ? dependantWrite({ _id, customerId, ...encryptRecord(record, _id) }, writeOrder)
            : recordRemoval({ _id, customerId }, writeOrder),
        );
      }
      await writeAll(MeetingProviderRecord, writes, isNew);
    }

    const transcripts = records.flatMap(({ transcript }) =>
      transcript ? [dependantWrite(transcript, writeOrder)] : [],
    );
    const activities = records.map(({ activity }) =>
      dependantWrite({ ...activity, deletedAt: null }, writeOrder),
    );
    await Promise.all([
      writeAll(MeetingTranscript, transcripts, isNew),
      writeAll(MeetingActivity, activities, isNew),
      // Encrypts while the database writes the others.
      writeRecords(),
    ]);
  }

  /**
   * Has the meetings of later writes that had no transcript indexed again: they have kept the one of this write. Without
   * the content hash, an indexer that read the former transcript does not publish it.
   */
  async function reindexLater(
    { customerId }: TenantRef,
    records: MeetingDocuments[],
    writeOrder: string,
  ): Promise<void> {
    const kept = await rawReads(MeetingTranscript)
      .find({ customerId, _id: { $in: records.map(({ meeting }) => meeting._id) }, writeOrder })
      .project<Pick<TranscriptDoc, '_id'>>({ _id: 1 })
      .toArray();
    if (kept.length === 0) return;
    await Meeting.updateMany(
      {
        customerId,
        _id: { $in: kept.map(({ _id }) => _id) },
        writeOrder: { $gt: writeOrder },
        ...NOT_DELETED,
      },
      { $set: { awaitingTranscript: false }, $unset: { indexedAs: 1, contentHash: 1 } },
    );
  }

  /** Returns the number of meetings that a page has stored. */
  const countStored = ({ customerId }: TenantRef, records: MeetingDocuments[], { id }: MeetingSource) =>
    Meeting.countDocuments({
      customerId,
      _id: { $in: records.map(({ meeting }) => meeting._id) },
      storedBy: id,
    });

  return {
    /**
     * Stores the meetings of a page of one tenant, each once; one that is stored already is not written. Idempotent.
     *
     * @returns the numbers of new and of unchanged meetings
     */
    async save(tenant: TenantRef, records: MeetingDocuments[], source: MeetingSource): Promise<SavedPage> {
      if (records.length === 0) return { stored: 0, unchanged: 0 };
      const writeOrder = writeOrderOf(source);
      const page = await compareWithStored(tenant, records, source);
      const { different, replaced, isNew } = page;
      const unchanged = records.length - different.length;
      if (different.length === 0) {
        if (!page.isIndexed) await search.markPending(tenant);
        return { stored: page.storedBefore, unchanged };
      }
      // Marked before the meetings are written as well: after a crash, no sync may store them again.
      const marked = search.markPending(tenant);
      if (replaced.length > 0) {
        await marked;
        await prepare(tenant, page, writeOrder);
      }
      // Meetings last: one that does not await its transcript must have one, and one that is up to date its activity.
      const [markedAt] = await Promise.all([marked, writeDependants(different, { writeOrder, isNew })]);
      const { created, refused } = await writeAll(
        Meeting,
        different.map(({ meeting }) => meetingWrite(meeting, source, { writeOrder, now: markedAt })),
        isNew,
      );
      if (refused > 0) await reindexLater(tenant, different, writeOrder);
      // The indexer may have removed the first mark before the meetings were stored.
      await search.markPending(tenant);
      // Fewer than expected if another process stores them at the same time, perhaps from the same page.
      const areAllCreated = created === different.filter(({ meeting }) => isNew(meeting._id)).length;
      const stored = areAllCreated ? page.storedBefore + created : await countStored(tenant, records, source);
      return { stored, unchanged };
    },
  };
}
