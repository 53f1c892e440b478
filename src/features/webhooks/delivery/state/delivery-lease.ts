import { leaseProtocol } from '../../../../platform/mongo/lease.ts';

/** The lease of a delivery: `dueAt` is its expiry, so that the queue's index finds expired leases as due. */
export const DELIVERY_LEASE = leaseProtocol('lease', 'dueAt');

/** Upper bound of a lease: within this time another process takes over from one that died (contract 6). */
const MAX_LEASE_MS = 30_000;
const LEASE_MARGIN_MS = 5_000;

/** Returns the TTL of a delivery's lease: longer than two attempts, so that only a dead process loses it. Milliseconds. */
export const leaseTtlMs = (timeoutMs: number): number =>
  Math.min(MAX_LEASE_MS, 2 * timeoutMs + LEASE_MARGIN_MS);
