import type { Meeting, MeetingActivity } from '../meetings.types.ts';
import type { ActivityDoc } from './meetings.model.ts';
import type { StoredMeeting } from './meetings.store.ts';

export const toMeeting = ({
  recorderMeetingId,
  title,
  startedAt,
  endedAt,
  participantsJson,
  summaryText,
  sentimentScore,
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
  deletedAt,
  warnings,
});

export const toActivity = ({
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
