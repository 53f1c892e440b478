import { EVENT_BODY } from './event-body.ts';
import type { LoadResult } from './load.ts';
import type { BenchService } from './service.ts';
import { durations, percentile } from './stats.ts';
import { requireAnswered, type Traffic } from './traffic.ts';

/** Events a second. */
const RATE = 200;
const CUSTOMER = 1;

export interface Latency {
  p50: number;
  p99: number;
}

export interface SteadyRun {
  /** From the 201 to the arrival at the receiver. Milliseconds. */
  fromAcceptance: Latency;
  /** From the request to the arrival. Milliseconds. */
  fromRequest: Latency;
}

/** A healthy tenant with one endpoint, which sends events at a steady rate. */
export interface SteadyTenant {
  /** Resolves when `seconds` of events have arrived. */
  run(seconds: number): Promise<SteadyRun>;
}

export async function createSteadyTenant(service: BenchService, traffic: Traffic): Promise<SteadyTenant> {
  const key = await service.newKey(CUSTOMER);
  await service.newEndpoint(CUSTOMER, key, traffic.sinkUrl);
  return {
    async run(seconds) {
      const count = RATE * seconds;
      const load: LoadResult = await traffic.load.call('run', {
        method: 'POST',
        url: `${service.url}/v1/events`,
        body: EVENT_BODY,
        key,
        first: await traffic.expect(count),
        count,
        clients: 0,
        rate: RATE,
      });
      requireAnswered(load);
      const { arrivedAt } = await traffic.arrivals(count);
      const latency = (from: Float64Array): Latency => {
        const elapsed = durations(from, arrivedAt);
        return { p50: percentile(elapsed, 0.5), p99: percentile(elapsed, 0.99) };
      };
      return { fromAcceptance: latency(load.answeredAt), fromRequest: latency(load.sentAt) };
    },
  };
}
