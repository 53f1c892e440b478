import { type Connection, type Model, type mongo, Schema } from 'mongoose';

/** Postings of the words with the same beginning, in one group of a tenant's meetings. */
export interface PostingsDoc {
  /** Customer, bucket and group, `7:mee:0000012`. */
  _id: string;
  customerId: number;
  /** Encoded by `postings.ts`; the indexer appends one per batch. */
  parts: mongo.Binary[];
}

const postingsSchema = new Schema<PostingsDoc>(
  {
    _id: { type: String, required: true },
    customerId: { type: Number, required: true },
    parts: { type: [Schema.Types.Buffer], required: true } as never,
  },
  {
    strict: 'throw',
    strictQuery: 'throw',
    versionKey: false,
    collection: 'meetingPostings',
    shardKey: { customerId: 1, _id: 1 },
  },
);

export const postingsModel = (connection: Connection): Model<PostingsDoc> =>
  connection.model<PostingsDoc>('MeetingPostings', postingsSchema);

/** State of a tenant's search index. */
export interface SearchStateDoc {
  /** The tenant's `customerId`. */
  _id: number;
  /** Next ordinal; an ordinal is never assigned twice. */
  next: number;
  /** Changes whenever meetings are stored that are not indexed; absent once all are. */
  pending?: string;
  /** Time of the database since which they wait; absent as `pending` is, and in states of an earlier build. */
  pendingSince?: Date;
  /** Time of the database at which `pending` changed last; absent in states of an earlier build. */
  markedAt?: Date;
  /** Value of `next` when groups of mostly replaced meetings were last looked for. */
  compactedAt: number;
}

const stateSchema = new Schema<SearchStateDoc>(
  {
    _id: { type: Number, required: true },
    next: { type: Number, required: true },
    pending: { type: String },
    pendingSince: { type: Date },
    markedAt: { type: Date },
    compactedAt: { type: Number, required: true },
  },
  { strict: 'throw', strictQuery: 'throw', versionKey: false, collection: 'meetingSearchStates' },
);
stateSchema.index({ pending: 1 }, { partialFilterExpression: { pending: { $exists: true } } });

export const searchStateModel = (connection: Connection): Model<SearchStateDoc> =>
  connection.model<SearchStateDoc>('MeetingSearchState', stateSchema);
