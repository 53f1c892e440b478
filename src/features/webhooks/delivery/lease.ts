import { leaseProtocol } from '../../../platform/leases/lease.ts';
import { LEASE_MARGIN_MS } from '../../../shared/delivery-attempts.ts';
import { MAX_TIMEOUT_SECONDS } from '../../../shared/endpoint-limits.ts';

/** The lease of a delivery: `dueAt` is its expiry, so that the queue's index finds expired leases as due. */
export const DELIVERY_LEASE = leaseProtocol('lease', 'dueAt');

/** Upper bound of a lease: within this time another process takes over from one that died (contract 6). */
const MAX_LEASE_MS = 30_000;
/** Time for the write of a result, and for clocks of processes that differ. */
const ATTEMPT_MARGIN_MS = 2_000;

/** Returns the TTL of a delivery's lease: room for an attempt after a slow claim or a wait for a slot. Milliseconds. */
export const leaseTtlMs = (timeoutMs: number): number =>
  Math.min(MAX_LEASE_MS, 2 * timeoutMs + LEASE_MARGIN_MS);

/** Returns the TTL of a lease that is renewed when an attempt of a longer timeout begins. Milliseconds. */
export const renewedLeaseTtlMs = (timeoutMs: number): number => timeoutMs + LEASE_MARGIN_MS;

/** Upper bound of the time until a lease expires, for the longest timeout of an endpoint and clocks that differ. Milliseconds. */
export const LONGEST_LEASE_MS = renewedLeaseTtlMs(MAX_TIMEOUT_SECONDS * 1_000) + ATTEMPT_MARGIN_MS;

/** Returns the time that a lease must still last when an attempt begins. Milliseconds. */
export const attemptLeaseMs = (timeoutMs: number): number => timeoutMs + ATTEMPT_MARGIN_MS;
