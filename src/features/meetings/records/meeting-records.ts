import { hash } from 'node:crypto';
import { Types } from 'mongoose';
import { orderOf } from '../../../platform/mongo/order.ts';
import { mappedValue, propertyOf } from '../mapping/mapping-rules.ts';
import type { FieldMapping, Owner, PropertyValue } from '../meetings.types.ts';
import type { ProviderMeeting } from '../provider/provider.types.ts';
import type { ActivityDoc, MeetingDoc, TranscriptDoc } from './meetings.model.ts';
import { termsOf } from './search-terms.ts';

/** Characters that a mapped value keeps: activities are lean, and the meeting has the whole of it. */
const MAX_VALUE = 4_096;
const MAX_PERSON = 500;
/** A document may have 16 MB; JSON of what the provider client lets through is larger only when it is all escapes. */
const MAX_TRANSCRIPT_BYTES = 15_000_000;

/** A meeting as it is stored: three documents, each for readers of its own. */
export interface MeetingRecords {
  meeting: Omit<MeetingDoc, 'storedBy'>;
  /** Null: none has come. */
  transcript: TranscriptDoc | null;
  activity: ActivityDoc;
}

export const keyOf = ({ customerId }: Owner, recorderMeetingId: string): string =>
  `${customerId}:${recorderMeetingId}`;

const cut = (value: PropertyValue, length: number): PropertyValue =>
  typeof value === 'string' && value.length > length ? value.slice(0, length).toWellFormed() : value;

/** The lean record, by the tenant's mapping. */
function toActivity(
  owner: Owner,
  meeting: ProviderMeeting,
  place: Types.ObjectId,
  mapping: readonly FieldMapping[],
): ActivityDoc {
  const valueFor = (target: string): PropertyValue => {
    const line = mapping.find(({ targetField }) => targetField === target);
    return line ? mappedValue(line, meeting) : null;
  };
  const occurredAt = new Date(valueFor('occurredAt') ?? meeting.createdAt);
  const person = cut(valueFor('personExternalId'), MAX_PERSON);
  const mapped = mapping.flatMap((line) => {
    const property = propertyOf(line.targetField);
    return property === null ? [] : [[property, cut(mappedValue(line, meeting), MAX_VALUE)]];
  });
  return {
    _id: keyOf(owner, meeting.id),
    customerId: owner.customerId,
    externalId: `recorder_${meeting.id}`,
    type: 'meeting_recorded',
    channel: 'video',
    occurredAt,
    personExternalId: person === null ? null : String(person),
    properties: {
      ...Object.fromEntries(mapped),
      source: 'recorder',
      recorderMeetingId: meeting.id,
      participantCount: meeting.participants.length,
      durationSeconds: meeting.durationSeconds,
    },
    order: orderOf(occurredAt, place),
  };
}

export function toRecords(
  owner: Owner,
  meeting: ProviderMeeting,
  mapping: readonly FieldMapping[],
): MeetingRecords {
  const { id, title, startedAt, durationSeconds, participants, summary, transcript } = meeting;
  const key = { _id: keyOf(owner, id), customerId: owner.customerId };
  // By the meeting's id, so that its place is the same whenever it comes.
  const place = new Types.ObjectId(hash('sha256', id).slice(0, 24));
  return {
    meeting: {
      ...key,
      recorderMeetingId: id,
      title,
      startedAt,
      endedAt: durationSeconds === null ? null : new Date(startedAt.getTime() + durationSeconds * 1000),
      participantsJson: participants,
      summaryText: summary,
      sentimentScore: null,
      createdAt: meeting.createdAt,
      awaitingTranscript: transcript.length === 0,
      terms: termsOf([title, ...participants.flatMap(({ name, email }) => [name, email]), summary]),
      order: orderOf(startedAt, place),
    },
    transcript: transcript.length === 0 ? null : { ...key, transcriptJson: JSON.stringify(transcript) },
    activity: toActivity(owner, meeting, place, mapping),
  };
}

/** Whether a transcript is more than the database takes in one document. */
export const isTooLarge = ({ transcript }: MeetingRecords): boolean =>
  transcript !== null && Buffer.byteLength(transcript.transcriptJson) > MAX_TRANSCRIPT_BYTES;
