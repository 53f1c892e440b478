export const FAULTS = ['step-down', 'kill', 'outage'] as const;

/** Faults of `--faults`, which a run has beside the others. */
export const FURTHER_FAULTS = [
  /** The database closes the connections of writes before it executes them. */
  'failing commands',
  /** Writes of deliveries take longer than a lease. */
  'slow commands',
  /** Both secondaries are locked: no majority acknowledges a write. */
  'locked secondaries',
  /** A process of the service stops for longer than a lease (SIGSTOP). */
  'stopped process',
  /** The primary stops for longer than an election (SIGSTOP). */
  'stopped primary',
  /** The connections of the primary are cut, to clients and to the other members. */
  'partition',
] as const;

export type Fault = (typeof FAULTS)[number] | (typeof FURTHER_FAULTS)[number];

export interface ScheduledFault {
  fault: Fault;
  /** Since the start of the load. */
  atMs: number;
}

const MAX_PERIOD_MS = 10 * 60_000;
const MAX_OUTAGE_MS = 30_000;
/** When each fault happens, as a share of its period: the last one leaves time for the first retries. */
const SHARES: Record<(typeof FAULTS)[number], number> = { 'step-down': 0.2, kill: 0.45, outage: 0.7 };

/** Returns every fault once in each ten minutes, or once in a shorter run. @param further true for all of `--faults` */
export function scheduleFaults(
  runMs: number,
  further = false,
): { faults: ScheduledFault[]; outageMs: number } {
  const periods = Math.max(1, Math.floor(runMs / MAX_PERIOD_MS));
  const periodMs = runMs / periods;
  const inPeriod: { fault: Fault; share: number }[] = further
    ? [...FURTHER_FAULTS, ...FAULTS].map((fault, index, { length }) => ({
        fault,
        share: (index + 0.5) / (length + 1),
      }))
    : FAULTS.map((fault) => ({ fault, share: SHARES[fault] }));
  const faults = Array.from({ length: periods }, (_, period) =>
    inPeriod.map(({ fault, share }) => ({ fault, atMs: (period + share) * periodMs })),
  ).flat();
  return { faults, outageMs: Math.min(MAX_OUTAGE_MS, periodMs / 6) };
}
