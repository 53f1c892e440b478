import { MAX_ATTEMPTS } from '../../../shared/delivery-attempts.ts';
import { INLINE_ATTEMPTS, nextAttemptAt, type RetryPolicy } from './retry-policy.ts';

/**
 * The state machine of a delivery (specification, "Webhook delivery attempts"; contract 5 and 6): every transition is
 * a pure function that returns an outcome. `state-updates.ts` turns outcomes into database updates.
 */

/** `pending` and `retrying` have an attempt due or in flight; the others are terminal. */
export const DELIVERY_STATUSES = ['pending', 'succeeded', 'retrying', 'failed', 'cancelled'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Statuses of a delivery with an attempt due or in flight. */
export const OPEN_STATUSES = ['pending', 'retrying'] as const satisfies DeliveryStatus[];

/** Error code of a delivery that failed without an attempt, because its stored payload was modified or moved. */
export const PAYLOAD_UNREADABLE = 'payload_unreadable';

/** Queues of due deliveries: first attempts never wait behind a backlog of retries. */
export const LANES = ['inline', 'scheduled'] as const;
export type Lane = (typeof LANES)[number];

/** Where a delivery waits: in a queue, or outside of them until the earlier deliveries of its conversation have ended. */
export const PLACES = [...LANES, 'held'] as const;
export type Place = (typeof PLACES)[number];

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
  lane: Place;
  /** Null if no attempt is due. */
  dueAt: Date | null;
  leased: boolean;
  /** Null unless a resend is due or in flight. */
  manual: ManualAttempt | null;
}

/** The part of a claimed delivery that the transitions depend on. */
interface Claimed extends Pick<DeliveryState, 'attempt' | 'manual'> {
  /** True if the claim probes the endpoint: its attempt counts only if it succeeds. */
  isProbe?: boolean | undefined;
}

/** Deliveries that a transition applies to; an absent field matches every value. */
export interface StatePattern {
  statuses?: readonly DeliveryStatus[];
  attempt?: number;
  leased?: boolean;
  /** True if a resend is due or in flight. */
  manual?: boolean;
  held?: boolean;
}

/** Deliveries whose first attempt has not begun. */
export const UNSTARTED = {
  statuses: ['pending'],
  attempt: 0,
  leased: false,
  manual: false,
  held: false,
} as const satisfies StatePattern;
/** Deliveries that are held back until they are the next of their conversation. */
export const HELD = { statuses: OPEN_STATUSES, held: true } as const satisfies StatePattern;
/** Deliveries that are cancelled at once when their endpoint is disabled or deleted. */
export const CANCELLABLE = { statuses: OPEN_STATUSES, leased: false } as const satisfies StatePattern;
/** Statuses of the deliveries that a replay can send again. */
export const TERMINAL_STATUSES = ['succeeded', 'failed', 'cancelled'] as const satisfies DeliveryStatus[];
/** Terminal deliveries whose resend is cancelled at once with the backlog of their endpoint. */
export const WITH_CANCELLABLE_RESEND = {
  statuses: TERMINAL_STATUSES,
  leased: false,
  manual: true,
} as const satisfies StatePattern;
/** Deliveries that a client may resend. */
export const RESENDABLE = { leased: false, manual: false } as const satisfies StatePattern;
/** Deliveries whose scheduled retry can be made due at once. */
export const HASTENABLE = {
  statuses: ['retrying'],
  leased: false,
  manual: false,
} as const satisfies StatePattern;
/** Deliveries that a recovery sends again. */
export const RECOVERABLE = {
  statuses: ['failed', 'cancelled'],
  leased: false,
} as const satisfies StatePattern;

/** Returns whether a delivery matches the pattern; `stateFilter` is the same as a database filter. */
export const matches = (state: DeliveryState, pattern: StatePattern): boolean =>
  (pattern.statuses?.includes(state.status) ?? true) &&
  (pattern.attempt ?? state.attempt) === state.attempt &&
  (pattern.leased ?? state.leased) === state.leased &&
  (pattern.manual ?? state.manual !== null) === (state.manual !== null) &&
  (pattern.held ?? state.lane === 'held') === (state.lane === 'held');

/** What a receiver asks for by the response header `webhook-delivery` (contract 6). */
export type DeliveryControl =
  /** Disable the endpoint, as a 410 does. */
  | 'disable'
  /** No further attempts of this delivery. */
  | 'stop';

/** Result of one attempt. */
export interface AttemptResult {
  at: Date;
  responseStatus: number | null;
  /** First 1 KiB of the response body; null if there was no response. */
  responseBody: string | null;
  /** Headers of the response, masked, a line each; null if there was none, absent in attempts of earlier builds. */
  responseHeaders?: string | null;
  /** Names of the headers that the endpoint's settings added to the request; absent if there were none. */
  customHeaders?: string[];
  /** Null after a success, else the short code of the failure. */
  error: string | null;
  durationMs: number;
  /** Value of the response's `Retry-After` header. */
  retryAfter: string | undefined;
  control?: DeliveryControl | undefined;
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
  /** The resend or the probe begins, outside the count of attempts. */
  | { outcome: 'begin_uncounted' }
  /** The process of the last attempt died: the delivery fails without another one. */
  | { outcome: 'exhausted' };

export type SettleOutcome =
  /** `attempt`: of a probe, which counts now. */
  | { outcome: 'succeeded'; attempt?: number }
  /** `endedByReceiver`: the receiver wants no further attempt. Otherwise the attempts are exhausted. */
  | { outcome: 'failed'; endedByReceiver?: true }
  /** The next attempt follows at once, in the same process. */
  | { outcome: 'attempt_again'; attempt: number }
  | { outcome: 'retry'; at: Date }
  /** A failed probe: the delivery is due as before. */
  | { outcome: 'stay_due' }
  /** A failed resend: the earlier schedule stands. */
  | { outcome: 'resume'; at: Date; lane: Lane }
  /** A failed resend of a terminal delivery: its status stands. */
  | { outcome: 'stay_terminal' }
  /** The endpoint was disabled while the attempt was in flight. */
  | { outcome: 'cancelled' };

/** A claimed delivery whose attempt was not begun returns to the queue. */
export type ReleaseOutcome = { outcome: 'released'; attempt: number } | { outcome: 'released_uncounted' };

/** A delivery returns to the queue although its attempt has begun. */
export interface AbandonOutcome {
  outcome: 'abandoned';
}

/** A due delivery leaves its queue, because an earlier one of its conversation is open. */
export interface HoldOutcome {
  outcome: 'held';
  lane: 'held';
}

/** A held delivery returns to its queue. */
export interface ResumeOutcome {
  outcome: 'resumed';
  lane: Lane;
}

interface Cancelled {
  outcome: 'cancelled';
}

/** Only the resend is cancelled: the delivery was terminal before it, and stays so. */
interface StayTerminal {
  outcome: 'stay_terminal';
}

export type CancelOutcome = Cancelled | StayTerminal;

export type DiscardOutcome = { outcome: 'failed' } | StayTerminal;

/** The resend is due; `resumeAt` as in `ManualAttempt`. */
export interface DueResend {
  outcome: 'due_manual';
  resumeAt: Date | null;
  dueAt: Date;
}

export type ResendOutcome =
  | DueResend
  /** An attempt is due at once or in flight. */
  | { outcome: 'conflict' };

/** The next scheduled attempt is due at once. */
export interface HastenOutcome {
  outcome: 'hastened';
}

/** The delivery starts again from its first attempt. */
export interface RecoverOutcome {
  outcome: 'requeued';
  attempt: number;
  lane: Lane;
}

interface AcceptOptions {
  endpointEnabled: boolean;
  /** True if this process has reserved a slot for the first attempt. */
  slotReserved: boolean;
}

/** Accepts a new delivery. */
export function accept({ endpointEnabled, slotReserved }: AcceptOptions): AcceptOutcome {
  if (!endpointEnabled) return { outcome: 'cancelled' };
  return slotReserved ? { outcome: 'leased', attempt: 1 } : { outcome: 'due' };
}

/** True if the last scheduled attempt of a due delivery was interrupted: a claim fails it. */
export const isInterrupted = ({
  attempt,
  manual,
}: {
  attempt: number;
  manual?: ManualAttempt | null;
}): boolean => !manual && attempt >= MAX_ATTEMPTS;

/** Claims a due delivery. */
export function claim({ attempt, manual, isProbe }: Claimed): ClaimOutcome {
  if (manual) return { outcome: 'begin_uncounted' };
  if (isInterrupted({ attempt, manual })) return { outcome: 'exhausted' };
  return isProbe ? { outcome: 'begin_uncounted' } : { outcome: 'begin', attempt: attempt + 1 };
}

/** True if the receiver wants no more events: 410 Gone (RFC 9110 section 15.5.11), or its header says so. */
export const isGone = ({
  responseStatus,
  control,
}: Pick<AttemptResult, 'responseStatus' | 'control'>): boolean =>
  responseStatus === 410 || control === 'disable';

interface SettleContext {
  now: Date;
  policy: RetryPolicy;
  /** True if the endpoint's address or secret has changed since the attempt: its result says nothing about the new one. */
  targetReplaced?: boolean;
}

/** Settles a delivery whose attempt has ended. @param delivery as claimed: `attempt` is the number of that attempt */
export function settle(
  { attempt, manual, isProbe }: Claimed,
  result: AttemptResult,
  { now, policy, targetReplaced = false }: SettleContext,
): SettleOutcome {
  if (result.error === null)
    return { outcome: 'succeeded', ...(isProbe && !manual && { attempt: attempt + 1 }) };
  const isStopped = result.control === 'stop' && !targetReplaced;
  if (manual) {
    if (manual.resumeAt === null) return { outcome: 'stay_terminal' };
    if (isStopped) return { outcome: 'failed', endedByReceiver: true };
    return { outcome: 'resume', at: manual.resumeAt, lane: laneOf(attempt) };
  }
  if (isStopped || (isGone(result) && !targetReplaced)) return { outcome: 'failed', endedByReceiver: true };
  if (isProbe) return { outcome: 'stay_due' };
  const at = nextAttemptAt({ ...result, attempt }, now, policy);
  if (at === null) return { outcome: 'failed' };
  return attempt < INLINE_ATTEMPTS
    ? { outcome: 'attempt_again', attempt: attempt + 1 }
    : { outcome: 'retry', at };
}

/** True if a delivery has failed with the last of its scheduled attempts. */
export const isExhausted = (settled: SettleOutcome): boolean =>
  settled.outcome === 'failed' && settled.endedByReceiver !== true;

/** Cancels the next attempt: the endpoint was disabled or deleted while the attempt was in flight. */
export const withoutRetry = (settled: SettleOutcome): SettleOutcome =>
  hasNextAttempt(settled) ? { outcome: 'cancelled' } : settled;

/** True if a further attempt follows the outcome. */
export const hasNextAttempt = ({ outcome }: SettleOutcome): boolean =>
  ['attempt_again', 'retry', 'stay_due', 'resume'].includes(outcome);

/** Releases a claimed delivery before its attempt begins; the attempt is not counted. @param delivery as claimed */
export const release = ({ attempt, manual, isProbe }: Claimed): ReleaseOutcome =>
  manual || isProbe ? { outcome: 'released_uncounted' } : { outcome: 'released', attempt: attempt - 1 };

/** Abandons an attempt in flight, because its process stops; the attempt is counted. */
export const abandon = (): AbandonOutcome => ({ outcome: 'abandoned' });

/** Holds back a delivery that is not the next of its conversation. */
export const hold = (): HoldOutcome => ({ outcome: 'held', lane: 'held' });

/** Makes a held delivery due again, in its former place. */
export const unhold = ({ attempt }: Pick<DeliveryState, 'attempt'>): ResumeOutcome => ({
  outcome: 'resumed',
  lane: laneOf(attempt),
});

/** Cancels a claimed delivery whose endpoint is disabled or deleted, or whose event is removed. */
export const cancel = ({ manual }: Pick<DeliveryState, 'manual'>): CancelOutcome =>
  manual?.resumeAt === null ? { outcome: 'stay_terminal' } : cancelUnclaimed();

/** Fails a claimed delivery without an attempt: its stored payload was modified or moved. */
export const discard = ({ manual }: Pick<DeliveryState, 'manual'>): DiscardOutcome => ({
  outcome: manual?.resumeAt === null ? 'stay_terminal' : 'failed',
});

/** Cancels a delivery that matches `CANCELLABLE`. */
export const cancelUnclaimed = (): Cancelled => ({ outcome: 'cancelled' });

/** Resends a delivery, which may be terminal: one more attempt is due at once. A delivery that is due keeps its place. */
export function resend(delivery: DeliveryState, now: Date): ResendOutcome {
  if (!matches(delivery, RESENDABLE)) return { outcome: 'conflict' };
  const resumeAt = delivery.dueAt;
  return { outcome: 'due_manual', resumeAt, dueAt: resumeAt && resumeAt < now ? resumeAt : now };
}

/** Makes the next scheduled attempt of a delivery that matches `HASTENABLE` due at once; the number of attempts stays. */
export const hasten = (): HastenOutcome => ({ outcome: 'hastened' });

/** Recovers or replays a terminal delivery: it is sent again from its first attempt. */
export const recover = (): RecoverOutcome => ({ outcome: 'requeued', attempt: 0, lane: 'scheduled' });

/** Returns the lane in which a delivery waits after this number of attempts. */
const laneOf = (attempt: number): Lane => (attempt < INLINE_ATTEMPTS ? 'inline' : 'scheduled');
