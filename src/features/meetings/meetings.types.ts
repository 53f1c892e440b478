import type { ErrorCode } from '../../errors.ts';
import type { Tenant } from '../tenants/tenants.types.ts';

/** Whose something is: all that a sync, which may go on in another process, knows of its tenant. */
export type Owner = Pick<Tenant, 'customerId'>;

export const CONNECTION_STATUSES = ['connected', 'key_invalid', 'failing'] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

/** A tenant's connection to the meeting provider; the key stays inside. */
export interface RecorderConnection {
  status: ConnectionStatus;
  connectedAt: Date;
  /** Start of the last sync that succeeded; null: none has. */
  lastSyncAt: Date | null;
  /** When a sync starts by itself; null: none does. */
  nextSyncAt: Date | null;
}

export const SYNC_STATUSES = ['running', 'succeeded', 'failed', 'cancelled'] as const;
export type SyncStatus = (typeof SYNC_STATUSES)[number];

/** How far a sync has come. */
export interface SyncCounts {
  /** Pages that are stored. */
  pages: number;
  /** Meetings in them, the rejected ones included. */
  fetched: number;
  /** Meetings that were new. */
  stored: number;
  /** Meetings that were there already. */
  updated: number;
  /** Meetings that could not be taken. */
  rejected: number;
  /** How often the provider asked to be left alone for a while (429). */
  rateLimited: number;
}

export interface SyncFailure {
  code: ErrorCode;
  message: string;
}

/** One sync of a tenant's meetings. */
export interface MeetingSyncRun extends SyncCounts {
  id: string;
  status: SyncStatus;
  /** Meetings from then on were asked for. */
  since: Date;
  startedAt: Date;
  finishedAt: Date | null;
  error: SyncFailure | null;
}

export interface Participant {
  name: string;
  email: string | null;
  /** `host`, `guest`, or whatever the provider says. */
  role: string | null;
}

export interface TranscriptSegment {
  speaker: string | null;
  text: string;
  /** Seconds from the meeting's start. */
  startTime: number | null;
  endTime: number | null;
}

/** A meeting with all that is known of it but the transcript, which is read on its own. */
export interface Meeting {
  recorderMeetingId: string;
  title: string | null;
  startedAt: Date;
  /** `startedAt` plus the duration; null: the provider gives none. */
  endedAt: Date | null;
  participantsJson: Participant[];
  summaryText: string | null;
  /** Always null until a later phase. */
  sentimentScore: string | null;
}

/** The lean record of a meeting, for scoring queries. */
export interface MeetingActivity {
  /** `recorder_` and the provider's meeting id. */
  externalId: string;
  type: 'meeting_recorded';
  channel: 'video';
  occurredAt: Date;
  /** Null: no participant has an e-mail address. */
  personExternalId: string | null;
  properties: Record<string, PropertyValue>;
}

export type PropertyValue = string | number | null;

export const TRANSFORMS = ['none', 'lowercase', 'trim'] as const;
export type Transform = (typeof TRANSFORMS)[number];

/** What of a provider's meeting becomes what of its activity. */
export interface FieldMapping {
  sourceField: string;
  targetField: string;
  transform: Transform;
  /** True for what every activity has. */
  required: boolean;
}
