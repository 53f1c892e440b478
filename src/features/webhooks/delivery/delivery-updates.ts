import { type Lease, leaseProtocol } from '../../../platform/mongo/lease.ts';
import type { DeliveryDoc } from './delivery.model.ts';
import type { StoredAttempt } from './delivery.types.ts';
import type {
  AcceptOutcome,
  AttemptResult,
  CancelOutcome,
  ClaimOutcome,
  DeliveryState,
  ReleaseOutcome,
  ResendOutcome,
  SettleOutcome,
} from './delivery-state.ts';

/** The lease of a delivery: `dueAt` is its expiry, so that the queue's index finds expired leases as due. */
export const DELIVERY_LEASE = leaseProtocol('lease', 'dueAt');

/** Number of attempts kept per delivery; only repeated resends and recoveries make more. */
const ATTEMPTS_KEPT = 100;

/** Update of one delivery document. */
export interface DeliveryUpdate {
  $set?: Partial<DeliveryDoc>;
  $unset?: Partial<Record<keyof DeliveryDoc, ''>>;
  /** Records an attempt. */
  $push?: { attempts: { $each: StoredAttempt[]; $slice: number } };
}

const RELEASED = { lease: '', manual: '' } as const;
const TERMINAL = { ...RELEASED, dueAt: '' } as const;

/** Returns the state that the transitions work on. */
export const stateOf = (doc: Omit<DeliveryDoc, 'attempts'>): DeliveryState => ({
  status: doc.status,
  attempt: doc.attempt,
  lane: doc.lane,
  dueAt: doc.dueAt ?? null,
  leased: doc.lease !== undefined,
  manual: doc.manual ?? null,
});

/** Returns the fields of a new delivery. @param lease of this process, for a delivery that starts here */
export function acceptedFields(
  accepted: AcceptOutcome,
  now: Date,
  lease: Lease,
): Pick<DeliveryDoc, 'status' | 'attempt' | 'lane' | 'dueAt' | 'lease' | 'finishedAt'> {
  const lane = 'inline';
  switch (accepted.outcome) {
    case 'leased':
      return { status: 'pending', attempt: accepted.attempt, lane, ...DELIVERY_LEASE.acquire(lease) };
    case 'due':
      return { status: 'pending', attempt: 0, lane, dueAt: now };
    case 'cancelled':
      return { status: 'cancelled', attempt: 0, lane, finishedAt: now };
  }
}

/** @param delivery as it was read for the claim */
export function claimUpdate(
  claimed: ClaimOutcome,
  { error }: Pick<DeliveryDoc, 'error'>,
  now: Date,
  lease: Lease,
): DeliveryUpdate {
  switch (claimed.outcome) {
    case 'begin':
      return {
        $set: {
          ...DELIVERY_LEASE.acquire(lease),
          attempt: claimed.attempt,
          ...(claimed.attempt > 1 && { status: 'retrying', nextRetryAt: lease.expiresAt }),
        },
      };
    case 'begin_manual':
      return { $set: DELIVERY_LEASE.acquire(lease) };
    case 'exhausted':
      return {
        $set: { status: 'failed', error: error ?? 'interrupted', nextRetryAt: null, finishedAt: now },
        $unset: TERMINAL,
      };
  }
}

/** @param lease extended lease for an attempt that follows at once */
export function settleUpdate(
  settled: SettleOutcome,
  { manual }: Pick<DeliveryDoc, 'manual'>,
  result: AttemptResult,
  now: Date,
  lease: Lease,
): DeliveryUpdate {
  const { retryAfter: _retryAfter, ...made } = result;
  const last = {
    lastAttemptAt: result.at,
    responseStatus: result.responseStatus,
    error: result.error,
    durationMs: result.durationMs,
  };
  const $push = {
    attempts: { $each: [{ ...made, manual: manual !== undefined }], $slice: -ATTEMPTS_KEPT },
  };
  switch (settled.outcome) {
    case 'succeeded':
    case 'failed':
    case 'cancelled':
      return {
        $set: { ...last, status: settled.outcome, nextRetryAt: null, finishedAt: now },
        $unset: TERMINAL,
        $push,
      };
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
          dueAt: lease.expiresAt,
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

export function releaseUpdate(released: ReleaseOutcome, now: Date): DeliveryUpdate {
  const { $set, $unset } = DELIVERY_LEASE.release(now);
  if (released.outcome === 'released_manual') return { $set, $unset };
  const { attempt } = released;
  return { $set: { ...$set, attempt, ...(attempt > 0 && { nextRetryAt: now }) }, $unset };
}

export const cancelUpdate = ({ outcome }: CancelOutcome, now: Date): DeliveryUpdate =>
  outcome === 'cancelled'
    ? { $set: { status: 'cancelled', nextRetryAt: null, finishedAt: now }, $unset: TERMINAL }
    : { $unset: TERMINAL };

/** @param lease of this process when the resend starts here; null when any process may claim it */
export const resendUpdate = (
  { resumeAt }: Extract<ResendOutcome, { outcome: 'due_manual' }>,
  now: Date,
  lease: Lease | null,
): DeliveryUpdate => ({
  $set: {
    manual: { resumeAt },
    lane: 'inline',
    ...(lease ? DELIVERY_LEASE.acquire(lease) : { dueAt: now }),
  },
});

/** A recovery sends the delivery again from the start. */
export const requeueUpdate = (now: Date): DeliveryUpdate => ({
  $set: { status: 'pending', attempt: 0, nextRetryAt: null, lane: 'scheduled', dueAt: now },
  $unset: { finishedAt: '', manual: '' },
});
