import type { Model, mongo } from 'mongoose';
import { bulkUpsert, type UpsertResult } from '../../../platform/mongo/bulk-upsert.ts';
import type { DocumentRef } from '../../../platform/mongo/ids-of-tenants.ts';
import { rawCollection } from '../../../platform/mongo/raw-collection.ts';
import type { ProviderRecordDoc } from '../provider-records/provider-records.model.ts';
import type { MeetingRecords } from './meeting-documents.ts';
import type { ActivityDoc, TranscriptDoc } from './meetings.model.ts';
import { type MeetingSource, orderedUpsert } from './write-order.ts';

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
  { _id, customerId, awaitingTranscript, ...fields }: MeetingRecords['meeting'],
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
