import type { Schedule } from '../../../config.ts';
import type { ConnectionDoc } from '../connection/connection.model.ts';
import type { Meeting, MeetingActivity, MeetingSyncRun, RecorderConnection } from '../meetings.types.ts';
import type { SyncRunDoc } from '../sync/sync-runs.model.ts';
import type { ActivityDoc } from './meetings.model.ts';
import type { StoredMeeting } from './meetings.store.ts';

/** @param schedule that of this process: what was planned under another one does not come about without one */
export const toConnection = (
  { status, connectedAt, lastSyncAt, nextSyncAt }: ConnectionDoc,
  schedule: Schedule | null,
): RecorderConnection => ({
  status,
  connectedAt,
  lastSyncAt,
  nextSyncAt: schedule === null ? null : nextSyncAt,
});

export const toRun = ({
  _id,
  customerId: _customerId,
  generation: _generation,
  after: _after,
  lease: _lease,
  claims: _claims,
  ...run
}: SyncRunDoc): MeetingSyncRun => ({ id: _id.toHexString(), ...run });

export const toMeeting = ({
  recorderMeetingId,
  title,
  startedAt,
  endedAt,
  participantsJson,
  summaryText,
  sentimentScore,
}: StoredMeeting): Meeting => ({
  recorderMeetingId,
  title,
  startedAt,
  endedAt,
  participantsJson,
  summaryText,
  sentimentScore,
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
