import { type Child, startChild } from '../../support/child-process.ts';
import type { LoadCalls, LoadResult } from './load.ts';
import type { Arrivals, SinkCalls } from './sink.ts';

/** Timeout for the arrival of accepted events. */
const ARRIVAL_TIMEOUT_MS = 40_000;

/** Load generator and sink, each a process of its own, and numbers for the events that go from one to the other. */
export interface Traffic extends AsyncDisposable {
  load: Child<LoadCalls>;
  sink: Child<SinkCalls>;
  sinkUrl: string;
  /** Takes the next `count` numbers; the sink counts those and no others. @returns the first of them */
  expect(count: number): Promise<number>;
  /** @throws Error when something that was expected did not arrive, or was delivered twice under two ids */
  arrivals(count: number): Promise<Arrivals>;
}

export async function startTraffic(): Promise<Traffic> {
  const load = startChild<LoadCalls>(import.meta.resolve('./load.ts'));
  const sink = startChild<SinkCalls>(import.meta.resolve('./sink.ts'));
  const sinkUrl = await sink.call('listen', undefined);
  let next = 0;
  return {
    load,
    sink,
    sinkUrl,
    async expect(count) {
      const first = next;
      next += count;
      await sink.call('expect', { first, count });
      return first;
    },
    async arrivals(count) {
      const arrivals = await sink.call('arrivals', { timeoutMs: ARRIVAL_TIMEOUT_MS });
      const arrived = arrivals.arrivedAt.filter((at) => !Number.isNaN(at)).length;
      if (arrived !== count) throw new Error(`${arrived} of ${count} events arrived.`);
      if (arrivals.deliveries !== count)
        throw new Error(`${arrivals.deliveries} deliveries of ${count} events.`);
      return arrivals;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([load[Symbol.asyncDispose](), sink[Symbol.asyncDispose]()]);
    },
  };
}

/** @throws Error when a request was not answered with a 2xx */
export function requireAnswered({ answeredAt }: LoadResult): void {
  const refused = answeredAt.filter(Number.isNaN).length;
  if (refused > 0) throw new Error(`${refused} of ${answeredAt.length} requests were refused.`);
}
