import { parseRetryAfter } from '../../platform/retry-after.ts';
import { type LeasedChange, pushAttempt } from './leased-changes.ts';
import { INLINE_ATTEMPTS, MAX_ATTEMPTS, type RetryDelays, retryDelay } from './schedule.ts';
import type { DeliveryDoc, Lane } from './webhooks.model.ts';

/** What came of one attempt. */
export interface AttemptResult {
  at: Date;
  responseStatus: number | null;
  responseBody: string | null;
  /** Null after a success; else the short code. */
  error: string | null;
  durationMs: number;
  retryAfter: string | undefined;
}

/** What an attempt's result means for its delivery. */
export interface Settlement {
  /** Update of the delivery's document, to be made under its lease. */
  change: LeasedChange['change'];
  /** The next attempt follows at once, under the same lease. */
  again: boolean;
  /** The receiver said that it is gone for good (410). */
  gone: boolean;
}

interface SettleContext {
  now: Date;
  delays: RetryDelays;
  random: number;
  /** End of the lease that a further attempt at once is made under. */
  leaseEnd: Date;
}

const UNLEASED = { lease: '', manual: '' } as const;
const TERMINAL = { ...UNLEASED, dueAt: '' } as const;

/**
 * The table of a delivery's states (specification, "Webhook delivery attempts"; contract 5 and 6).
 *
 * @param delivery as it is claimed: `attempt` is the number of the attempt that the result is of
 */
export function settle(
  delivery: Pick<DeliveryDoc, 'attempt' | 'manual'>,
  result: AttemptResult,
  context: SettleContext,
): Settlement {
  const last = {
    lastAttemptAt: result.at,
    responseStatus: result.responseStatus,
    error: result.error,
    durationMs: result.durationMs,
  };
  const $push = pushAttempt({
    at: result.at,
    manual: delivery.manual !== undefined,
    responseStatus: result.responseStatus,
    responseBody: result.responseBody,
    error: result.error,
    durationMs: result.durationMs,
  });
  const terminal = (status: 'succeeded' | 'failed', gone = false): Settlement => ({
    change: {
      $set: { ...last, status, nextRetryAt: null, finishedAt: context.now },
      $unset: TERMINAL,
      $push,
    },
    again: false,
    gone,
  });

  if (result.error === null) return terminal('succeeded');
  const gone = result.responseStatus === 410;
  if (delivery.manual) {
    const { resumeAt } = delivery.manual;
    return resumeAt
      ? {
          change: {
            $set: { ...last, dueAt: resumeAt, lane: laneAfter(delivery.attempt) },
            $unset: UNLEASED,
            $push,
          },
          again: false,
          gone,
        }
      : { change: { $set: last, $unset: TERMINAL, $push }, again: false, gone };
  }
  if (gone) return terminal('failed', true);
  if (delivery.attempt < INLINE_ATTEMPTS) {
    const { leaseEnd } = context;
    const next = {
      status: 'retrying',
      attempt: delivery.attempt + 1,
      nextRetryAt: leaseEnd,
      dueAt: leaseEnd,
    } as const;
    return { change: { $set: { ...last, ...next }, $push }, again: true, gone };
  }
  const honoured =
    result.responseStatus === 429 || result.responseStatus === 503 ? result.retryAfter : undefined;
  const delay = retryDelay(
    delivery.attempt,
    context.delays,
    parseRetryAfter(honoured, context.now),
    context.random,
  );
  if (delay === null || delivery.attempt >= MAX_ATTEMPTS) return terminal('failed');
  const dueAt = new Date(context.now.getTime() + delay);
  return {
    change: {
      $set: { ...last, status: 'retrying', nextRetryAt: dueAt, dueAt, lane: 'scheduled' },
      $unset: UNLEASED,
      $push,
    },
    again: false,
    gone,
  };
}

/**
 * What is written when the endpoint is deleted, disabled, or the event is no more. A resend of a terminal delivery
 * is only withdrawn: what had become of the delivery stays.
 */
export const cancellation = ({ manual }: Pick<DeliveryDoc, 'manual'>, now: Date): Settlement['change'] =>
  manual?.resumeAt === null
    ? { $unset: TERMINAL }
    : { $set: { status: 'cancelled', nextRetryAt: null, finishedAt: now }, $unset: TERMINAL };

/** A failed attempt with nothing after it: the endpoint was switched off meanwhile. The attempt itself is recorded. */
export function withoutRetry({ change, gone }: Settlement, now: Date): Settlement {
  const { dueAt: _dueAt, lane: _lane, attempt: _attempt, ...result } = change.$set ?? {};
  return {
    change: {
      $set: { ...result, status: 'cancelled', nextRetryAt: null, finishedAt: now },
      $unset: TERMINAL,
      $push: change.$push,
    },
    again: false,
    gone,
  };
}

/** The next attempt is not begun here after all, because the process stops: whoever is there takes it at once. */
export const handBack = (attempt: number, now: Date): Settlement['change'] => ({
  $set: { attempt, dueAt: now, ...(attempt > 0 && { nextRetryAt: now }) },
  $unset: { lease: '' },
});

const laneAfter = (attempt: number): Lane => (attempt < INLINE_ATTEMPTS ? 'inline' : 'scheduled');
