import { randomUUID } from 'node:crypto';
import type { Types } from 'mongoose';
import type { Clock } from '../clock.ts';

/** The right of one process to work on a document until `expiresAt`, proved by `token`. */
export interface Lease {
  token: string;
  expiresAt: Date;
}

/** A document that a process has claimed, and the token of its lease. */
export interface Claim {
  id: Types.ObjectId;
  token: string;
}

/**
 * Issues a lease that starts now.
 *
 * @param ttlMs time to live in milliseconds: how long a crashed process blocks other processes
 * @param token shared by all leases of one batch; a fresh one by default
 */
export const issueLease = (clock: Clock, ttlMs: number, token: string = randomUUID()): Lease => ({
  token,
  expiresAt: new Date(clock.now().getTime() + ttlMs),
});

/**
 * The lease protocol for documents that one process works on at a time, as parts of filters and updates.
 *
 * A document is acquired by a conditional write that matches `expired`, renewed and finished by writes that match
 * `heldBy`, and released by `release`. A process whose lease has expired matches nothing, so a late write never overwrites
 * the result of its successor.
 *
 * @param token name of the field with the holder's token
 * @param expiresAt name of the field with the expiry; after it, any process may acquire the document
 */
export const leaseProtocol = <T extends string, E extends string>(token: T, expiresAt: E) => ({
  /** Filter: no process holds the document. */
  expired: (now: Date) => ({ [expiresAt]: { $lte: now } }) as Record<E, { $lte: Date }>,
  /** Filter: the process with this token holds the document. */
  heldBy: (holder: string) => ({ [token]: holder }) as Record<T, string>,
  /** Fields to set when a process acquires or renews the document. */
  acquire: (lease: Lease) =>
    ({ [token]: lease.token, [expiresAt]: lease.expiresAt }) as Record<T, string> & Record<E, Date>,
  /** Update: any process may acquire the document from `now` on. */
  release: (now: Date) => ({
    $set: { [expiresAt]: now } as Record<E, Date>,
    $unset: { [token]: '' } as Record<T, ''>,
  }),
});

interface DocumentLeaseOptions<T extends string, E extends string> {
  /** Name of the field with the holder's token. */
  token: T;
  /** Name of the field with the expiry. */
  expiresAt: E;
  /** Time to live in milliseconds: after this without a renewal, any process may acquire the document. */
  ttlMs: number;
  clock: Clock;
}

/** The lease protocol of a collection whose documents are acquired one at a time, with one TTL for all. */
export function documentLease<T extends string, E extends string>({
  token,
  expiresAt,
  ttlMs,
  clock,
}: DocumentLeaseOptions<T, E>) {
  const { expired, heldBy, acquire, release } = leaseProtocol(token, expiresAt);
  return {
    heldBy,
    /** Filter: no process holds the document, or none has held it since `since`. */
    expired: (since = clock.now()) => expired(since),
    /** Fields to set when a process acquires the document, or renews its lease with its token. */
    acquire: (holder?: string) => acquire(issueLease(clock, ttlMs, holder)),
    /** Update: any process may acquire the document, from `at` on. */
    release: (at = clock.now()) => release(at),
  };
}

/** A lease that is renewed in the background, until it is disposed of or lost. */
export interface HeldLease extends Disposable {
  /** Aborts when the lease was taken over or cancelled, or could not be renewed in time. */
  readonly lost: AbortSignal;
  /** True while the holder may begin a further step. */
  isHeld(): boolean;
}

interface HoldOptions {
  /** Time to live of the lease in milliseconds. */
  ttlMs: number;
  /** Renews the lease; resolves to false when it is held by another process or was cancelled. */
  renew(): Promise<boolean>;
  /** Receives failures of `renew`; the lease is lost only if they outlast it. */
  onError(error: unknown): void;
}

/** Heartbeats per TTL; also bounds the latency of a cancellation by another process. */
const HEARTBEATS = 5;
/** A step may begin within this share of the TTL after a renewal: the rest is a margin for slow writes. */
const SAFE_SHARE = 0.9;

/** Renews an acquired lease in the background during a long operation. */
export function holdLease({ ttlMs, renew, onError }: HoldOptions): HeldLease {
  const lost = new AbortController();
  // Monotonic: setting the wall clock back must not lengthen a lease.
  let renewedAt = performance.now();

  function isHeld(): boolean {
    if (performance.now() - renewedAt > ttlMs * SAFE_SHARE) lost.abort();
    return !lost.signal.aborted;
  }

  const timer = setInterval(async () => {
    const startedAt = performance.now();
    try {
      if (await renew()) renewedAt = startedAt;
      else lost.abort();
    } catch (error) {
      onError(error);
    }
    isHeld();
  }, ttlMs / HEARTBEATS);

  return { lost: lost.signal, isHeld, [Symbol.dispose]: () => clearInterval(timer) };
}
