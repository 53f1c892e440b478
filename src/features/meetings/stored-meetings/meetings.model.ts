import { type Connection, type Model, Schema } from 'mongoose';
import { STRICT } from '../../../platform/mongo/strict-schema.ts';
import { type Lookup, type PersonalFields, UNREADABLE } from '../../privacy/personal-fields.ts';
import type { MeetingActivity, MeetingWarning, Participant, PropertyValue } from '../meetings.types.ts';
import { termsOf } from '../search/search-terms.ts';
import { encodeTranscript } from '../transcript-json.ts';

const OPTIONS = { ...STRICT, minimize: false } as const;

/** Index of the lists, and of everything of a tenant. */
export const BY_ORDER = { customerId: 1, order: -1 } as const;

/** Scan of a tenant's documents by id, which begins with its number: `;` is the character after `:`. */
export const SCAN_BY_ID: PersonalFields['scan'] = {
  by: '_id',
  hint: { _id: 1 },
  range: ({ customerId }) => ({ after: `${customerId}:`, below: `${customerId};` }),
};

interface MeetingKey {
  /** Customer and meeting, `7:m_1`. */
  _id: string;
  customerId: number;
  /** See `write-order.ts`; absent in documents of an earlier version. */
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
  /** Creation time at the provider. */
  createdAt: Date;
  /** True until the provider sends a transcript. */
  awaitingTranscript: boolean;
  /** The first malformed fields; absent in meetings that an earlier version stored. */
  warnings?: MeetingWarning[];
  /** Words of title, summary and participants that the search of lists matches; their hashes while those are encrypted. */
  terms: string[];
  /** Sort key of the lists. */
  order: string;
  /** Hash of the indexed content; absent in meetings of an earlier version. */
  contentHash?: string;
  /** Ordinal in the search index; null or absent until the current content is indexed. */
  indexedAs?: number | null;
  /** Run and page that stored the meeting first, so that new meetings are counted once when a page is stored twice. */
  storedBy: string;
  /** Time at which the meeting was stored first, by the database's clock; absent if an earlier version stored it. */
  storedAt?: Date;
  /** Hash of everything stored for the meeting; absent in meetings of an earlier version. */
  recordHash?: string;
  /** Time at which the meeting was found deleted at the provider; null or absent while the provider has it. */
  deletedAt?: Date | null;
  /** When the provider last listed the meeting, by the database's clock; absent if it was not recorded. */
  listedAt?: Date;
  /** Run and page that wrote the meeting last, so that unchanged meetings are counted once in the same way. */
  writtenBy?: string;
}

const meetingSchema = new Schema<MeetingDoc>(
  {
    _id: { type: String, required: true },
    customerId: { type: Number, required: true },
    writeOrder: { type: String },
    recorderMeetingId: { type: String, required: true },
    title: { type: Schema.Types.Mixed, default: null },
    startedAt: { type: Date, required: true },
    endedAt: { type: Date, default: null },
    participantsJson: { type: Schema.Types.Mixed, required: true },
    summaryText: { type: Schema.Types.Mixed, default: null },
    sentimentScore: { type: Schema.Types.Mixed, default: null },
    createdAt: { type: Date, required: true },
    awaitingTranscript: { type: Boolean, required: true },
    warnings: { type: Schema.Types.Mixed },
    terms: { type: [Schema.Types.Mixed], required: true } as never,
    order: { type: String, required: true },
    contentHash: { type: Schema.Types.Mixed },
    indexedAs: { type: Number },
    storedBy: { type: String, required: true },
    storedAt: { type: Date },
    recordHash: { type: Schema.Types.Mixed },
    writtenBy: { type: String },
    deletedAt: { type: Date },
    listedAt: { type: Date },
  },
  { ...OPTIONS, collection: 'meetings', shardKey: { customerId: 1, _id: 1 } },
);
meetingSchema.index(BY_ORDER);
meetingSchema.index({ customerId: 1, terms: 1, order: -1 });
meetingSchema.index({ customerId: 1, indexedAs: 1 });
meetingSchema.index(
  { customerId: 1, createdAt: 1 },
  { partialFilterExpression: { awaitingTranscript: true }, name: 'awaiting' },
);

/** Returns the words that the search of lists matches. */
export const termsOfMeeting = ({
  title,
  participantsJson,
  summaryText,
}: Pick<MeetingDoc, 'title' | 'participantsJson' | 'summaryText'>): string[] =>
  termsOf([title, ...participantsJson.flatMap(({ name, email }) => [name, email]), summaryText]);

export const MEETING_FIELDS: PersonalFields = {
  collection: 'meetings',
  // The hashes as well: they would confirm a guess of a short meeting.
  fields: ['title', 'participantsJson', 'summaryText', 'contentHash', 'recordHash'],
  unreadableAs: {
    title: UNREADABLE,
    participantsJson: [{ name: UNREADABLE, email: null, role: null }] satisfies Participant[],
    summaryText: UNREADABLE,
  },
  hashed: { field: 'terms', of: termsOfMeeting },
  // Each can have a megabyte of participants and summary.
  atOnce: 5,
  shardKey: [],
  scan: SCAN_BY_ID,
};

export const meetingModel = (connection: Connection): Model<MeetingDoc> =>
  connection.model<MeetingDoc>('Meeting', meetingSchema);

/** In a collection of its own, so that lists do not read transcripts. */
export interface TranscriptDoc extends MeetingKey {
  /** Encoded by `../transcript-json.ts`: a string costs half as much as tens of thousands of BSON values. */
  transcriptJson: string;
}

const transcriptSchema = new Schema<TranscriptDoc>(
  {
    _id: { type: String, required: true },
    customerId: { type: Number, required: true },
    writeOrder: { type: String },
    transcriptJson: { type: Schema.Types.Mixed, required: true },
  },
  { ...OPTIONS, collection: 'meetingTranscripts', shardKey: { customerId: 1, _id: 1 } },
);

export const TRANSCRIPT_FIELDS: PersonalFields = {
  collection: 'meetingTranscripts',
  fields: ['transcriptJson'],
  unreadableAs: {
    transcriptJson: encodeTranscript([{ speaker: null, text: UNREADABLE, startTime: null, endTime: null }]),
  },
  // Up to 2.2 million characters each.
  atOnce: 5,
  shardKey: [],
  scan: SCAN_BY_ID,
};

export const transcriptModel = (connection: Connection): Model<TranscriptDoc> =>
  connection.model<TranscriptDoc>('MeetingTranscript', transcriptSchema);

export interface ActivityDoc extends MeetingKey, MeetingActivity {
  /** Version of the mapping that built it; absent in activities of an earlier version. */
  mappingVersion?: number;
  /** As in the meeting. */
  deletedAt?: Date | null;
  /** Sort key of the lists. */
  order: string;
  /** Keyed hash of the person id, while that is encrypted; absent otherwise. */
  lookups?: string[];
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
    personExternalId: { type: Schema.Types.Mixed, default: null },
    properties: { type: Schema.Types.Mixed, required: true } as unknown as Record<string, PropertyValue>,
    mappingVersion: { type: Number },
    order: { type: String, required: true },
    deletedAt: { type: Date },
    lookups: { type: [String], default: undefined },
  },
  { ...OPTIONS, collection: 'meetingActivities', shardKey: { customerId: 1, _id: 1 } },
);
activitySchema.index(BY_ORDER);
activitySchema.index({ customerId: 1, personExternalId: 1, order: -1 });
activitySchema.index(
  { customerId: 1, lookups: 1, order: -1 },
  { partialFilterExpression: { lookups: { $exists: true } } },
);
// For activities that an older mapping built.
activitySchema.index({ customerId: 1, mappingVersion: 1 });

/** Returns what lists find the activities of a person by. */
export const activityLookup = (personExternalId: string): Lookup => ({
  type: 'activity person',
  identifier: personExternalId,
});

export const ACTIVITY_FIELDS: PersonalFields = {
  collection: 'meetingActivities',
  fields: ['personExternalId', 'properties'],
  unreadableAs: { personExternalId: UNREADABLE, properties: { unreadable: true } },
  lookups: {
    from: ['personExternalId'],
    of: ({ personExternalId }: Pick<ActivityDoc, 'personExternalId'>) =>
      personExternalId == null ? [] : [activityLookup(personExternalId)],
  },
  shardKey: [],
  scan: SCAN_BY_ID,
};

export const activityModel = (connection: Connection): Model<ActivityDoc> =>
  connection.model<ActivityDoc>('MeetingActivity', activitySchema);
