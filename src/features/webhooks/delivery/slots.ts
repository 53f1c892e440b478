import type { Lane } from './state.ts';

interface SlotLimits {
  /** Largest number of attempts in flight in this process. */
  total: number;
  /** Largest number of attempts in flight to the endpoints of one tenant. */
  perTenant: number;
  /** Largest number of attempts in flight to one endpoint. */
  perEndpoint: number;
}

/** Endpoint that a slot is for, and its tenant. */
export interface SlotOwner {
  customerId: number;
  endpointId: number;
}

/**
 * Effect of an attempt on the endpoint's window. `slow`: it succeeded so late that a larger window would hold slots
 * rather than deliver more. `unused`: the slot was released without an attempt.
 */
export type SlotOutcome = 'succeeded' | 'slow' | 'failed' | 'unused';

/** Slots that endpoints share: all slots of the process, or a tenant's. */
interface SlotPool {
  limit: number;
  inFlight: number;
  scheduled: number;
  /** Slots of failing endpoints. */
  failing: number;
  reserved: number;
}

interface EndpointSlots {
  inline: number;
  scheduled: number;
  /** First attempts that hold a lease and no slot yet: being committed, or queued for a slot. */
  reserved: number;
  /** First attempts that have started since the last turn of an overdue retry. */
  startsSinceRetry: number;
  /** Current number of slots of the endpoint: grows with successes and shrinks with failures. */
  window: number;
}

/** Initial window of an endpoint. */
const INITIAL_WINDOW = 4;
/**
 * Extra windows that an endpoint at its full window may reserve: a commit takes as long as a few attempts. A delivery
 * beyond them waits without a lease, and acquires one by a write of its own.
 */
const RESERVED_WINDOWS = 7;
/** Further windows for overdue deliveries; also below the full window. */
const RESERVED_WINDOWS_IF_OVERDUE = 1;
/** Number of first attempts of an endpoint that start for each overdue retry. */
const STARTS_PER_OVERDUE_RETRY = 4;
/** Share of a pool, and of an endpoint's window, that retries may take: the rest is kept for first attempts. */
const SCHEDULED_SHARE = 0.75;
/** Share of a pool that failing endpoints may take together. */
const FAILING_SHARE = 0.5;
/** Slots in use and reservations that a pool may have together, as a multiple of its limit. */
const MAX_COMMITTED = 2;
/** The same with the reservations for overdue deliveries. */
const MAX_COMMITTED_IF_OVERDUE = 2.5;
/** A full process claims further deliveries up to this many slots in use and reservations, as a multiple of its limit. */
const CLAIM_AHEAD_BELOW = 1.5;
/** Number of idle endpoints whose window is kept. */
const REMEMBERED = 10_000;

const newPool = (limit: number): SlotPool => ({ limit, inFlight: 0, scheduled: 0, failing: 0, reserved: 0 });

/** Returns the free slots of a pool. @param isFailing of the endpoint that asks */
function freeInPool(
  { limit, inFlight, scheduled, failing }: SlotPool,
  lane: Lane,
  isFailing: boolean,
): number {
  const forRetries = lane === 'scheduled' ? Math.ceil(limit * SCHEDULED_SHARE) - scheduled : Infinity;
  const forFailing = isFailing ? Math.ceil(limit * FAILING_SHARE) - failing : Infinity;
  return Math.min(limit - inFlight, forRetries, forFailing);
}

/**
 * Limits the attempts in flight in one process. Every endpoint has its own slots, so a hanging endpoint delays no
 * other. Its window grows by one with each prompt success and halves with each failure (AIMD), so that many hanging
 * endpoints together do not exhaust the process, and one that recovers is not flooded. The endpoints of a tenant share
 * a part of the slots, so that a tenant with many slow endpoints delays no other tenant.
 */
export function createSlots({ total, perTenant, perEndpoint }: SlotLimits) {
  const whole = newPool(total);
  /** Pools of the tenants that use or reserve slots. */
  const tenants = new Map<number, SlotPool>();
  const endpoints = new Map<number, EndpointSlots>();
  const initialWindow = Math.min(INITIAL_WINDOW, perEndpoint);

  const isFailing = (slots: EndpointSlots): boolean => slots.window < initialWindow;
  const newSlots = (): EndpointSlots => ({
    inline: 0,
    scheduled: 0,
    reserved: 0,
    startsSinceRetry: 0,
    window: initialWindow,
  });

  const poolsOf = (customerId: number): [SlotPool, SlotPool] => [
    whole,
    tenants.get(customerId) ?? newPool(perTenant),
  ];

  function freeSlots({ customerId, endpointId }: SlotOwner, lane: Lane): number {
    const slots = endpoints.get(endpointId) ?? newSlots();
    const own = slots.window - slots.inline - slots.scheduled;
    const ownForRetries =
      lane === 'scheduled' ? Math.ceil(slots.window * SCHEDULED_SHARE) - slots.scheduled : Infinity;
    const shared = poolsOf(customerId).map((pool) => freeInPool(pool, lane, isFailing(slots)));
    return Math.max(0, Math.min(own, ownForRetries, ...shared));
  }

  function forgetIdle(): void {
    for (const [id, slots] of endpoints) {
      if (slots.inline + slots.scheduled + slots.reserved === 0) endpoints.delete(id);
      if (endpoints.size <= REMEMBERED / 2) return;
    }
  }

  function slotsOf(endpointId: number): EndpointSlots {
    let slots = endpoints.get(endpointId);
    if (!slots) {
      slots = newSlots();
      endpoints.set(endpointId, slots);
    }
    return slots;
  }

  /** Changes the pools that a tenant's slots are in; keeps the tenant's own while it is in use. */
  function changePools(customerId: number, change: (pool: SlotPool) => void): void {
    const [, tenant] = poolsOf(customerId);
    change(whole);
    change(tenant);
    if (tenant.inFlight + tenant.reserved > 0) tenants.set(customerId, tenant);
    else tenants.delete(customerId);
  }

  function tryAcquire(owner: SlotOwner, lane: Lane): boolean {
    if (freeSlots(owner, lane) < 1) return false;
    const slots = slotsOf(owner.endpointId);
    slots[lane] += 1;
    if (lane === 'inline')
      slots.startsSinceRetry = Math.min(slots.startsSinceRetry + 1, STARTS_PER_OVERDUE_RETRY * slots.window);
    changePools(owner.customerId, (pool) => {
      pool.inFlight += 1;
      if (lane === 'scheduled') pool.scheduled += 1;
      if (isFailing(slots)) pool.failing += 1;
    });
    return true;
  }

  function changeReserved({ customerId, endpointId }: SlotOwner, by: 1 | -1): void {
    slotsOf(endpointId).reserved += by;
    changePools(customerId, (pool) => {
      pool.reserved += by;
    });
  }

  function tryReserve(
    owner: SlotOwner,
    { overdue = false, atMost = Infinity }: { overdue?: boolean; atMost?: number } = {},
  ): boolean {
    const slots = slotsOf(owner.endpointId);
    if (slots.reserved >= atMost) return false;
    const windows =
      (slots.window === perEndpoint ? 1 + RESERVED_WINDOWS : 1) + (overdue ? RESERVED_WINDOWS_IF_OVERDUE : 0);
    const used = slots.inline + slots.scheduled + slots.reserved;
    if (used >= slots.window * windows) return false;
    const maxCommitted = overdue ? MAX_COMMITTED_IF_OVERDUE : MAX_COMMITTED;
    for (const { limit, inFlight, reserved } of poolsOf(owner.customerId))
      if (inFlight + reserved >= maxCommitted * limit) return false;
    if (windows === 1 && freeSlots(owner, 'inline') <= slots.reserved) return false;
    changeReserved(owner, 1);
    return true;
  }

  /** Takes the turn of an overdue retry by `take`, once four first attempts of the endpoint have started for it. */
  function tryTakeTurn({ endpointId }: SlotOwner, take: () => boolean): boolean {
    const slots = slotsOf(endpointId);
    if (slots.startsSinceRetry < STARTS_PER_OVERDUE_RETRY || !take()) return false;
    slots.startsSinceRetry -= STARTS_PER_OVERDUE_RETRY;
    return true;
  }

  return {
    /** Largest number of attempts in flight to one endpoint. */
    perEndpoint,

    /** Acquires a slot; returns false when none is free. Release it with `release`. */
    tryAcquire,

    /**
     * Reserves a slot for a first attempt, so that its delivery can be leased in the commit that accepts it. Ends with
     * `tryAcquireReserved` or `cancelReservation`. An endpoint with a full window may reserve a few windows ahead, so
     * that its slots do not stand empty while a commit is in progress.
     *
     * @param options.overdue the delivery has been due for longer than `OVERDUE_AFTER_MS`: it goes next
     * @param options.atMost reservations that the endpoint may have, this one included; by default, its windows limit them
     */
    tryReserve,

    /**
     * Reserves a slot for an overdue retry, as `tryReserve` does, once four first attempts of the endpoint have started
     * for it. Without it, retries would wait for as long as first attempts take every slot.
     */
    tryReserveForRetry: (owner: SlotOwner): boolean =>
      tryTakeTurn(owner, () => tryReserve(owner, { overdue: true })),

    /** Acquires a slot for an overdue retry, as often as `tryReserveForRetry` reserves one. */
    tryAcquireForRetry: (owner: SlotOwner): boolean =>
      tryTakeTurn(owner, () => tryAcquire(owner, 'scheduled')),

    cancelReservation: (owner: SlotOwner): void => changeReserved(owner, -1),

    /** Turns a reservation into a slot; returns false when none is free. */
    tryAcquireReserved(owner: SlotOwner): boolean {
      if (!tryAcquire(owner, 'inline')) return false;
      changeReserved(owner, -1);
      return true;
    },

    release({ customerId, endpointId }: SlotOwner, lane: Lane, outcome: SlotOutcome): void {
      const slots = endpoints.get(endpointId);
      if (!slots) return;
      const failingBefore = isFailing(slots) ? slots.inline + slots.scheduled : 0;
      slots[lane] -= 1;
      if (outcome === 'unused' && lane === 'inline')
        slots.startsSinceRetry = Math.max(0, slots.startsSinceRetry - 1);
      if (outcome === 'succeeded') slots.window = Math.min(perEndpoint, slots.window + 1);
      if (outcome === 'failed') slots.window = Math.max(1, Math.floor(slots.window / 2));
      const failingAfter = isFailing(slots) ? slots.inline + slots.scheduled : 0;
      changePools(customerId, (pool) => {
        pool.inFlight -= 1;
        if (lane === 'scheduled') pool.scheduled -= 1;
        pool.failing += failingAfter - failingBefore;
      });
      if (endpoints.size > REMEMBERED) forgetIdle();
    },

    inFlight: () => whole.inFlight,
    available: () => total - whole.inFlight,
    /** True if a claim can find a free slot, or enough reservations to be worth it. */
    hasRoom: () => whole.inFlight < total || whole.inFlight + whole.reserved <= CLAIM_AHEAD_BELOW * total,
  };
}

export type Slots = ReturnType<typeof createSlots>;
