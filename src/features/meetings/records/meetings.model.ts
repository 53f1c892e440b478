import { type Connection, type Model, Schema } from 'mongoose';
import type { MeetingActivity, Participant, PropertyValue } from '../meetings.types.ts';

const strict = { strict: 'throw', strictQuery: 'throw', versionKey: false, minimize: false } as const;

interface OfMeeting {
  /** Customer and meeting, `7:m_1`: an upsert by it stores a meeting once. */
  _id: string;
  customerId: number;
}

export interface MeetingDoc extends OfMeeting {
  recorderMeetingId: string;
  title: string | null;
  startedAt: Date;
  endedAt: Date | null;
  participantsJson: Participant[];
  summaryText: string | null;
  sentimentScore: null;
  /** When the provider had it: what a sync asks by. */
  createdAt: Date;
  /** No transcript has come yet. */
  awaitingTranscript: boolean;
  /** Words of title, summary and participants, for the search. */
  terms: string[];
  /** Place in the lists. */
  order: string;
  /** Run and page that it first came with: what tells new ones from known ones when a page is stored twice. */
  storedBy: string;
}

const meetingSchema = new Schema<MeetingDoc>(
  {
    _id: { type: String, required: true },
    customerId: { type: Number, required: true },
    recorderMeetingId: { type: String, required: true },
    title: { type: String, default: null },
    startedAt: { type: Date, required: true },
    endedAt: { type: Date, default: null },
    participantsJson: { type: Schema.Types.Mixed, required: true },
    summaryText: { type: String, default: null },
    sentimentScore: { type: Schema.Types.Mixed, default: null },
    createdAt: { type: Date, required: true },
    awaitingTranscript: { type: Boolean, required: true },
    terms: { type: [String], required: true },
    order: { type: String, required: true },
    storedBy: { type: String, required: true },
  },
  { ...strict, collection: 'meetings' },
);
meetingSchema.index({ customerId: 1, order: -1 });
meetingSchema.index({ customerId: 1, terms: 1, order: -1 });
meetingSchema.index(
  { customerId: 1, createdAt: 1 },
  { partialFilterExpression: { awaitingTranscript: true }, name: 'awaiting' },
);

export const meetingModel = (connection: Connection): Model<MeetingDoc> =>
  connection.model<MeetingDoc>('Meeting', meetingSchema);

/** What was said in a meeting. It is apart from the meeting, so that lists do not read it. */
export interface TranscriptDoc extends OfMeeting {
  /** The segments as JSON: one text costs half of what tens of thousands of values a page would, here and there. */
  transcriptJson: string;
}

const transcriptSchema = new Schema<TranscriptDoc>(
  {
    _id: { type: String, required: true },
    customerId: { type: Number, required: true },
    transcriptJson: { type: String, required: true },
  },
  { ...strict, collection: 'meetingTranscripts' },
);

export const transcriptModel = (connection: Connection): Model<TranscriptDoc> =>
  connection.model<TranscriptDoc>('MeetingTranscript', transcriptSchema);

export interface ActivityDoc extends OfMeeting, MeetingActivity {
  /** Place in the lists. */
  order: string;
}

const activitySchema = new Schema<ActivityDoc>(
  {
    _id: { type: String, required: true },
    customerId: { type: Number, required: true },
    externalId: { type: String, required: true },
    type: { type: String, required: true },
    channel: { type: String, required: true },
    occurredAt: { type: Date, required: true },
    personExternalId: { type: String, default: null },
    properties: { type: Schema.Types.Mixed, required: true } as unknown as Record<string, PropertyValue>,
    order: { type: String, required: true },
  },
  { ...strict, collection: 'meetingActivities' },
);
activitySchema.index({ customerId: 1, order: -1 });
activitySchema.index({ customerId: 1, personExternalId: 1, order: -1 });

export const activityModel = (connection: Connection): Model<ActivityDoc> =>
  connection.model<ActivityDoc>('MeetingActivity', activitySchema);
