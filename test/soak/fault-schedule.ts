export const FAULTS = ['step-down', 'kill', 'outage'] as const;
export type Fault = (typeof FAULTS)[number];

export interface ScheduledFault {
  fault: Fault;
  /** Since the start of the load. */
  atMs: number;
}

const MAX_PERIOD_MS = 10 * 60_000;
const MAX_OUTAGE_MS = 30_000;
/** When each fault happens, as a share of its period: the last one leaves time for the first retries. */
const SHARES: Record<Fault, number> = { 'step-down': 0.2, kill: 0.45, outage: 0.7 };

/** Returns every fault once in each ten minutes, or once in a shorter run. */
export function scheduleFaults(runMs: number): { faults: ScheduledFault[]; outageMs: number } {
  const periods = Math.max(1, Math.floor(runMs / MAX_PERIOD_MS));
  const periodMs = runMs / periods;
  const faults = Array.from({ length: periods }, (_, period) =>
    FAULTS.map((fault) => ({ fault, atMs: (period + SHARES[fault]) * periodMs })),
  ).flat();
  return { faults, outageMs: Math.min(MAX_OUTAGE_MS, periodMs / 6) };
}
