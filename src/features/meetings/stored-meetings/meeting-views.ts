import type { MappableMeeting } from '../mapping/source-fields.ts';
import type { Meeting, MeetingActivity } from '../meetings.types.ts';
import type { ActivityDoc, MeetingDoc } from './meetings.model.ts';
import type { StoredMeeting } from './meetings.store.ts';

export const toMeeting = ({
  recorderMeetingId,
  title,
  startedAt,
  endedAt,
  participantsJson,
  summaryText,
  sentimentScore,
  storedAt,
  deletedAt = null,
  warnings = [],
}: StoredMeeting): Meeting => ({
  recorderMeetingId,
  title,
  startedAt,
  endedAt,
  participantsJson,
  summaryText,
  sentimentScore,
  storedAt: storedAt ?? null,
  deletedAt,
  warnings,
});

export const toActivityView = ({
  externalId,
  type,
  channel,
  occurredAt,
  personExternalId,
  properties,
}: ActivityDoc): MeetingActivity => ({
  externalId,
  type,
  channel,
  occurredAt,
  personExternalId,
  properties,
});

export type MappedFields = Pick<
  MeetingDoc,
  'recorderMeetingId' | 'title' | 'startedAt' | 'endedAt' | 'createdAt' | 'participantsJson' | 'summaryText'
>;

export const toMappable = (
  { recorderMeetingId, title, startedAt, endedAt, createdAt, participantsJson, summaryText }: MappedFields,
  record: unknown,
): MappableMeeting => ({
  id: recorderMeetingId,
  title,
  createdAt,
  startedAt,
  durationSeconds: endedAt && (endedAt.getTime() - startedAt.getTime()) / 1_000,
  participants: participantsJson,
  summary: summaryText,
  record,
});
