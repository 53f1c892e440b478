import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../platform/clock.ts';
import { type EndpointDoc, timeoutMsOf } from '../endpoints/endpoint.model.ts';
import type { EndpointStore } from '../endpoints/endpoint.store.ts';
import { renewedLeaseTtlMs } from './lease.ts';
import type { IssuedLease } from './process-leases.ts';
import type { ClaimedDelivery } from './queue.store.ts';
import type { RateLimited, SendQuotaStore } from './send-quota.store.ts';
import type { SlotOwner } from './slots.ts';

/**
 * The gate of an endpoint: whether it may start a delivery now. A delivery that waits at a closed gate stays as it is
 * stored: it takes no slot, costs no write and keeps its place. The poller asks before it acquires slots (`poller.ts`), and
 * the dispatcher before each attempt (`dispatcher.ts`), since a gate can close while a delivery is in memory.
 */

/** Reasons for which a gate is closed. */
const GATE_REASONS = ['rate_limit', 'circuit', 'paused', 'suspended'] as const;
type GateReason = (typeof GATE_REASONS)[number];

/**
 * Reasons for which a due delivery waits: for a slot, for earlier deliveries of its conversation, or at the gate of its
 * endpoint.
 */
export const WAIT_REASONS = ['slot', 'order', ...GATE_REASONS] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

/** A gate that is closed. */
export interface ClosedGate {
  reason: GateReason;
  /** Time at which it opens, or of the next probe; null if that is unknown. */
  until: Date | null;
}

interface Deps {
  endpoints: Pick<EndpointStore, 'current' | 'steered' | 'beginProbe'>;
  quotas: SendQuotaStore;
  clock: Clock;
  /** Time limit of an attempt to an endpoint that sets none. */
  timeoutMs: number;
}

const PAUSED: ClosedGate = { reason: 'paused', until: null };
const SUSPENDED: ClosedGate = { reason: 'suspended', until: null };
/** Endpoints whose exhausted rate limit a process remembers. */
const REMEMBERED = 10_000;

const isRateLimited = (endpoint: EndpointDoc): endpoint is EndpointDoc & RateLimited =>
  endpoint.rateLimit != null;

/** True for an attempt that a client has asked for, which begins whether or not the circuit is closed, and for a probe. */
const passesCircuit = ({ isProbe, isTest, manual }: ClaimedDelivery): boolean =>
  isProbe === true || isTest === true || manual !== undefined;

/** Decides whether an attempt to an endpoint may begin now. */
export function createGates({ endpoints, quotas, clock, timeoutMs }: Deps) {
  /** Rate limits that had no permit left when this process last read them, and the time of their next permit. */
  const exhausted = new LRUCache<number, { limit: string; until: Date }>({ max: REMEMBERED });

  /** Returns the time of the next permit; null if there may be one. */
  function exhaustedUntil({ id, rateLimit }: EndpointDoc): Date | null {
    const known = exhausted.get(id);
    if (!known || known.until <= clock.now() || known.limit !== JSON.stringify(rateLimit)) return null;
    return known.until;
  }

  /** Returns the gate of an endpoint if it is closed, by what this process knows. */
  function closedHere(endpoint: EndpointDoc): ClosedGate | null {
    if (endpoint.suspended) return SUSPENDED;
    if (endpoint.paused) return PAUSED;
    if (endpoint.circuit) return { reason: 'circuit', until: endpoint.circuit.probeAt };
    const until = isRateLimited(endpoint) ? exhaustedUntil(endpoint) : null;
    return until && { reason: 'rate_limit', until };
  }

  /** Admits up to `wanted` attempts to an endpoint; returns their number. */
  const admit = async (endpoint: EndpointDoc, wanted: number): Promise<number> =>
    closedHere(endpoint) ? 0 : takePermits(endpoint, wanted);

  /** Takes up to `wanted` permits of the rate limit of an endpoint; returns their number. */
  async function takePermits(endpoint: EndpointDoc, wanted: number): Promise<number> {
    if (wanted === 0 || !isRateLimited(endpoint)) return wanted;
    if (exhaustedUntil(endpoint)) return 0;
    const { granted, until } = await quotas.take(endpoint, wanted, clock.now());
    if (until) exhausted.set(endpoint.id, { limit: JSON.stringify(endpoint.rateLimit), until });
    return granted;
  }

  /** Returns the gates of endpoints that are closed, by endpoint. */
  async function closedOf(found: readonly EndpointDoc[]): Promise<Map<number, ClosedGate>> {
    const next = await quotas.exhausted(found.filter(isRateLimited), clock.now());
    return new Map<number, ClosedGate>([
      ...Array.from(next, ([id, until]) => [id, { reason: 'rate_limit', until }] as const),
      ...found.flatMap((endpoint) => {
        const isClosed = endpoint.suspended || endpoint.paused || endpoint.circuit;
        const gate = isClosed ? closedHere(endpoint) : null;
        return gate ? [[endpoint.id, gate] as const] : [];
      }),
    ]);
  }

  return {
    /**
     * True if the gate of the endpoint can be closed at times. Its deliveries are accepted without a slot and wait in the
     * database, so that they take no room in the memory queue.
     *
     * @param options.isAskedFor a client has asked for the attempt: it passes the circuit
     */
    isSteered: (endpoint: EndpointDoc, { isAskedFor = false } = {}): boolean =>
      endpoint.suspended === true ||
      endpoint.paused === true ||
      isRateLimited(endpoint) ||
      (endpoint.circuit != null && !isAskedFor),

    /**
     * Returns the endpoint of a delivery; null if it was deleted, which the dispatcher handles. Rejects if it cannot be
     * read: then its gate is unknown, and nothing may be claimed.
     */
    find: (owner: SlotOwner): Promise<EndpointDoc | null> => endpoints.current(owner),
    closedHere,
    admit,

    /** Returns whether a claim may find something to begin: the gate is open, or a probe is due. */
    mayWake(endpoint: EndpointDoc): boolean {
      const gate = closedHere(endpoint);
      return gate === null || (gate.until !== null && gate.until <= clock.now());
    },

    /** Returns whether an attempt may begin. */
    async mayBegin(endpoint: EndpointDoc, delivery: ClaimedDelivery): Promise<boolean> {
      if (endpoint.suspended || endpoint.paused) return false;
      if (endpoint.circuit && !passesCircuit(delivery)) return false;
      return delivery.admitted === true || (await takePermits(endpoint, 1)) === 1;
    },

    /**
     * Begins a probe of an endpoint whose circuit is not closed, unless another process has, or its rate limit is
     * exhausted. The next one may begin when the lease of this one, which may be renewed once, has ended.
     */
    async beginProbe(endpoint: EndpointDoc, lease: IssuedLease): Promise<boolean> {
      if ((await takePermits(endpoint, 1)) === 0) return false;
      const ownTimeoutMs = timeoutMsOf(endpoint, timeoutMs);
      const renewalMs = ownTimeoutMs > timeoutMs ? renewedLeaseTtlMs(ownTimeoutMs) : 0;
      const until = new Date(lease.expiresAt.getTime() + renewalMs);
      return endpoints.beginProbe(endpoint, { at: clock.now(), until });
    },

    closedOf,

    /** Returns the closed gates of endpoints of all tenants, by endpoint. */
    closed: async (endpointIds: readonly number[]): Promise<Map<number, ClosedGate>> =>
      closedOf(await endpoints.steered(endpointIds)),
  };
}

export type Gates = ReturnType<typeof createGates>;
