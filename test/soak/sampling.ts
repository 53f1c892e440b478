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
  const sample = async () => {
    const atMs = performance.now() - startedAt;
    const totals = ledger.totals();
    const states = await Promise.all(processes.map(sampleProcess));
    samples.push({ atMs, totals, processes: states });
    // A process that responds late delays its sample beyond the next one.
    samples.sort((a, b) => a.atMs - b.atMs);
  };
  const timer = setInterval(() => void sample(), INTERVAL_MS);
  return {
    samples,
    async stop(): Promise<void> {
      clearInterval(timer);
      await sample();
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
