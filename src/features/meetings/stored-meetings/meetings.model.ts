import { type Connection, type Model, Schema } from 'mongoose';
import type { MeetingActivity, MeetingWarning, Participant, PropertyValue } from '../meetings.types.ts';

const strict = { strict: 'throw', strictQuery: 'throw', versionKey: false, minimize: false } as const;

interface MeetingKey {
  /** Customer and meeting, `7:m_1`, so that an upsert stores a meeting once. */
  _id: string;
  customerId: number;
  /** Order of the write that stored the document, see `write-order.ts`; absent in documents of an earlier build. */
  writeOrder?: string;
}

export interface MeetingDoc extends MeetingKey {
  recorderMeetingId: string;
  title: string | null;
  startedAt: Date;
  endedAt: Date | null;
  participantsJson: Participant[];
  summaryText: string | null;
  sentimentScore: null;
  /** Creation time at the provider, by which a sync fetches. */
  createdAt: Date;
  /** True until the provider sends a transcript. */
  awaitingTranscript: boolean;
  /** The first malformed fields; absent in meetings that an earlier version stored. */
  warnings?: MeetingWarning[];
  /** Words of title, summary and participants that the search matches. */
  terms: string[];
  /** Sort key of the lists. */
  order: string;
  /** Hash of what the ranked search reads; absent in meetings of an earlier build. */
  contentHash?: string;
  /** Ordinal in the index of the ranked search; null or absent until the current content is indexed. */
  indexedAs?: number | null;
  /** Run and page that stored the meeting first: keeps the count of new meetings right when a page is stored twice. */
  storedBy: string;
  /** Hash of all that is stored of the meeting; absent in meetings of an earlier build. */
  recordHash?: string;
  /** Time at which the meeting was found deleted at the provider; null or absent while the provider has it. */
  deletedAt?: Date | null;
  /** Time of the database at which the provider last listed the meeting, as far as it is recorded. */
  listedAt?: Date;
  /** Run and page that wrote the meeting last: keeps the count of unchanged meetings right in the same way. */
  writtenBy?: string;
}

const meetingSchema = new Schema<MeetingDoc>(
  {
    _id: { type: String, required: true },
    customerId: { type: Number, required: true },
    writeOrder: { type: String },
    recorderMeetingId: { type: String, required: true },
    title: { type: String, default: null },
    startedAt: { type: Date, required: true },
    endedAt: { type: Date, default: null },
    participantsJson: { type: Schema.Types.Mixed, required: true },
    summaryText: { type: String, default: null },
    sentimentScore: { type: Schema.Types.Mixed, default: null },
    createdAt: { type: Date, required: true },
    awaitingTranscript: { type: Boolean, required: true },
    warnings: { type: Schema.Types.Mixed },
    terms: { type: [String], required: true },
    order: { type: String, required: true },
    contentHash: { type: String },
    indexedAs: { type: Number },
    storedBy: { type: String, required: true },
    recordHash: { type: String },
    writtenBy: { type: String },
    deletedAt: { type: Date },
    listedAt: { type: Date },
  },
  { ...strict, collection: 'meetings', shardKey: { customerId: 1, _id: 1 } },
);
meetingSchema.index({ customerId: 1, order: -1 });
meetingSchema.index({ customerId: 1, terms: 1, order: -1 });
meetingSchema.index({ customerId: 1, indexedAs: 1 });
meetingSchema.index(
  { customerId: 1, createdAt: 1 },
  { partialFilterExpression: { awaitingTranscript: true }, name: 'awaiting' },
);

export const meetingModel = (connection: Connection): Model<MeetingDoc> =>
  connection.model<MeetingDoc>('Meeting', meetingSchema);

/** The transcript of a meeting, in a collection of its own so that lists do not read it. */
export interface TranscriptDoc extends MeetingKey {
  /** Encoded by `../transcript-json.ts`: one string costs half of what tens of thousands of BSON values cost. */
  transcriptJson: string;
}

const transcriptSchema = new Schema<TranscriptDoc>(
  {
    _id: { type: String, required: true },
    customerId: { type: Number, required: true },
    writeOrder: { type: String },
    transcriptJson: { type: String, required: true },
  },
  { ...strict, collection: 'meetingTranscripts', shardKey: { customerId: 1, _id: 1 } },
);

export const transcriptModel = (connection: Connection): Model<TranscriptDoc> =>
  connection.model<TranscriptDoc>('MeetingTranscript', transcriptSchema);

export interface ActivityDoc extends MeetingKey, MeetingActivity {
  /** Version of the mapping that built it; absent in activities that an earlier version stored. */
  mappingVersion?: number;
  /** That of the meeting. */
  deletedAt?: Date | null;
  /** Sort key of the lists. */
  order: string;
}

const activitySchema = new Schema<ActivityDoc>(
  {
    _id: { type: String, required: true },
    customerId: { type: Number, required: true },
    writeOrder: { type: String },
    externalId: { type: String, required: true },
    type: { type: String, required: true },
    channel: { type: String, required: true },
    occurredAt: { type: Date, required: true },
    personExternalId: { type: String, default: null },
    properties: { type: Schema.Types.Mixed, required: true } as unknown as Record<string, PropertyValue>,
    mappingVersion: { type: Number },
    order: { type: String, required: true },
    deletedAt: { type: Date },
  },
  { ...strict, collection: 'meetingActivities', shardKey: { customerId: 1, _id: 1 } },
);
activitySchema.index({ customerId: 1, order: -1 });
activitySchema.index({ customerId: 1, personExternalId: 1, order: -1 });
// Activities that an older mapping built.
activitySchema.index({ customerId: 1, mappingVersion: 1 });

export const activityModel = (connection: Connection): Model<ActivityDoc> =>
  connection.model<ActivityDoc>('MeetingActivity', activitySchema);
