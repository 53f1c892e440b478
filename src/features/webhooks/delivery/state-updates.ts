import type { Lease } from '../../../platform/leases/lease.ts';
import type { AcceptedFields, DeliveryDoc } from './delivery.model.ts';
import type { StoredAttempt } from './delivery.types.ts';
import { DELIVERY_LEASE } from './lease.ts';
import {
  type AbandonOutcome,
  type AcceptOutcome,
  type AttemptResult,
  type CancelOutcome,
  type ClaimOutcome,
  type DeliveryState,
  type DeliveryStatus,
  type DiscardOutcome,
  type DueResend,
  type HastenOutcome,
  type HoldOutcome,
  PAYLOAD_UNREADABLE,
  type RecoverOutcome,
  type ReleaseOutcome,
  type ResumeOutcome,
  type SettleOutcome,
  type StatePattern,
} from './state.ts';

/** Number of attempts kept per delivery; only repeated resends and recoveries make more. */
const ATTEMPTS_KEPT = 100;

/** Update of one delivery document. */
export interface DeliveryUpdate {
  $set?: Partial<DeliveryDoc>;
  $unset?: Partial<Record<keyof DeliveryDoc, ''>>;
  /** Records an attempt. */
  $push?: { attempts: { $each: [StoredAttempt]; $slice: number } };
}

const RELEASED = { lease: '', manual: '' } as const;
const TERMINAL = { ...RELEASED, dueAt: '' } as const;

/** Returns the state that the transitions work on; an expired lease is none. */
export const stateOf = (doc: Omit<DeliveryDoc, 'attempts'>, now: Date): DeliveryState => ({
  status: doc.status,
  attempt: doc.attempt,
  lane: doc.lane,
  dueAt: doc.dueAt ?? null,
  leased: doc.lease !== undefined && doc.dueAt !== undefined && doc.dueAt > now,
  manual: doc.manual ?? null,
});

/** Fields of a delivery document that a `StatePattern` depends on. */
interface StateFilter {
  status?: { $in: DeliveryStatus[] };
  attempt?: number;
  lease?: { $exists: boolean };
  $or?: object[];
  manual?: { $exists: boolean };
  lane?: 'held' | { $ne: 'held' };
}

/**
 * Returns the database filter of a pattern.
 *
 * @param now a lease that has expired by then is none: at a closed gate, no claim replaces what a crash has left. By default,
 *   an expired lease is one.
 */
export const stateFilter = (
  { statuses, attempt, leased, manual, held }: StatePattern,
  now?: Date,
): StateFilter => ({
  ...(statuses !== undefined && { status: { $in: [...statuses] } }),
  ...(attempt !== undefined && { attempt }),
  ...(leased === false && now
    ? { $or: [{ lease: { $exists: false } }, DELIVERY_LEASE.expired(now)] }
    : leased !== undefined && { lease: { $exists: leased } }),
  ...(manual !== undefined && { manual: { $exists: manual } }),
  ...(held !== undefined && { lane: held ? 'held' : { $ne: 'held' } }),
});

/** Returns the fields of a new delivery that any process may claim. */
export const dueFields = (now: Date): AcceptedFields => ({
  status: 'pending',
  attempt: 0,
  lane: 'inline',
  dueAt: now,
});

/** Returns the fields of a new delivery. @param lease of this process, for a delivery that starts here */
export function acceptedFields(accepted: AcceptOutcome, now: Date, lease: Lease): AcceptedFields {
  const lane = 'inline';
  switch (accepted.outcome) {
    case 'leased':
      return { status: 'pending', attempt: accepted.attempt, lane, ...DELIVERY_LEASE.acquire(lease) };
    case 'due':
      return dueFields(now);
    case 'cancelled':
      return { status: 'cancelled', attempt: 0, lane, finishedAt: now };
  }
}

interface ClaimOptions {
  /** True if an attempt of the delivery has recorded its error. */
  hasError: boolean;
  now: Date;
  lease: Lease;
}

export function claimUpdate(claimed: ClaimOutcome, { hasError, now, lease }: ClaimOptions): DeliveryUpdate {
  switch (claimed.outcome) {
    case 'begin':
      return {
        $set: {
          ...DELIVERY_LEASE.acquire(lease),
          attempt: claimed.attempt,
          ...(claimed.attempt > 1
            ? { status: 'retrying', nextRetryAt: lease.expiresAt }
            : hasError && { nextRetryAt: null }),
        },
      };
    case 'begin_uncounted':
      return { $set: DELIVERY_LEASE.acquire(lease) };
    case 'exhausted':
      return {
        $set: {
          status: 'failed',
          ...(!hasError && { error: 'interrupted' }),
          nextRetryAt: null,
          finishedAt: now,
        },
        $unset: TERMINAL,
      };
  }
}

/** Returns the update that prolongs the lease of an attempt which is about to begin. */
export const renewalUpdate = (
  { attempt, manual, isProbe }: Pick<DeliveryDoc, 'attempt' | 'manual'> & { isProbe?: boolean },
  lease: Lease,
): DeliveryUpdate => ({
  $set: {
    ...DELIVERY_LEASE.acquire(lease),
    ...(attempt > 1 && !manual && !isProbe && { nextRetryAt: lease.expiresAt }),
  },
});

interface SettleOptions {
  result: AttemptResult;
  /** True if the attempt was a resend. */
  manual: boolean;
  /** Due time of the delivery before a probe; absent unless the attempt was one. */
  probedDueAt?: Date | undefined;
  /** As in `StoredAttempt`. */
  request: number;
  now: Date;
  /** Lease of an attempt that follows at once, with a token of its own: repeating the update matches nothing. */
  lease: Lease;
}

export function settleUpdate(
  settled: SettleOutcome,
  { result, manual, probedDueAt, request, now, lease }: SettleOptions,
): DeliveryUpdate {
  const { retryAfter: _retryAfter, control: _control, ...made } = result;
  const last = {
    lastAttemptAt: result.at,
    responseStatus: result.responseStatus,
    error: result.error,
    durationMs: result.durationMs,
  };
  const $push: DeliveryUpdate['$push'] = {
    attempts: {
      $each: [{ ...made, manual, ...(probedDueAt && { probe: true }), request }],
      $slice: -ATTEMPTS_KEPT,
    },
  };
  switch (settled.outcome) {
    case 'succeeded':
    case 'failed':
    case 'cancelled':
      return {
        $set: {
          ...last,
          status: settled.outcome,
          ...(settled.outcome === 'succeeded' && settled.attempt && { attempt: settled.attempt }),
          ...(settled.outcome === 'failed' && settled.endedByReceiver && { endedByReceiver: true }),
          nextRetryAt: null,
          finishedAt: now,
        },
        $unset: TERMINAL,
        $push,
      };
    case 'stay_due':
      return { $set: { ...last, dueAt: probedDueAt ?? now }, $unset: RELEASED, $push };
    case 'stay_terminal':
      return { $set: last, $unset: TERMINAL, $push };
    case 'resume':
      return { $set: { ...last, dueAt: settled.at, lane: settled.lane }, $unset: RELEASED, $push };
    case 'attempt_again':
      return {
        $set: {
          ...last,
          status: 'retrying',
          attempt: settled.attempt,
          nextRetryAt: lease.expiresAt,
          ...DELIVERY_LEASE.acquire(lease),
        },
        $push,
      };
    case 'retry':
      return {
        $set: { ...last, status: 'retrying', nextRetryAt: settled.at, dueAt: settled.at, lane: 'scheduled' },
        $unset: RELEASED,
        $push,
      };
  }
}

/** @param error code of a request that failed before it could reach the receiver; null if none was made */
export function releaseUpdate(
  released: ReleaseOutcome | AbandonOutcome,
  dueAt: Date,
  error: string | null = null,
): DeliveryUpdate {
  const { $set: lease, $unset } = DELIVERY_LEASE.release(dueAt);
  const $set = { ...lease, ...(error !== null && { error, responseStatus: null }) };
  if (released.outcome !== 'released') return { $set, $unset };
  const { attempt } = released;
  return {
    $set: { ...$set, attempt, ...((attempt > 0 || error !== null) && { nextRetryAt: dueAt }) },
    $unset,
  };
}

/** Returns the update of a delivery without a lease, or whose lease has expired. */
export const holdUpdate = ({ lane }: HoldOutcome): DeliveryUpdate => ({
  $set: { lane },
  $unset: { lease: '' },
});

/** Returns the update of a delivery that this process leases and whose attempt has not begun. */
export const holdLeasedUpdate = (
  held: HoldOutcome,
  released: ReleaseOutcome,
  dueAt: Date,
): DeliveryUpdate => {
  const { $set, $unset } = releaseUpdate(released, dueAt);
  return { $set: { ...$set, lane: held.lane }, $unset };
};

/** Returns the update of a held delivery: none is leased, unless an earlier build claimed it while another process held it. */
export const unholdUpdate = ({ lane }: ResumeOutcome): DeliveryUpdate => ({
  $set: { lane },
  $unset: { lease: '' },
});

export const cancelUpdate = ({ outcome }: CancelOutcome, now: Date): DeliveryUpdate =>
  outcome === 'cancelled'
    ? { $set: { status: 'cancelled', nextRetryAt: null, finishedAt: now }, $unset: TERMINAL }
    : { $unset: TERMINAL };

export const discardUpdate = ({ outcome }: DiscardOutcome, now: Date): DeliveryUpdate =>
  outcome === 'failed'
    ? {
        $set: {
          status: 'failed',
          error: PAYLOAD_UNREADABLE,
          responseStatus: null,
          nextRetryAt: null,
          finishedAt: now,
        },
        $unset: TERMINAL,
      }
    : { $unset: TERMINAL };

/** @param lease of this process; null if any process may claim the resend */
export const resendUpdate = ({ resumeAt, dueAt }: DueResend, lease: Lease | null): DeliveryUpdate => ({
  $set: { manual: { resumeAt }, lane: 'inline', ...(lease ? DELIVERY_LEASE.acquire(lease) : { dueAt }) },
  // One that has expired.
  ...(!lease && { $unset: { lease: '' } }),
});

export const hastenUpdate = (_hastened: HastenOutcome, now: Date): DeliveryUpdate => ({
  $set: { dueAt: now, nextRetryAt: now },
});

export const requeueUpdate = ({ attempt, lane }: RecoverOutcome, now: Date): DeliveryUpdate => ({
  $set: { status: 'pending', attempt, nextRetryAt: null, lane, dueAt: now },
  // The lease is one that has expired.
  $unset: { finishedAt: '', endedByReceiver: '', ...RELEASED },
});
