import { invalid } from '../../../errors/app-error.ts';
import type { Clock } from '../../../platform/clock.ts';
import { MAX_COUNT } from '../../../shared/max-count.ts';
import { MAX_SCHEDULED } from '../../../shared/scheduled-retries.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import type { QueueStore } from '../delivery/queue.store.ts';
import type { EndpointStore } from '../endpoints/endpoint.store.ts';
import { requireEndpoint } from '../endpoints/endpoint-errors.ts';
import { addBins, type Bins, quantilesOf } from './sketch.ts';
import type { Counters } from './statistics.model.ts';
import type { StatisticsStore } from './statistics.store.ts';
import {
  DEFAULT_RANGE_MS,
  type EndpointStatistics,
  type LatencyQuantiles,
  REACH_DAYS,
  STEP_MS,
  type StatisticsFigures,
  type StatisticsStep,
  startOfStep,
} from './statistics.types.ts';

interface Deps {
  queue: Pick<QueueStore, 'countDue' | 'countScheduled' | 'oldestDueAt'>;
  endpoints: Pick<EndpointStore, 'find'>;
  statistics: Pick<StatisticsStore, 'range' | 'all'>;
  clock: Clock;
}

export interface StatisticsInput {
  /** By default a day before `until`, or 30 days with steps of a day. */
  since?: Date | null;
  /** By default now. */
  until?: Date | null;
  /** An hour by default. */
  step?: StatisticsStep | null;
}

const noResults = (): Counters => ({
  ...{ succeeded: 0, failed: 0, attempts: 0, failedAttempts: 0, durations: {}, arrivals: {} },
});

const later = (one: Date | undefined, other: Date | undefined): Date | undefined =>
  one && other && one > other ? one : (other ?? one);

/** Adds the counters of a step to the total. */
function addTo(total: Counters, added: Partial<Counters>): void {
  for (const name of ['succeeded', 'failed', 'attempts', 'failedAttempts'] as const)
    total[name] += added[name] ?? 0;
  addBins(total.durations, added.durations ?? {});
  addBins(total.arrivals, added.arrivals ?? {});
  for (const name of ['lastSuccessAt', 'lastFailureAt'] as const) {
    const at = later(total[name], added[name]);
    if (at) total[name] = at;
  }
}

function latencyOf(bins: Bins): LatencyQuantiles {
  const [p50 = null, p95 = null, p99 = null] = quantilesOf(bins, [0.5, 0.95, 0.99]);
  return { p50, p95, p99 };
}

function figuresOf(counters: Counters): StatisticsFigures {
  const { succeeded, failed, attempts, failedAttempts, durations, arrivals } = counters;
  const finished = succeeded + failed;
  return {
    ...{ succeeded, failed, attempts, failedAttempts },
    successRate: finished === 0 ? null : succeeded / finished,
    ...latencyOf(durations),
    acceptanceToArrival: latencyOf(arrivals),
    lastSuccessAt: counters.lastSuccessAt ?? null,
    lastFailureAt: counters.lastFailureAt ?? null,
  };
}

/** Statistics of endpoints, from the counters that the processes keep (`result-counter.ts`). */
export function statisticsService({ endpoints, queue, statistics, clock }: Deps) {
  /** Returns the time range in whole steps. @throws AppError `VALIDATION_FAILED` when it is empty or out of reach */
  function rangeOf({ since, until: wanted, step: wantedStep }: StatisticsInput) {
    const step = wantedStep ?? 'hour';
    const now = clock.now();
    const until = wanted && wanted < now ? wanted : now;
    const from = startOfStep(since ?? new Date(until.getTime() - DEFAULT_RANGE_MS[step]), step);
    const days = REACH_DAYS[step];
    if (from < startOfStep(new Date(now.getTime() - days * STEP_MS.day), step))
      throw invalid(
        since ? 'since' : 'until',
        `The time range must begin at most ${days} days ago with steps of ${step === 'hour' ? 'an hour' : 'a day'}.`,
      );
    if ((since ?? from) >= until) throw invalid('since', 'Must be in the past, and before `until`.');
    return { step, since: from, until };
  }

  return {
    /** @throws AppError `NOT_FOUND` when the tenant has no such endpoint; `VALIDATION_FAILED` */
    async of(tenant: Tenant, endpointId: number, input: StatisticsInput): Promise<EndpointStatistics> {
      const range = rangeOf(input);
      const { failingSince } = await requireEndpoint(endpoints, tenant, endpointId);
      const { step, since, until } = range;
      const found = await statistics.range(tenant, endpointId, range);
      const byStart = new Map(found.map((doc) => [doc.at.getTime(), doc]));
      const total = noResults();
      const steps = [];
      for (let startMs = since.getTime(); startMs < until.getTime(); startMs += STEP_MS[step]) {
        const counters = { ...noResults(), ...byStart.get(startMs) };
        addTo(total, counters);
        steps.push({ startsAt: new Date(startMs), ...figuresOf(counters) });
      }
      return { endpointId, since, until, step, ...figuresOf(total), failingSince, steps };
    },

    /** Returns the hours and days of an endpoint with results that are stored. */
    async stored(tenant: Tenant, { id: endpointId }: { id: number }) {
      const found = await statistics.all(tenant, endpointId);
      return found.map(({ step, at, ...counters }) => ({
        ...{ endpointId, step, startsAt: at },
        ...figuresOf({ ...noResults(), ...counters }),
      }));
    },

    /** Number of deliveries of an endpoint that are due and not attempted yet, up to `MAX_COUNT`. */
    backlog: ({ customerId }: Tenant, endpointId: number): Promise<number> =>
      queue.countDue({ customerId, endpointId }, clock.now(), MAX_COUNT),

    /** Number of retries of an endpoint that are due later, up to `MAX_SCHEDULED`. */
    scheduledRetries: ({ customerId }: Tenant, endpointId: number): Promise<number> =>
      queue.countScheduled({ customerId, endpointId }, clock.now(), MAX_SCHEDULED),

    /** Time at which the oldest due delivery of an endpoint became due; null if none is due. */
    oldestWaitingAt: ({ customerId }: Tenant, endpointId: number): Promise<Date | null> =>
      queue.oldestDueAt({ customerId, endpointId }, clock.now()),
  };
}

export type StatisticsService = ReturnType<typeof statisticsService>;
