import { exponentialDelayMs } from '../../../platform/exponential-delay.ts';
import type { EndpointDoc } from './endpoint.model.ts';

/**
 * The circuit of an endpoint (contract 6): while its receiver is down, its deliveries wait, and it is probed with one
 * delivery at a time instead of the full load. The state is stored in the endpoint; `auto-disable.ts` counts the failures
 * that open it, the gate holds the deliveries back, and the poller claims the probes.
 */

/** A circuit opens after this many failed attempts in a row … */
export const TRIPPING_FAILURES = 20;
/** … of at least this many deliveries, so that a few that a receiver refuses for their content do not open it … */
export const TRIPPING_DELIVERIES = 10;
/** … if none has succeeded for this long. */
const TRIPPING_AFTER_MS = 10_000;

/** Delay before the first probe; it doubles with each failed probe up to `maxMs`, and varies at random by a tenth. */
const PROBE_DELAY = { firstMs: 1_000, maxMs: 60_000 };
const JITTER = 0.1;

/**
 * Number of the oldest due deliveries that are probed in turn: a single one that its receiver refuses for its content does
 * not keep the circuit open.
 */
export const PROBED_IN_TURN = 10;

/** Returns true if the failures of an endpoint open its circuit. */
export const hasTripped = (
  { enabled, circuit, failures, failingSince, failedDeliveries }: EndpointDoc,
  now: Date,
): boolean =>
  enabled &&
  !circuit &&
  failures >= TRIPPING_FAILURES &&
  (failedDeliveries?.length ?? 0) >= TRIPPING_DELIVERIES &&
  failingSince !== null &&
  now.getTime() - failingSince.getTime() >= TRIPPING_AFTER_MS;

/** Returns the time of the next probe. @param random a number from 0 to 1 */
export function nextProbeAt(failedProbes: number, now: Date, random: number): Date {
  const delayMs = exponentialDelayMs(PROBE_DELAY, failedProbes);
  return new Date(now.getTime() + Math.round(delayMs * (1 + JITTER * (2 * random - 1))));
}
