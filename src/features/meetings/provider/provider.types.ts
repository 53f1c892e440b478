import type { MeetingWarning } from '../meetings.types.ts';

/** Characters of a provider key, which is sent in a header: visible ASCII without spaces. */
export const PROVIDER_KEY_PATTERN = /^[\x21-\x7e]*$/;

export interface ProviderParticipant {
  /** Name, or the email address if the name is unknown. */
  name: string;
  /** In the provider's case; null if it sends no address. */
  email: string | null;
  /** `host`, `guest` or another value of the provider; null if it sends none. */
  role: string | null;
}

export interface ProviderSegment {
  /** Null if the provider does not identify the speaker. */
  speaker: string | null;
  text: string;
  /** Seconds from the meeting's start; null if unknown. */
  startTime: number | null;
  endTime: number | null;
}

/** A meeting with validated fields. */
export interface ProviderMeeting {
  id: string;
  title: string | null;
  createdAt: Date;
  /** `started_at`, or `created_at` if the provider sends none. */
  startedAt: Date;
  durationSeconds: number | null;
  participants: ProviderParticipant[];
  /** Encoded by `../transcript-json.ts`, as it is stored; null while the provider processes the recording. */
  transcriptJson: string | null;
  summary: string | null;
  /** Time of the last change at the provider; null if it sends none. */
  updatedAt: Date | null;
  /** The first malformed fields, see `MAX_LISTED_WARNINGS`. */
  warnings: MeetingWarning[];
  /** Number of all malformed fields. */
  warningCount: number;
  /** The provider's JSON of the meeting without the transcript; null if it is too large to store. */
  recordJson: string | null;
}

/** A meeting without a usable id or creation time. The reason names fields, never their values. */
export interface RejectedMeeting {
  /** Null if the id is malformed. */
  id: string | null;
  reason: string;
}

export const NOTICE_TYPES = ['changed', 'deleted'] as const;

/** A change of a meeting that a webhook of the provider reports. */
export interface MeetingNotice {
  type: (typeof NOTICE_TYPES)[number];
  meetingId: string;
  /** Creation time of the meeting; null if the webhook does not contain it. */
  createdAt: Date | null;
}

/** Where the next page of a list is. Only the provider client interprets it; checkpoints store it. */
export interface Continuation {
  type: 'next' | 'cursor';
  value: string;
}

export interface ProviderPage {
  meetings: ProviderMeeting[];
  rejected: RejectedMeeting[];
  /** Null on the last page. */
  next: Continuation | null;
}

export interface PageRequest {
  /** Start of the requested time range. */
  since: Date;
  /** End of the requested time range, exclusive; absent or null for an open range. */
  until?: Date | null;
  /**
   * True to request the meetings changed in the time range, which needs `listsChanges`; absent to request the meetings
   * created in it.
   */
  byChange?: boolean;
  /** Null for the first page. */
  after: Continuation | null;
}

export interface CallOptions {
  /** Aborts a wait or a request; the call then rejects with `ProviderError` `cancelled`. */
  signal?: AbortSignal;
  /** Called when a request is sent; the last call produced the response. */
  onRequest?: () => void;
  /** Called for each 429, before the wait. */
  onRateLimited?: () => void;
  /** Called for each other failed attempt, with a reason like `HTTP 503`. */
  onAttemptFailed?: (reason: string) => void;
  /** Called before a wait between two attempts, and after the pacing has delayed a request by a second or more. */
  onWait?: (wait: ProviderWait) => void;
}

export interface ProviderWait {
  reason: 'pacing' | 'retry_after' | 'backoff';
  durationMs: number;
}

/**
 * Why a call to the provider failed after its retries.
 * - `key_invalid`: HTTP 401; a new key is needed
 * - `rate_limited`: five consecutive 429s, or a `Retry-After` of more than 15 minutes
 * - `unavailable`: still HTTP 5xx, broken or truncated after all retries
 * - `bad_response`: not a response that the provider documents
 * - `too_large`: the response exceeds a bound, which the message names
 * - `foreign_next`: a `next` on another origin, which must not receive the key
 * - `cancelled`: the caller's signal aborted
 */
export type ProviderErrorCode =
  | 'key_invalid'
  | 'rate_limited'
  | 'unavailable'
  | 'bad_response'
  | 'too_large'
  | 'foreign_next'
  | 'cancelled';

export class ProviderError extends Error {
  readonly code: ProviderErrorCode;
  /** When the provider accepts requests again; null if it did not say. */
  readonly retryAfter: Date | null;

  constructor(code: ProviderErrorCode, message: string, options: { retryAfter?: Date | null } = {}) {
    super(message);
    this.name = 'ProviderError';
    this.code = code;
    this.retryAfter = options.retryAfter ?? null;
  }
}

/** A meeting provider. Requests are retried, and paced per API key and endpoint class across all processes. */
export interface Provider {
  /** True if pages are in order of creation, oldest meeting first. */
  listsOldestFirst: boolean;
  /** True if the provider can also list meetings by the time of their last change. */
  listsChanges: boolean;
  /** Resolves when the key is valid. @throws ProviderError */
  checkKey(apiKey: string, options?: CallOptions): Promise<void>;
  /** Returns one page of meetings. @throws ProviderError */
  meetings(apiKey: string, request: PageRequest, options?: CallOptions): Promise<ProviderPage>;
  /**
   * Returns one meeting; null if the provider does not have it, or if it is not on the pages that are read.
   *
   * @throws ProviderError
   */
  meeting(
    apiKey: string,
    meeting: { id: string; createdAt: Date },
    options?: CallOptions,
  ): Promise<ProviderMeeting | null>;
  /** Returns the change that a webhook's body reports; null if it reports none. */
  noticeOf(body: unknown): MeetingNotice | null;
}

/** Called for the requests of all tenants, for metrics. */
export interface ProviderObserver {
  /** `outcome` is a label of low cardinality. */
  onProviderRequest(request: { outcome: string }): void;
}
