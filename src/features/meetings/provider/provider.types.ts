/** A participant as the provider tells of one. */
export interface ProviderParticipant {
  name: string;
  /** As sent: not lowercased. */
  email: string | null;
  /** `host`, `guest`, or whatever the provider says. */
  role: string | null;
}

export interface ProviderSegment {
  speaker: string | null;
  text: string;
  /** Seconds from the meeting's start. */
  startTime: number | null;
  endTime: number | null;
}

/** A meeting whose known fields are checked; unknown ones are left out. */
export interface ProviderMeeting {
  id: string;
  title: string | null;
  createdAt: Date;
  /** `started_at`, else `created_at`. */
  startedAt: Date;
  durationSeconds: number | null;
  participants: ProviderParticipant[];
  /** Empty: not there yet; the recording is still being processed. */
  transcript: ProviderSegment[];
  summary: string | null;
}

/** A meeting that could not be taken, and why; the reason names fields, never their values. */
export interface RejectedMeeting {
  /** Null when it has no usable one. */
  id: string | null;
  reason: string;
}

/** Where a listing goes on: opaque to all but the client, safe to keep in a checkpoint. */
export interface Continuation {
  kind: 'next' | 'cursor';
  value: string;
}

export interface ProviderPage {
  meetings: ProviderMeeting[];
  rejected: RejectedMeeting[];
  /** Null: this was the last page. */
  next: Continuation | null;
}

/** What to ask for. */
export interface PageRequest {
  since: Date;
  /** Null: the first page. */
  after: Continuation | null;
}

export interface CallOptions {
  /** Ends a wait or a request; the call then rejects with `ProviderError` `cancelled`. */
  signal?: AbortSignal;
  /** Called for each 429, before the wait. */
  onRateLimited?: () => void;
}

/**
 * Why a call to the provider failed for good, after whatever retries it is due.
 * - `key_invalid`: 401; a new key is needed
 * - `rate_limited`: five 429s in a row, or a `Retry-After` of over 15 minutes (`retryAfter` says until when)
 * - `unavailable`: still 5xx, broken or cut short after all retries
 * - `bad_answer`: something that is not what the provider documents
 * - `foreign_next`: a `next` on another origin; it never gets the key
 * - `cancelled`: the caller's signal
 */
export type ProviderErrorCode =
  | 'key_invalid'
  | 'rate_limited'
  | 'unavailable'
  | 'bad_answer'
  | 'foreign_next'
  | 'cancelled';

export class ProviderError extends Error {
  readonly code: ProviderErrorCode;
  /** Not before this time; null: nothing was said. */
  readonly retryAfter: Date | null;

  constructor(code: ProviderErrorCode, message: string, retryAfter: Date | null = null) {
    super(message);
    this.name = 'ProviderError';
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

/** The meeting-recording provider, asked politely: every call is paced by key over all processes, and retried. */
export interface Provider {
  /** `GET /user`: resolves when the key works. @throws ProviderError */
  checkKey(apiKey: string, options?: CallOptions): Promise<void>;
  /** One page of `GET /meetings`. @throws ProviderError */
  meetings(apiKey: string, request: PageRequest, options?: CallOptions): Promise<ProviderPage>;
}
