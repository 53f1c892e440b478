import type { Model, mongo } from 'mongoose';
import { bulkUpsert, type UpsertResult } from '../../../platform/mongo/bulk-upsert.ts';
import type { DocumentRef } from '../../../platform/mongo/ids-of-tenants.ts';
import { rawReads, untypedCollection } from '../../../platform/mongo/raw-collection.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import { createTimeSlice } from '../../../platform/time-slice.ts';
import type { FieldEncryption } from '../../privacy/field-encryption.ts';
import { type PersonalFields, replacement } from '../../privacy/personal-fields.ts';
import type { ProviderRecordDoc } from '../provider-records/provider-records.model.ts';
import { encryptRecord } from '../provider-records/record-codec.ts';
import type { SearchIndexStore } from '../search/search-index.store.ts';
import { NOT_DELETED } from './deletions.store.ts';
import type { MeetingDocuments } from './meeting-documents.ts';
import {
  ACTIVITY_FIELDS,
  type ActivityDoc,
  MEETING_FIELDS,
  type MeetingDoc,
  TRANSCRIPT_FIELDS,
  type TranscriptDoc,
} from './meetings.model.ts';
import { type MeetingSource, notAfter, orderedUpsert, writeOrderOf } from './write-order.ts';

/** A write in two forms: as an upsert, and as an insert for a new document. */
interface DocumentWrite {
  upsert: mongo.AnyBulkWriteOperation;
  insert: mongo.Document & { _id: string };
}

/**
 * Runs independent writes of one collection. A document of a later write refuses an earlier one. New documents are
 * inserted, which takes half the time, and upserted if another process inserts them at the same time.
 */
const writeAll = <D extends mongo.Document>(
  model: Model<D>,
  writes: DocumentWrite[],
  isNew: (id: string) => boolean,
): Promise<UpsertResult> =>
  bulkUpsert(
    // Without mongoose, whose casting costs more than the write.
    untypedCollection(model),
    writes.map(({ upsert }) => upsert),
    writes.map(({ insert, upsert }) =>
      isNew(insert._id) ? { insertOne: { document: insert as mongo.Document } } : upsert,
    ),
  );

const dependantWrite = (
  { _id, customerId, ...fields }: TranscriptDoc | ProviderRecordDoc | ActivityDoc,
  writeOrder: string,
  personal: Pick<PersonalFields, 'lookups'> = {},
): DocumentWrite => ({
  upsert: orderedUpsert({ _id, customerId }, writeOrder, replacement(personal, { ...fields, writeOrder })),
  insert: { _id, customerId, ...fields, writeOrder },
});

/** Removes a record but keeps the order of the removal, so that an earlier record cannot return. */
const recordRemoval = (key: DocumentRef<string>, writeOrder: string): DocumentWrite => ({
  upsert: orderedUpsert(key, writeOrder, { $set: { writeOrder }, $unset: { keyId: 1, data: 1 } }),
  insert: { ...key, writeOrder },
});

/**
 * The upsert compares with the document that it replaces, which can be newer than the one that was read.
 *
 * @param now time of the database, for an insert
 */
function meetingWrite(
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
        // The indexer may have published the previous content in the meantime.
        indexedAs: { $cond: [isSameContent, '$indexedAs', null] },
        // A stored transcript is kept when the provider no longer sends it.
        awaitingTranscript: awaitingTranscript ? { $ifNull: ['$awaitingTranscript', true] } : false,
        storedBy: { $ifNull: ['$storedBy', id] },
        // Stays unknown for a meeting that an earlier version has stored.
        storedAt: { $cond: [{ $gt: ['$storedBy', null] }, '$storedAt', '$$NOW'] },
        // By the database's clock, like the comparisons.
        listedAt: '$$NOW',
      },
    },
  ]);
  const insert = {
    _id,
    customerId,
    ...content,
    awaitingTranscript,
    indexedAs: null,
    storedBy: id,
    storedAt: now,
    listedAt: now,
  };
  return { upsert, insert };
}

interface Models {
  Meeting: Model<MeetingDoc>;
  MeetingTranscript: Model<TranscriptDoc>;
  MeetingProviderRecord: Model<ProviderRecordDoc>;
  MeetingActivity: Model<ActivityDoc>;
}

/** Meetings of a saved page. */
export interface SavedPage {
  /** New meetings. */
  stored: number;
  unchanged: number;
}

const COMPARED_FIELDS = {
  customerId: 1,
  contentHash: 1,
  indexedAs: 1,
  recordHash: 1,
  writtenBy: 1,
  writeOrder: 1,
  deletedAt: 1,
  storedBy: 1,
} as const;

/** @param search notified when meetings are stored that are not indexed */
export function savedPageStore(
  { Meeting, MeetingTranscript, MeetingProviderRecord, MeetingActivity }: Models,
  { search, encryption }: { search: Pick<SearchIndexStore, 'markPending'>; encryption: FieldEncryption },
) {
  /**
   * Compares a page with the stored meetings. Meetings that a later write stored or marked as deleted do not count as
   * different.
   */
  async function compareWithStored(
    { customerId }: TenantRef,
    page: MeetingDocuments[],
    source: MeetingSource,
  ) {
    const found = await rawReads(Meeting)
      .find({ customerId, _id: { $in: page.map(({ meeting }) => meeting._id) } })
      .project<Pick<MeetingDoc, '_id' | keyof typeof COMPARED_FIELDS>>(COMPARED_FIELDS)
      .toArray();
    const modified: typeof found = [];
    const readable = await encryption.decryptReadable(MEETING_FIELDS, found, (meeting) =>
      modified.push({ ...meeting, contentHash: undefined, recordHash: undefined }),
    );
    // Meetings that cannot be decrypted are replaced.
    const stored = [...readable, ...modified];
    const known = new Map(stored.map((meeting) => [meeting._id, meeting]));
    const writeOrder = writeOrderOf(source);
    const records = page.filter(({ meeting }) => {
      const before = known.get(meeting._id);
      return !before?.writeOrder || before.writeOrder <= writeOrder;
    });
    const different = records.filter(({ meeting }) => {
      const before = known.get(meeting._id);
      // A meeting that this page wrote before a crash counts as different.
      return before?.recordHash !== meeting.recordHash || before.writtenBy === source.id || before.deletedAt;
    });
    const replaced = different.flatMap(({ meeting }) => known.get(meeting._id) ?? []);
    const contentHashes = new Map(page.map(({ meeting }) => [meeting._id, meeting.contentHash]));
    const isChanged = ({ _id, contentHash }: Pick<MeetingDoc, '_id' | 'contentHash'>) =>
      contentHash !== contentHashes.get(_id);
    const changed = replaced.filter(isChanged);
    const changedIds = new Set(stored.filter(isChanged).map(({ _id }) => _id));
    const storedHashes = found.flatMap(({ _id, contentHash }) =>
      // Not in the form of the other setting, which a conversion may be about to replace.
      changedIds.has(_id) ||
      (contentHash !== undefined && (typeof contentHash === 'string') === encryption.isOn)
        ? []
        : [[_id, contentHash] as const],
    );
    const idsOf = (meetings: Pick<MeetingDoc, '_id'>[]) => meetings.map(({ _id }) => _id);
    return {
      different,
      isNew: (id: string) => !known.has(id),
      /** Stored forms of the content hashes that stay: the write compares with them. */
      storedHashes: new Map(storedHashes),
      /** Ids of stored meetings that will be replaced. */
      replaced: idsOf(replaced),
      /** Ids of replaced meetings whose searchable content changes. */
      changed: idsOf(changed),
      /** Number of meetings that this page has already stored, before a crash or with another mapping. */
      storedBefore: stored.filter(({ storedBy }) => storedBy === source.id).length,
      isIndexed: stored.every(({ indexedAs }) => indexedAs != null),
    };
  }

  /**
   * Invalidates stored meetings before their documents are replaced. After a crash in between, no search finds a meeting
   * by its previous content, and none counts as unchanged.
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

  /** Writes the transcripts, activities and provider's records of meetings. */
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

    const transcripts = await encryption.encrypt(
      TRANSCRIPT_FIELDS,
      records.flatMap(({ transcript }) => transcript ?? []),
    );
    const activities = await encryption.encrypt(
      ACTIVITY_FIELDS,
      records.map(({ activity }) => ({ ...activity, deletedAt: null })),
    );
    await Promise.all([
      writeAll(
        MeetingTranscript,
        transcripts.map((transcript) => dependantWrite(transcript, writeOrder)),
        isNew,
      ),
      writeAll(
        MeetingActivity,
        activities.map((activity) => dependantWrite(activity, writeOrder, ACTIVITY_FIELDS)),
        isNew,
      ),
      // Encrypts while the database writes the others.
      writeRecords(),
    ]);
  }

  /**
   * Re-indexes meetings that a later write stored without a transcript: they keep the one from this write. The content
   * hash is removed, so that an indexer that has read the previous transcript does not publish it.
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

  /** Counts the meetings that a page has stored. */
  const countStored = ({ customerId }: TenantRef, records: MeetingDocuments[], { id }: MeetingSource) =>
    Meeting.countDocuments({
      customerId,
      _id: { $in: records.map(({ meeting }) => meeting._id) },
      storedBy: id,
    });

  return {
    /**
     * Stores a tenant's meetings from one page. Unchanged meetings are not written. Idempotent.
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
      // Also marked before the write: after a crash, perhaps no sync stores the meetings again.
      const marked = search.markPending(tenant);
      if (replaced.length > 0) {
        await marked;
        await prepare(tenant, page, writeOrder);
      }
      // Meetings last: once a meeting is up to date, its transcript and activity must be stored.
      const [markedAt] = await Promise.all([marked, writeDependants(different, { writeOrder, isNew })]);
      const meetings = await encryption.encrypt(
        MEETING_FIELDS,
        different.map(({ meeting }) => meeting),
      );
      const { created, refused } = await writeAll(
        Meeting,
        meetings.map(({ contentHash, ...meeting }) =>
          meetingWrite(
            { ...meeting, contentHash: page.storedHashes.get(meeting._id) ?? contentHash },
            source,
            { writeOrder, now: markedAt },
          ),
        ),
        isNew,
      );
      if (refused > 0) await reindexLater(tenant, different, writeOrder);
      // The indexer may have removed the first mark before the meetings were stored.
      await search.markPending(tenant);
      // Fewer if another process stores them at the same time, perhaps from the same page.
      const areAllCreated = created === different.filter(({ meeting }) => isNew(meeting._id)).length;
      const stored = areAllCreated ? page.storedBefore + created : await countStored(tenant, records, source);
      return { stored, unchanged };
    },
  };
}
