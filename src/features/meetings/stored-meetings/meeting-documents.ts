import { createHash, hash } from 'node:crypto';
import { Types } from 'mongoose';
import { orderOf } from '../../../platform/mongo/time-order.ts';
import type { TenantRef } from '../../../platform/tenant-ref.ts';
import type { Suppressor } from '../../privacy/suppressor.ts';
import { mapField } from '../mapping/field-mapper.ts';
import { propertyOf } from '../mapping/mapping-validation.ts';
import { type MappableMeeting, readsRecord } from '../mapping/source-fields.ts';
import type { PropertyValue, VersionedMapping } from '../meetings.types.ts';
import type { ProviderMeeting } from '../provider/provider.types.ts';
import type { RecordKey, StorableRecord } from '../provider-records/record-codec.ts';
import { withoutSuppressedLink } from './meeting-people.ts';
import { type ActivityDoc, type MeetingDoc, type TranscriptDoc, termsOfMeeting } from './meetings.model.ts';

/** The documents that are stored for a meeting. */
export interface MeetingDocuments {
  meeting: Omit<MeetingDoc, 'storedBy' | 'storedAt' | 'writtenBy' | 'writeOrder' | 'indexedAs'> & {
    contentHash: string;
    recordHash: string;
  };
  /** Null until the provider sends one. */
  transcript: TranscriptDoc | null;
  /** Null if the provider's record cannot be stored. */
  record: StorableRecord | null;
  activity: ActivityDoc;
}

export const keyOf = ({ customerId }: TenantRef, recorderMeetingId: string): string =>
  `${customerId}:${recorderMeetingId}`;

/** Derives an object id from a meeting's id, so that the meeting keeps its position in lists after every sync. */
const orderIdOf = (meetingId: string): Types.ObjectId =>
  new Types.ObjectId(hash('sha256', meetingId).slice(0, 24));

export function toActivity(
  tenant: TenantRef,
  meeting: MappableMeeting,
  { version, fields }: VersionedMapping,
): ActivityDoc {
  const valueFor = (target: string): PropertyValue => {
    const field = fields.find(({ targetField }) => targetField === target);
    return field ? mapField(field, meeting).value : null;
  };
  const occurredAt = new Date(String(valueFor('occurredAt') ?? meeting.createdAt.toISOString()));
  const person = valueFor('personExternalId');
  const mapped = fields.flatMap((field) => {
    const property = propertyOf(field.targetField);
    return property === null ? [] : [[property, mapField(field, meeting).value]];
  });
  return {
    _id: keyOf(tenant, meeting.id),
    customerId: tenant.customerId,
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
    mappingVersion: version,
    order: orderOf(occurredAt, orderIdOf(meeting.id)),
  };
}

interface DocumentOptions {
  mapping: VersionedMapping;
  /** Encrypts the provider's record; null to store none, so that JSON pointers have no value. */
  key: RecordKey | null;
  suppressor?: Suppressor | null;
}

export function toDocuments(
  tenant: TenantRef,
  meeting: ProviderMeeting,
  { mapping, key: recordKey, suppressor = null }: DocumentOptions,
): MeetingDocuments {
  const { id, title, startedAt, durationSeconds, participants, summary, transcriptJson, recordJson } =
    meeting;
  const key = { _id: keyOf(tenant, id), customerId: tenant.customerId };
  const searchable = JSON.stringify([title, startedAt, participants, summary]);
  // Two updates, because a concatenation would copy the transcript.
  const contentHash = createHash('sha256')
    .update(searchable)
    .update(transcriptJson ?? '')
    .digest('hex');
  const record = recordKey && recordJson !== null ? { key: recordKey, json: recordJson } : null;
  const readable = record && readsRecord(mapping.fields) ? JSON.parse(record.json) : undefined;
  const mapped = toActivity(tenant, { ...meeting, record: readable }, mapping);
  const activity = withoutSuppressedLink(mapped, suppressor);
  const { createdAt, warnings } = meeting;
  const people = { title, participantsJson: participants, summaryText: summary };
  // Includes the data key, so that a record under a replaced key is stored again.
  const compared = [contentHash, createdAt, durationSeconds, warnings, activity, record?.key.id];
  return {
    meeting: {
      ...key,
      ...people,
      recorderMeetingId: id,
      startedAt,
      endedAt: durationSeconds === null ? null : new Date(startedAt.getTime() + durationSeconds * 1000),
      sentimentScore: null,
      createdAt,
      awaitingTranscript: transcriptJson === null,
      warnings,
      terms: termsOfMeeting(people),
      contentHash,
      recordHash: hash('sha256', JSON.stringify(compared) + (record?.json ?? '')),
      order: orderOf(startedAt, orderIdOf(id)),
    },
    transcript: transcriptJson === null ? null : { ...key, transcriptJson },
    record,
    activity,
  };
}
