import { setTimeout as sleep } from 'node:timers/promises';
import { residentBytes } from '../bench/support/proc.ts';
import { readMetrics } from '../support/metrics.ts';
import type { Ledger, Totals } from './ledger.ts';
import type { SoakProcess } from './service-processes.ts';

/** State of a process since its previous sample. */
export interface ProcessSample {
  residentMb: number;
  lagP99Ms: number;
  lagMaxMs: number;
}

export interface Sample {
  /** Since the start of the load. */
  atMs: number;
  totals: Totals;
  /** In the order of the processes; null while one is down. */
  processes: (ProcessSample | null)[];
}

const INTERVAL_MS = 5_000;
const MEGABYTE = 1_000_000;

async function sampleProcess({ pid, url }: SoakProcess): Promise<ProcessSample | null> {
  const id = pid();
  if (id === null) return null;
  try {
    // The metrics of the event loop start again at each scrape.
    const page = await readMetrics({ url });
    const ms = (name: string) => (page.value(name) ?? Number.NaN) * 1000;
    return {
      residentMb: residentBytes(id) / MEGABYTE,
      lagP99Ms: ms('nodejs_eventloop_lag_p99_seconds'),
      lagMaxMs: ms('nodejs_eventloop_lag_max_seconds'),
    };
  } catch {
    return null;
  }
}

/** Samples the ledger and the processes until `stop`, which takes a last sample. */
export function startSampling(processes: SoakProcess[], ledger: Ledger) {
  const startedAt = performance.now();
  const samples: Sample[] = [];
  const stopped = new AbortController();
  const sample = async () => {
    const [atMs, totals] = [performance.now() - startedAt, ledger.totals()];
    samples.push({ atMs, totals, processes: await Promise.all(processes.map(sampleProcess)) });
  };
  // One at a time: on a busy machine a scrape can last longer than the interval, and samples must stay in order.
  async function sampleRepeatedly(): Promise<void> {
    while (!stopped.signal.aborted) {
      await sample();
      await sleep(INTERVAL_MS, undefined, { signal: stopped.signal }).catch(() => {});
    }
  }
  const sampling = sampleRepeatedly();
  return {
    samples,
    async stop(): Promise<void> {
      stopped.abort();
      await sampling;
      await sample();
    },
    [Symbol.dispose]: () => stopped.abort(),
  };
}
