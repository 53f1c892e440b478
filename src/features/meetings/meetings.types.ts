import type { ErrorCode } from '../../errors/error-codes.ts';
import type { Transform } from '../../shared/field-mapping.ts';

export const CONNECTION_STATUSES = ['connected', 'key_invalid', 'failing'] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

/** A tenant's connection to the meeting provider, without the API key. */
export interface RecorderConnection {
  status: ConnectionStatus;
  connectedAt: Date;
  /** Start of the last successful sync; null before the first success. */
  lastSyncAt: Date | null;
  /** Start of the next scheduled sync; null if none is scheduled. */
  nextSyncAt: Date | null;
}

/** Where a tenant's provider sends its webhooks. The signing secret is never returned. */
export interface RecorderWebhook {
  /** Path below the address of this service; null for a connection of an earlier version until the token is rotated. */
  path: string | null;
  /** True once the provider's signing secret is set; until then, every webhook is refused. */
  hasSecret: boolean;
}

export const SYNC_STATUSES = ['running', 'paused', 'succeeded', 'failed', 'cancelled'] as const;
export type SyncStatus = (typeof SYNC_STATUSES)[number];
/** Status of a sync that has ended. */
export type FinalSyncStatus = Exclude<SyncStatus, 'running' | 'paused'>;

/**
 * What a sync fetches. `incremental`: meetings since the last successful sync. `range`: meetings in a chosen time range.
 * `full`: all meetings. `comparison`: meetings of the last 90 days, to find deletions at the provider.
 */
export const SYNC_SCOPES = ['incremental', 'range', 'full', 'comparison'] as const;
export type SyncScope = (typeof SYNC_SCOPES)[number];

export interface SyncCounts {
  pages: number;
  /** Meetings on the stored pages, including the rejected ones. */
  fetched: number;
  /** New meetings. */
  stored: number;
  /** Meetings that were already stored. */
  updated: number;
  /** Updated meetings with unchanged content, which cost no write. */
  unchanged: number;
  /** Meetings without a usable id or creation time, which are not stored. */
  rejected: number;
  /** Meetings that are not stored: outside of the chosen time range, beyond the limit, and suppressed ones. */
  skipped: number;
  /** Meetings with suppressed people, which are stored without them, and suppressed meetings. */
  suppressed: number;
  /** Malformed fields of stored meetings. */
  warnings: number;
  /** Responses with HTTP 429. */
  rateLimited: number;
}

/** A malformed field of a meeting: it is stored as null, or left out of its list. The warning never quotes the value. */
export interface MeetingWarning {
  /** Path within the provider's JSON of the meeting, such as `participants[2].email`. */
  path: string;
  reason: string;
}

/** A malformed field, with the provider's id of its meeting. */
export interface SyncWarning extends MeetingWarning {
  meeting: string;
}

/** Order of the provider's list by creation time, observed on the pages read so far. */
export type ListingOrder = 'unknown' | 'newest_first' | 'oldest_first' | 'unordered';

/** How far a sync has read the provider's list; its remaining time is estimated from this. */
export interface SyncPosition {
  /** Time spent on the stored pages, including waits for the provider. */
  activeMs: number;
  /** Creation times of the oldest and the newest meeting read; null before the first one. */
  oldest: Date | null;
  newest: Date | null;
  order: ListingOrder;
}

/** Counts of a sync, its first warnings and its position. */
export interface SyncProgress extends SyncCounts {
  warningDetails: SyncWarning[];
  position: SyncPosition;
}

export interface SyncEstimate {
  /** Creation time of the oldest meeting read; null before the first one. */
  oldestMeetingAt: Date | null;
  /** Null before the first stored page. */
  meetingsPerMinute: number | null;
  /** Null while unknown, and after the end. */
  estimatedRemainingSeconds: number | null;
}

export interface SyncFailure {
  code: ErrorCode;
  message: string;
}

/** A sync, as clients see it. */
export interface MeetingSyncRun extends Omit<SyncProgress, 'position'>, SyncEstimate {
  id: string;
  status: SyncStatus;
  scope: SyncScope;
  /** Start of the fetched time range. */
  since: Date;
  /** End of the chosen time range, exclusive; null if it has none. */
  until: Date | null;
  startedAt: Date;
  /** End of the sync; null while it runs. */
  finishedAt: Date | null;
  /** Cause of the failure; null unless the sync failed. */
  error: SyncFailure | null;
}

export const SYNC_LOG_TYPES = [
  'started',
  'claimed',
  'page',
  'wait',
  'rate_limited',
  'attempt_failed',
  'warnings',
  'rejections',
  'recounted',
  'deletions',
  'deletions_refused',
  'paused',
  'resumed',
] as const;
export type SyncLogType = (typeof SYNC_LOG_TYPES)[number];

/** An entry of the log of a sync. It contains no keys, persons or transcripts. */
export interface SyncLogEntry {
  at: Date;
  type: SyncLogType;
  /** Page number; null if the entry is not about a page. */
  page: number | null;
  /** Meetings, warnings or rejections of the page; null for other types. */
  count: number | null;
  /** Duration of a page or of a wait in milliseconds; null for other types. */
  durationMs: number | null;
  /** Reason in English; null if the type says it all. */
  detail: string | null;
}

export interface Participant {
  name: string;
  /** Null if the provider reports none. */
  email: string | null;
  /** `host`, `guest` or any other value of the provider; null if the provider reports none. */
  role: string | null;
}

export interface TranscriptSegment {
  /** Null if the provider does not identify the speaker. */
  speaker: string | null;
  text: string;
  /** Seconds from the meeting's start; null if unknown. */
  startTime: number | null;
  endTime: number | null;
}

/** A meeting without its transcript, which is read separately. */
export interface Meeting {
  recorderMeetingId: string;
  title: string | null;
  startedAt: Date;
  /** `startedAt` plus the duration; null if the provider reports no duration. */
  endedAt: Date | null;
  participantsJson: Participant[];
  summaryText: string | null;
  /** Always null until a later phase. */
  sentimentScore: string | null;
  /** Time at which the service stored the meeting first; null if an earlier version did. */
  storedAt: Date | null;
  /** Time at which the meeting was found deleted at the provider; null unless it was. */
  deletedAt: Date | null;
  /** The first malformed fields that the last sync of the meeting found. */
  warnings: MeetingWarning[];
}

/** The lean form of a meeting, for scoring queries. */
export interface MeetingActivity {
  /** `recorder_` and the provider's meeting id. */
  externalId: string;
  type: 'meeting_recorded';
  channel: 'video';
  occurredAt: Date;
  /** Null if no participant has an email address. */
  personExternalId: string | null;
  properties: Record<string, PropertyValue>;
}

export type PropertyValue = string | number | boolean | null;

/** Maps one field of a provider's meeting to one field of its activity. */
export interface FieldMapping {
  /** A JSON pointer, or the name that stands for one. */
  sourceField: string;
  targetField: string;
  transform: Transform;
  /** True for targets that every activity has. */
  required: boolean;
}

export interface VersionedMapping {
  /** Increases with each change; 0 for the default, and for a mapping that an earlier version of the service stored. */
  version: number;
  fields: readonly FieldMapping[];
}

/** A field of a candidate mapping, applied to a meeting. */
export interface FieldMappingPreviewField extends FieldMapping {
  value: PropertyValue;
  /** Reasons in English, without the value. */
  warnings: string[];
}

/** The activity that a candidate mapping would build. */
export interface FieldMappingPreview {
  recorderMeetingId: string;
  /** True if the provider's record of the meeting is stored: pointers into it have no value otherwise. */
  hasRecord: boolean;
  fields: FieldMappingPreviewField[];
  activity: MeetingActivity;
}

export const REPROJECTION_STATUSES = ['running', 'succeeded', 'failed'] as const;
export type ReprojectionStatus = (typeof REPROJECTION_STATUSES)[number];

/** Progress of building all activities again by the current mapping. */
export interface ActivityReprojection {
  mappingVersion: number;
  status: ReprojectionStatus;
  /** Activities that an older mapping built when it was replaced; null until they are counted. */
  total: number | null;
  done: number;
  /** Activities built without values for JSON pointers, because the provider's record is not stored. */
  withoutRecord: number;
  /** Activities left unchanged, because their meeting is not stored. */
  skipped: number;
  startedAt: Date;
  /** Null while it is running. */
  finishedAt: Date | null;
  /** Null before the first batch. */
  activitiesPerMinute: number | null;
  /** Null before the first batch, and after the end. */
  estimatedRemainingSeconds: number | null;
}

/** Called for all tenants, for metrics. */
export interface SyncObserver {
  onSyncRun(run: { status: FinalSyncStatus }): void;
  onSyncPage(page: Pick<SyncCounts, 'fetched' | 'stored' | 'updated' | 'rejected'>): void;
}
