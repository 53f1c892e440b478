import { INLINE_ATTEMPTS, MAX_ATTEMPTS, nextAttemptAt, type RetryPolicy } from './retry-policy.ts';

/**
 * The state machine of a delivery (specification, "Webhook delivery attempts"; contract 5 and 6): every transition is
 * a pure function that returns an outcome. `delivery-updates.ts` turns outcomes into database updates.
 */

/** `pending` and `retrying` have an attempt due or in flight; the others are terminal. */
export const DELIVERY_STATUSES = ['pending', 'succeeded', 'retrying', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Statuses of a delivery with an attempt due or in flight. */
export const OPEN_STATUSES = ['pending', 'retrying'] as const satisfies DeliveryStatus[];
/** Statuses that a recovery sends again. */
export const RECOVERABLE_STATUSES = ['failed', 'cancelled'] as const satisfies DeliveryStatus[];

/** Queues of due deliveries: first attempts never wait behind a backlog of retries. */
export const LANES = ['inline', 'scheduled'] as const;
export type Lane = (typeof LANES)[number];

/** A resend that is due or in flight, outside the count of attempts. */
export interface ManualAttempt {
  /** Due time of the scheduled attempt that it interrupts; null if the delivery was terminal. */
  resumeAt: Date | null;
}

/** The part of a delivery that the transitions depend on. */
export interface DeliveryState {
  status: DeliveryStatus;
  /** Scheduled attempts begun. */
  attempt: number;
  lane: Lane;
  /** Null if no attempt is due. */
  dueAt: Date | null;
  leased: boolean;
  /** Null unless a resend is due or in flight. */
  manual: ManualAttempt | null;
}

/** Result of one attempt. */
export interface AttemptResult {
  at: Date;
  responseStatus: number | null;
  /** First 1 KiB of the response body; null if there was no response. */
  responseBody: string | null;
  /** Null after a success, else the short code of the failure. */
  error: string | null;
  durationMs: number;
  /** Value of the response's `Retry-After` header. */
  retryAfter: string | undefined;
}

/** State of a delivery when its event is accepted. */
export type AcceptOutcome =
  /** The first attempt starts in this process, under a lease committed with the delivery. */
  | { outcome: 'leased'; attempt: number }
  /** Any process may claim the delivery. */
  | { outcome: 'due' }
  /** The endpoint is disabled. */
  | { outcome: 'cancelled' };

export type ClaimOutcome =
  /** The next scheduled attempt begins. */
  | { outcome: 'begin'; attempt: number }
  /** The resend begins, outside the count of attempts. */
  | { outcome: 'begin_manual' }
  /** The process of the last attempt died: the delivery fails without another one. */
  | { outcome: 'exhausted' };

export type SettleOutcome =
  | { outcome: 'succeeded' }
  | { outcome: 'failed' }
  /** The next attempt follows at once, under the same lease. */
  | { outcome: 'attempt_again'; attempt: number }
  | { outcome: 'retry'; at: Date }
  /** A failed resend: the earlier schedule stands. */
  | { outcome: 'resume'; at: Date; lane: Lane }
  /** A failed resend of a terminal delivery: its status stands. */
  | { outcome: 'stay_terminal' }
  /** The endpoint was disabled while the attempt was in flight. */
  | { outcome: 'cancelled' };

/** A claimed delivery whose attempt was not begun returns to the queue. */
export type ReleaseOutcome = { outcome: 'released'; attempt: number } | { outcome: 'released_manual' };

export type CancelOutcome =
  | { outcome: 'cancelled' }
  /** Only the resend is cancelled: the delivery was terminal before it, and stays so. */
  | { outcome: 'stay_terminal' };

export type ResendOutcome =
  | { outcome: 'due_manual'; resumeAt: Date | null }
  /** An attempt is due at once or in flight. */
  | { outcome: 'conflict' };

export type RecoverOutcome = { outcome: 'requeued' } | { outcome: 'unchanged' };

/** A new delivery. @param hasSlot whether this process can start the first attempt now */
export function accept(endpointEnabled: boolean, hasSlot: () => boolean): AcceptOutcome {
  if (!endpointEnabled) return { outcome: 'cancelled' };
  return hasSlot() ? { outcome: 'leased', attempt: 1 } : { outcome: 'due' };
}

/** A process acquires the lease of a due delivery. */
export function claim({ attempt, manual }: Pick<DeliveryState, 'attempt' | 'manual'>): ClaimOutcome {
  if (manual) return { outcome: 'begin_manual' };
  return attempt < MAX_ATTEMPTS ? { outcome: 'begin', attempt: attempt + 1 } : { outcome: 'exhausted' };
}

/** The receiver does not want this event, nor any other (RFC 9110 section 15.5.11). */
export const isGone = ({ responseStatus }: Pick<AttemptResult, 'responseStatus'>): boolean =>
  responseStatus === 410;

/** An attempt has ended. @param delivery as claimed: `attempt` is the number of the attempt that ended */
export function settle(
  { attempt, manual }: Pick<DeliveryState, 'attempt' | 'manual'>,
  result: AttemptResult,
  now: Date,
  policy: RetryPolicy,
): SettleOutcome {
  if (result.error === null) return { outcome: 'succeeded' };
  if (manual) {
    if (manual.resumeAt === null) return { outcome: 'stay_terminal' };
    return { outcome: 'resume', at: manual.resumeAt, lane: laneOf(attempt) };
  }
  if (isGone(result)) return { outcome: 'failed' };
  const at = nextAttemptAt({ ...result, attempt }, now, policy);
  if (at === null) return { outcome: 'failed' };
  return attempt < INLINE_ATTEMPTS
    ? { outcome: 'attempt_again', attempt: attempt + 1 }
    : { outcome: 'retry', at };
}

/** The endpoint was disabled or deleted while the attempt was in flight: no further attempt is scheduled. */
export const withoutRetry = (settled: SettleOutcome): SettleOutcome =>
  hasNextAttempt(settled) ? { outcome: 'cancelled' } : settled;

/** True if a further attempt follows the outcome. */
export const hasNextAttempt = ({ outcome }: SettleOutcome): boolean =>
  outcome === 'attempt_again' || outcome === 'retry' || outcome === 'resume';

/** The process gives the attempt back before it begins, so it is not counted. @param delivery as claimed */
export const release = ({ attempt, manual }: Pick<DeliveryState, 'attempt' | 'manual'>): ReleaseOutcome =>
  manual ? { outcome: 'released_manual' } : { outcome: 'released', attempt: attempt - 1 };

/** The endpoint is disabled or deleted, or the event is gone, and no attempt is in flight. */
export const cancel = ({ manual }: Pick<DeliveryState, 'manual'>): CancelOutcome =>
  manual?.resumeAt === null ? { outcome: 'stay_terminal' } : { outcome: 'cancelled' };

/** A client asks for one more attempt, of a terminal delivery as well. */
export const resend = ({
  leased,
  manual,
  dueAt,
}: Pick<DeliveryState, 'leased' | 'manual' | 'dueAt'>): ResendOutcome =>
  leased || manual ? { outcome: 'conflict' } : { outcome: 'due_manual', resumeAt: dueAt };

/** A recovery sends the delivery again from the start. */
export const recover = ({ status, leased }: Pick<DeliveryState, 'status' | 'leased'>): RecoverOutcome =>
  !leased && RECOVERABLE_STATUSES.some((recoverable) => recoverable === status)
    ? { outcome: 'requeued' }
    : { outcome: 'unchanged' };

/** Returns the lane in which a delivery waits after so many attempts. */
const laneOf = (attempt: number): Lane => (attempt < INLINE_ATTEMPTS ? 'inline' : 'scheduled');
