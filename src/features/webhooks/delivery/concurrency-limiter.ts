import type { Lane } from './delivery-state.ts';

interface LimiterOptions {
  /** Largest number of attempts in flight in this process. */
  total: number;
  /** Largest number of attempts in flight to one endpoint. */
  perEndpoint: number;
}

/** End of an attempt, as far as the endpoint's window is concerned; `unused`: the slot was released without an attempt. */
export type SlotOutcome = 'succeeded' | 'failed' | 'unused';

interface EndpointSlots {
  inline: number;
  scheduled: number;
  /** First attempts that hold a lease and no slot yet: being committed, or queued for a slot. */
  reserved: number;
  /** Current number of slots of the endpoint: grows with successes and shrinks with failures. */
  window: number;
}

/** Initial window of an endpoint. */
const INITIAL_WINDOW = 4;
/** Extra windows that an endpoint at its full window may reserve: a commit takes as long as a few attempts. */
const RESERVED_WINDOWS = 3;
/** Share of all slots, and of an endpoint's window, that retries may take: the rest is kept for first attempts. */
const SCHEDULED_SHARE = 0.75;
/** Share of all slots that failing endpoints may take together. */
const FAILING_SHARE = 0.5;
/** Number of idle endpoints whose window is kept. */
const REMEMBERED = 10_000;

/**
 * Limits the attempts in flight in one process. Every endpoint has its own slots, so a hanging endpoint delays no
 * other. Its window grows by one with each success and halves with each failure (AIMD), so that many hanging endpoints
 * together do not exhaust the process, and one that recovers is not flooded.
 */
export function createConcurrencyLimiter({ total, perEndpoint }: LimiterOptions) {
  const endpoints = new Map<number, EndpointSlots>();
  const initialWindow = Math.min(INITIAL_WINDOW, perEndpoint);
  let inFlight = 0;
  let scheduledInFlight = 0;
  let failingInFlight = 0;
  let reserved = 0;

  const isFailing = (slots: EndpointSlots): boolean => slots.window < initialWindow;
  const newSlots = (): EndpointSlots => ({ inline: 0, scheduled: 0, reserved: 0, window: initialWindow });

  function freeSlots(endpointId: number, lane: Lane): number {
    const slots = endpoints.get(endpointId) ?? newSlots();
    const own = slots.window - slots.inline - slots.scheduled;
    const forRetries =
      lane === 'scheduled'
        ? Math.min(
            Math.ceil(slots.window * SCHEDULED_SHARE) - slots.scheduled,
            Math.ceil(total * SCHEDULED_SHARE) - scheduledInFlight,
          )
        : Infinity;
    const forFailing = isFailing(slots) ? Math.ceil(total * FAILING_SHARE) - failingInFlight : Infinity;
    return Math.max(0, Math.min(own, total - inFlight, forRetries, forFailing));
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

  function tryAcquire(endpointId: number, lane: Lane): boolean {
    if (freeSlots(endpointId, lane) < 1) return false;
    const slots = slotsOf(endpointId);
    slots[lane] += 1;
    inFlight += 1;
    if (lane === 'scheduled') scheduledInFlight += 1;
    if (isFailing(slots)) failingInFlight += 1;
    return true;
  }

  function cancelReservation(endpointId: number): void {
    slotsOf(endpointId).reserved -= 1;
    reserved -= 1;
  }

  return {
    /** Acquires a slot; returns false when none is free. Release it with `release`. */
    tryAcquire,

    /**
     * Reserves a slot for a first attempt, so that its delivery can be leased in the commit that accepts it. Ends with
     * `tryAcquireReserved` or `cancelReservation`. An endpoint with a full window may reserve a few windows ahead, so
     * that its slots do not stand empty while a commit is in progress.
     */
    tryReserve(endpointId: number): boolean {
      const slots = slotsOf(endpointId);
      const windows = slots.window === perEndpoint ? 1 + RESERVED_WINDOWS : 1;
      const used = slots.inline + slots.scheduled + slots.reserved;
      if (used >= slots.window * windows || inFlight + reserved >= 2 * total) return false;
      if (windows === 1 && freeSlots(endpointId, 'inline') <= slots.reserved) return false;
      slots.reserved += 1;
      reserved += 1;
      return true;
    },

    cancelReservation,

    /** Turns a reservation into a slot; returns false when none is free. */
    tryAcquireReserved(endpointId: number): boolean {
      if (!tryAcquire(endpointId, 'inline')) return false;
      cancelReservation(endpointId);
      return true;
    },

    release(endpointId: number, lane: Lane, outcome: SlotOutcome): void {
      const slots = endpoints.get(endpointId);
      if (!slots) return;
      const wasFailing = isFailing(slots);
      slots[lane] -= 1;
      inFlight -= 1;
      if (lane === 'scheduled') scheduledInFlight -= 1;
      if (wasFailing) failingInFlight -= 1;
      if (outcome === 'succeeded') slots.window = Math.min(perEndpoint, slots.window + 1);
      if (outcome === 'failed') slots.window = Math.max(1, Math.floor(slots.window / 2));
      const others = slots.inline + slots.scheduled;
      if (wasFailing !== isFailing(slots)) failingInFlight += wasFailing ? -others : others;
      if (endpoints.size > REMEMBERED) forgetIdle();
    },

    inFlight: () => inFlight,
    available: () => total - inFlight,
  };
}

export type ConcurrencyLimiter = ReturnType<typeof createConcurrencyLimiter>;
