import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../platform/clock.ts';
import type { EndpointDoc } from '../endpoints/endpoint.model.ts';
import type { EndpointStore } from '../endpoints/endpoint.store.ts';
import type { RateLimited, SendQuotaStore } from './send-quota.store.ts';
import type { SlotOwner } from './slots.ts';

/**
 * The gate of an endpoint: whether it may start a delivery now. A delivery that waits at a closed gate stays as it is
 * stored: it takes no slot, costs no write and keeps its place. The poller asks before it acquires slots (`poller.ts`), and
 * the dispatcher before each attempt (`dispatcher.ts`), since a gate can close while a delivery is in memory.
 */

/** Reasons for which a gate is closed. */
export const GATE_REASONS = ['rate_limit', 'paused'] as const;
export type GateReason = (typeof GATE_REASONS)[number];

/** A gate that is closed. */
export interface ClosedGate {
  reason: GateReason;
  /** Time at which it opens; null if that is unknown. */
  until: Date | null;
}

interface Deps {
  endpoints: Pick<EndpointStore, 'current' | 'steered'>;
  quotas: SendQuotaStore;
  clock: Clock;
}

const PAUSED: ClosedGate = { reason: 'paused', until: null };
/** Endpoints whose exhausted rate limit a process remembers. */
const REMEMBERED = 10_000;

const isRateLimited = (endpoint: EndpointDoc): endpoint is EndpointDoc & RateLimited =>
  endpoint.rateLimit != null;

export function createGates({ endpoints, quotas, clock }: Deps) {
  /** Rate limits without a permit, and the time of the next one, as this process last learnt it. */
  const exhausted = new LRUCache<number, { limit: string; until: Date }>({ max: REMEMBERED });

  /** Returns the time of the next permit; null if there may be one. */
  function exhaustedUntil({ id, rateLimit }: EndpointDoc): Date | null {
    const known = exhausted.get(id);
    if (!known || known.until <= clock.now() || known.limit !== JSON.stringify(rateLimit)) return null;
    return known.until;
  }

  /** Returns the gate of an endpoint while it is closed, as far as this process knows. */
  function closedHere(endpoint: EndpointDoc): ClosedGate | null {
    if (endpoint.paused) return PAUSED;
    const until = isRateLimited(endpoint) ? exhaustedUntil(endpoint) : null;
    return until && { reason: 'rate_limit', until };
  }

  /** Admits up to `wanted` attempts to an endpoint; returns their number. */
  async function admit(endpoint: EndpointDoc, wanted: number): Promise<number> {
    if (closedHere(endpoint)) return 0;
    if (!isRateLimited(endpoint)) return wanted;
    const { granted, until } = await quotas.take(endpoint, wanted, clock.now());
    if (until) exhausted.set(endpoint.id, { limit: JSON.stringify(endpoint.rateLimit), until });
    return granted;
  }

  /** Returns the gates of endpoints that are closed, by endpoint. */
  async function closedOf(found: readonly EndpointDoc[]): Promise<Map<number, ClosedGate>> {
    const paused = found.filter((endpoint) => endpoint.paused);
    const next = await quotas.exhausted(found.filter(isRateLimited), clock.now());
    return new Map<number, ClosedGate>([
      ...Array.from(next, ([id, until]) => [id, { reason: 'rate_limit', until }] as const),
      ...paused.map(({ id }) => [id, PAUSED] as const),
    ]);
  }

  return {
    /**
     * True if the gate of the endpoint can be closed at times. Its deliveries are accepted without a slot and wait in the
     * database, so that they take no room in the memory queue.
     */
    isSteered: (endpoint: EndpointDoc): boolean => endpoint.paused === true || isRateLimited(endpoint),

    /**
     * Returns the endpoint of a delivery; null if it was deleted, which the dispatcher handles. Rejects if it cannot be
     * read: then its gate is unknown, and nothing may be claimed.
     */
    find: (owner: SlotOwner): Promise<EndpointDoc | null> => endpoints.current(owner),
    closedHere,
    admit,

    /** Returns whether an attempt may begin. @param admitted the delivery was admitted when it was claimed */
    mayBegin: async (endpoint: EndpointDoc, admitted: boolean): Promise<boolean> =>
      admitted ? !endpoint.paused : (await admit(endpoint, 1)) === 1,

    closedOf,

    /** Returns the gates that are closed among those of all tenants, by endpoint. */
    closed: async (endpointIds: readonly number[]): Promise<Map<number, ClosedGate>> =>
      closedOf(await endpoints.steered(endpointIds)),
  };
}

export type Gates = ReturnType<typeof createGates>;
