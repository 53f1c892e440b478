import { hash } from 'node:crypto';
import { Types } from 'mongoose';
import { orderOf } from '../../../platform/mongo/time-order.ts';
import { propertyOf } from '../mapping/mapping-validation.ts';
import { mappedValue } from '../mapping/source-fields.ts';
import type { FieldMapping, Owner, PropertyValue } from '../meetings.types.ts';
import type { ProviderMeeting } from '../provider/provider.types.ts';
import { termsOf } from '../search/search-terms.ts';
import type { ActivityDoc, MeetingDoc, TranscriptDoc } from './meetings.model.ts';

/** Longest mapped value of an activity in characters; the meeting itself keeps the full text. */
const MAX_VALUE_LENGTH = 4_096;
const MAX_PERSON_LENGTH = 500;

/** The three documents of a meeting, each read by queries of its own. */
export interface MeetingRecords {
  meeting: Omit<MeetingDoc, 'storedBy' | 'writtenBy' | 'indexedAs'> & {
    contentHash: string;
    recordHash: string;
  };
  /** Null until the provider sends one. */
  transcript: TranscriptDoc | null;
  activity: ActivityDoc;
}

export const keyOf = ({ customerId }: Owner, recorderMeetingId: string): string =>
  `${customerId}:${recorderMeetingId}`;

const truncate = (value: PropertyValue, length: number): PropertyValue =>
  typeof value === 'string' && value.length > length ? value.slice(0, length).toWellFormed() : value;

/** Builds the activity by the tenant's mapping. */
function toActivity(
  owner: Owner,
  meeting: ProviderMeeting,
  { mapping, orderId }: { mapping: readonly FieldMapping[]; orderId: Types.ObjectId },
): ActivityDoc {
  const valueFor = (target: string): PropertyValue => {
    const field = mapping.find(({ targetField }) => targetField === target);
    return field ? mappedValue(field, meeting) : null;
  };
  const occurredAt = new Date(valueFor('occurredAt') ?? meeting.createdAt);
  const person = truncate(valueFor('personExternalId'), MAX_PERSON_LENGTH);
  const mapped = mapping.flatMap((field) => {
    const property = propertyOf(field.targetField);
    return property === null ? [] : [[property, truncate(mappedValue(field, meeting), MAX_VALUE_LENGTH)]];
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
    order: orderOf(occurredAt, orderId),
  };
}

/** Builds the documents of a meeting. */
export function toRecords(
  owner: Owner,
  meeting: ProviderMeeting,
  mapping: readonly FieldMapping[],
): MeetingRecords {
  const { id, title, startedAt, durationSeconds, participants, summary, transcript } = meeting;
  const key = { _id: keyOf(owner, id), customerId: owner.customerId };
  // Derived from the meeting's id, so that every sync gives the meeting the same position.
  const orderId = new Types.ObjectId(hash('sha256', id).slice(0, 24));
  const transcriptJson = transcript.length === 0 ? null : JSON.stringify(transcript);
  const searchable = JSON.stringify([title, startedAt, participants, summary]);
  const contentHash = hash('sha256', searchable + (transcriptJson ?? ''));
  const activity = toActivity(owner, meeting, { mapping, orderId });
  const { createdAt, warnings, record } = meeting;
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
      createdAt,
      awaitingTranscript: transcript.length === 0,
      warnings,
      terms: termsOf([title, ...participants.flatMap(({ name, email }) => [name, email]), summary]),
      contentHash,
      recordHash: hash(
        'sha256',
        JSON.stringify([contentHash, createdAt, durationSeconds, warnings, activity, record]),
      ),
      order: orderOf(startedAt, orderId),
    },
    transcript: transcriptJson === null ? null : { ...key, transcriptJson },
    activity,
  };
}
