import { type Child, startChild } from '../../support/child-process.ts';
import { EVENT_BODY } from './event-body.ts';
import type { Load, LoadCalls } from './load.ts';
import type { BenchService } from './service.ts';
import { durations, percentile } from './stats.ts';
import type { Traffic } from './traffic.ts';

/** Requests a second. */
const RATE = 4;
const CUSTOMER = 1;
/** Time after which an event that has not arrived is reported as lost. */
const ARRIVAL_TIMEOUT_MS = 10_000;

/** Milliseconds; infinite for what failed or did not arrive. */
export interface Latencies {
  p50: number;
  p99: number;
  max: number;
}

export interface NormalLatencies {
  health: Latencies;
  /** From the request to the arrival at the receiver. */
  event: Latencies;
}

const latencies = (from: Float64Array, to: Float64Array): Latencies => {
  const elapsed = durations(from, to).map((ms) => (Number.isNaN(ms) ? Number.POSITIVE_INFINITY : ms));
  return { p50: percentile(elapsed, 0.5), p99: percentile(elapsed, 0.99), max: percentile(elapsed, 1) };
};

/** A tenant that sends an event every 250 ms to its own endpoint, and a probe of the health at the same rate. */
export interface NormalTraffic extends AsyncDisposable {
  run(seconds: number): Promise<NormalLatencies>;
}

export async function startNormalTraffic(service: BenchService, traffic: Traffic): Promise<NormalTraffic> {
  const probe: Child<LoadCalls> = startChild(import.meta.resolve('./load.ts'));
  const key = await service.newKey(CUSTOMER);
  await service.newEndpoint(CUSTOMER, key, traffic.sinkUrl);

  return {
    async run(seconds) {
      const count = RATE * seconds;
      const first = await traffic.expect(count);
      const common = { key, first, count, clients: 0, rate: RATE } satisfies Partial<Load>;
      const [health, events] = await Promise.all([
        probe.call('run', { ...common, method: 'GET', url: `${service.url}/api/health`, body: null }),
        traffic.load.call('run', {
          ...common,
          method: 'POST',
          url: `${service.url}/v1/events`,
          body: EVENT_BODY,
        }),
      ]);
      const { arrivedAt } = await traffic.sink.call('arrivals', { timeoutMs: ARRIVAL_TIMEOUT_MS });
      return {
        health: latencies(health.sentAt, health.answeredAt),
        event: latencies(events.sentAt, arrivedAt),
      };
    },
    [Symbol.asyncDispose]: () => probe[Symbol.asyncDispose](),
  };
}
