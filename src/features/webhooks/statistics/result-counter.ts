import { type Runtime, systemRuntime } from '../../../platform/runtime.ts';
import type { DeliveryDoc } from '../delivery/delivery.model.ts';
import { INLINE_ATTEMPTS } from '../delivery/retry-policy.ts';
import type { AttemptResult, SettleOutcome } from '../delivery/state.ts';
import type { EndpointStore } from '../endpoints/endpoint.store.ts';
import { binOf } from './sketch.ts';
import type { Flush, HourCounters, StatisticsStore } from './statistics.store.ts';
import { type CountedResult, startOfStep } from './statistics.types.ts';

interface Deps {
  statistics: Pick<StatisticsStore, 'add'>;
  endpoints: Pick<EndpointStore, 'current'>;
  runtime?: Runtime;
}

/** A delivery as its attempt has claimed it. */
export type Attempted = Pick<
  DeliveryDoc,
  'customerId' | 'endpointId' | 'attempt' | 'lane' | 'manual' | 'createdAt'
>;

type Owner = Pick<DeliveryDoc, 'customerId' | 'endpointId'>;

export interface WrittenResult {
  result: AttemptResult;
  settled: SettleOutcome;
  /** False if the lease was lost: the result is logged only, except that a success counts. */
  applied: boolean;
}

/** Returns true for the sending that the event has caused: neither a resend nor a recovery or replay, up to its second attempt. */
const isFirstSending = ({ manual, lane, attempt }: Attempted): boolean =>
  manual === undefined && (lane === 'inline' || attempt > INLINE_ATTEMPTS);

function countedResult(delivery: Attempted, { result, settled, applied }: WrittenResult): CountedResult {
  const { at, durationMs, error } = result;
  const { outcome } = settled;
  const succeeded = error === null;
  const endsDelivery = (outcome === 'succeeded' || outcome === 'failed') && (applied || succeeded);
  const arrivesNow = succeeded && isFirstSending(delivery);
  return {
    at,
    succeeded,
    finished: endsDelivery ? outcome : null,
    durationMs,
    arrivalMs: arrivesNow ? Math.max(0, at.getTime() + durationMs - delivery.createdAt.getTime()) : null,
  };
}

const increment = (bins: Record<string, number>, ms: number): void => {
  const bin = binOf(ms);
  bins[bin] = (bins[bin] ?? 0) + 1;
};

/**
 * Counts the results of this process in memory, and adds them to the statistics of their endpoints once a flush, in one
 * write for all endpoints. A flush whose write may have failed is repeated until it is acknowledged, and counts once. A
 * process that is killed loses the results since its last flush, which the log of the deliveries has nevertheless.
 */
export function createResultCounter({ statistics, endpoints, runtime = systemRuntime }: Deps) {
  const writer = runtime.newToken();
  /** By endpoint and hour. */
  let counted = new Map<string, HourCounters>();
  let number = 0;
  /** Flushes that are not acknowledged. */
  let unacknowledged: Flush[] = [];
  let flushing: Promise<void> | null = null;

  function countersOf({ customerId, endpointId }: Owner, at: Date): HourCounters {
    const hour = startOfStep(at, 'hour');
    const key = `${endpointId} ${hour.getTime()}`;
    const known = counted.get(key);
    if (known) return known;
    const counters: HourCounters = {
      ...{ customerId, endpointId, hour },
      ...{ succeeded: 0, failed: 0, attempts: 0, failedAttempts: 0, durations: {}, arrivals: {} },
    };
    counted.set(key, counters);
    return counters;
  }

  /** A deleted endpoint has no statistics. One that cannot be read is taken to exist. */
  const exists = ({ customerId, endpointId }: Owner): Promise<boolean> =>
    endpoints.current({ customerId, endpointId }).then(
      (endpoint) => endpoint !== null,
      () => true,
    );

  /**
   * Takes the results since the last flush. Hours of one day are flushes of their own, because a flush counts once in a day.
   */
  async function takeCounted(): Promise<Flush[]> {
    const byEndpoint = Map.groupBy(counted.values(), ({ endpointId }) => endpointId);
    counted = new Map();
    const kept = await Promise.all(
      [...byEndpoint.values()].map(async (hours) => (hours[0] && (await exists(hours[0])) ? hours : [])),
    );
    return [...Map.groupBy(kept.flat(), ({ hour }) => hour.getUTCHours()).values()].map((endpoints) => {
      number += 1;
      return { writer, number, endpoints };
    });
  }

  async function flushNow(): Promise<void> {
    if (unacknowledged.length === 0) unacknowledged = await takeCounted();
    while (unacknowledged[0]) {
      await statistics.add(unacknowledged[0]);
      unacknowledged.shift();
    }
  }

  const flush = (): Promise<void> => {
    flushing ??= flushNow().finally(() => {
      flushing = null;
    });
    return flushing;
  };

  return {
    /** Counts a result that is written. */
    count(delivery: Attempted, written: WrittenResult): void {
      const { at, succeeded, finished, durationMs, arrivalMs } = countedResult(delivery, written);
      const counters = countersOf(delivery, at);
      counters.attempts += 1;
      if (finished) counters[finished] += 1;
      increment(counters.durations, durationMs);
      if (arrivalMs !== null) increment(counters.arrivals, arrivalMs);
      const last = succeeded ? 'lastSuccessAt' : 'lastFailureAt';
      if (!succeeded) counters.failedAttempts += 1;
      if (!(counters[last] && counters[last] > at)) counters[last] = at;
    },
    /** Writes the counts, unless a write is in progress; if it fails, the next flush repeats it. */
    flush,
    /** Writes all counts, those included that an earlier flush has left. */
    async flushAll(): Promise<void> {
      await flushing?.catch(() => {});
      await flush();
      await flush();
    },
  };
}

export type ResultCounter = ReturnType<typeof createResultCounter>;
