import { type Connection, type Model, type mongo, Schema } from 'mongoose';
import { STRICT } from '../../../platform/mongo/strict-schema.ts';
import type { PersonalFields } from '../../privacy/personal-fields.ts';
import { SCAN_BY_ID } from '../stored-meetings/meetings.model.ts';

/** The postings of one bucket, for one group of a tenant's meetings. */
export interface PostingsDoc {
  /** Customer, bucket and group, `7:mee:0000012`; the bucket is hashed while the parts are encrypted. */
  _id: string;
  customerId: number;
  /** Encoded by `postings.ts`, and perhaps encrypted; the indexer appends one per batch. */
  parts: mongo.Binary[];
}

const postingsSchema = new Schema<PostingsDoc>(
  {
    _id: { type: String, required: true },
    customerId: { type: Number, required: true },
    parts: { type: [Schema.Types.Buffer], required: true } as never,
  },
  {
    ...STRICT,
    collection: 'meetingPostings',
    shardKey: { customerId: 1, _id: 1 },
  },
);

/** Converted by `postings-conversion.store.ts`, since the id changes as well. */
export const POSTINGS_FIELDS: PersonalFields = {
  collection: 'meetingPostings',
  values: 'parts',
  // Each can have dozens of parts.
  atOnce: 10,
  shardKey: [],
  scan: SCAN_BY_ID,
};

export const postingsModel = (connection: Connection): Model<PostingsDoc> =>
  connection.model<PostingsDoc>('MeetingPostings', postingsSchema);

/** State of a tenant's search index. */
export interface SearchStateDoc {
  /** The tenant's `customerId`. */
  _id: number;
  /** Next ordinal; an ordinal is never assigned twice. */
  next: number;
  /** Changes whenever meetings are stored that are not indexed; absent once all are indexed. */
  pending?: string;
  /** Since when they wait, by the database's clock; absent with `pending`, and in states of an earlier version. */
  pendingSince?: Date;
  /** When `pending` last changed, by the database's clock; absent in states of an earlier version. */
  markedAt?: Date;
  /** Value of `next` at the last compaction. */
  compactedAt: number;
  /** Number of removals of groups or contents, which outdate the batches that were read before; absent for none. */
  removals?: number;
  /** Groups with words that an erasure has removed from meetings; absent for none. */
  erasedGroups?: number[];
}

const stateSchema = new Schema<SearchStateDoc>(
  {
    _id: { type: Number, required: true },
    next: { type: Number, required: true },
    pending: { type: String },
    pendingSince: { type: Date },
    markedAt: { type: Date },
    compactedAt: { type: Number, required: true },
    removals: { type: Number },
    erasedGroups: { type: [Number], default: undefined },
  },
  { ...STRICT, collection: 'meetingSearchStates' },
);
stateSchema.index({ pending: 1 }, { partialFilterExpression: { pending: { $exists: true } } });

export const searchStateModel = (connection: Connection): Model<SearchStateDoc> =>
  connection.model<SearchStateDoc>('MeetingSearchState', stateSchema);
