import type { Lane } from './webhooks.model.ts';

interface SlotOptions {
  /** Attempts in flight in this process. */
  total: number;
  /** Attempts in flight to one endpoint. */
  perEndpoint: number;
}

/** How an attempt ended, as far as the endpoint's capacity is concerned. */
export type SlotOutcome = 'succeeded' | 'failed' | 'unused';

interface EndpointSlots {
  inline: number;
  scheduled: number;
  /** First attempts that are leased and about to begin: being committed, or waiting their turn. */
  ahead: number;
  /** Slots that the endpoint has now: it earns them by answering and loses them by not doing so. */
  window: number;
}

/** An endpoint that nothing is known of starts with this many slots. */
const FIRST_WINDOW = 4;
/** Turns of its slots that an endpoint which answers well may have leased ahead: a commit takes as long as a few. */
const TURNS_AHEAD = 3;
/** Share of all slots, and of an endpoint's, that retries may take: the rest is kept for first attempts. */
const SCHEDULED_SHARE = 0.75;
/** Share of all slots that endpoints which do not answer may take together. */
const STRUGGLING_SHARE = 0.5;
/** Endpoints remembered while nothing is in flight to them. */
const REMEMBERED = 10_000;

/**
 * Who may send, in one process. Every endpoint has slots of its own, so one that hangs holds up nobody else;
 * the window grows by one with each success and halves with each failure, so that many hanging endpoints
 * together do not eat up the process's slots either, and one that comes back is not run over.
 */
export function createSlots({ total, perEndpoint }: SlotOptions) {
  const endpoints = new Map<number, EndpointSlots>();
  const first = Math.min(FIRST_WINDOW, perEndpoint);
  let inFlight = 0;
  let scheduledInFlight = 0;
  let strugglingInFlight = 0;
  let ahead = 0;

  const isStruggling = (slots: EndpointSlots): boolean => slots.window < first;

  function free(endpointId: number, lane: Lane): number {
    const slots = endpoints.get(endpointId) ?? { inline: 0, scheduled: 0, ahead: 0, window: first };
    const own = slots.window - slots.inline - slots.scheduled;
    const forRetries =
      lane === 'scheduled'
        ? Math.min(
            Math.ceil(slots.window * SCHEDULED_SHARE) - slots.scheduled,
            Math.ceil(total * SCHEDULED_SHARE) - scheduledInFlight,
          )
        : Infinity;
    const forStruggling = isStruggling(slots)
      ? Math.ceil(total * STRUGGLING_SHARE) - strugglingInFlight
      : Infinity;
    return Math.max(0, Math.min(own, total - inFlight, forRetries, forStruggling));
  }

  function forgetIdle(): void {
    for (const [id, slots] of endpoints) {
      if (slots.inline + slots.scheduled + slots.ahead === 0) endpoints.delete(id);
      if (endpoints.size <= REMEMBERED / 2) return;
    }
  }

  function slotsOf(endpointId: number): EndpointSlots {
    let slots = endpoints.get(endpointId);
    if (!slots) {
      slots = { inline: 0, scheduled: 0, ahead: 0, window: first };
      endpoints.set(endpointId, slots);
    }
    return slots;
  }

  function take(endpointId: number, lane: Lane): boolean {
    if (free(endpointId, lane) < 1) return false;
    const slots = slotsOf(endpointId);
    slots[lane] += 1;
    inFlight += 1;
    if (lane === 'scheduled') scheduledInFlight += 1;
    if (isStruggling(slots)) strugglingInFlight += 1;
    return true;
  }

  function unreserve(endpointId: number): void {
    slotsOf(endpointId).ahead -= 1;
    ahead -= 1;
  }

  return {
    /** Takes a slot; false when there is none. */
    take,

    /**
     * Allows a first attempt to be leased before it begins. An endpoint of which nothing is known gets as many as it
     * has free slots; one that uses all of them well gets a few turns more, so that its slots do not stand empty
     * while a commit is under way.
     */
    reserve(endpointId: number): boolean {
      const slots = slotsOf(endpointId);
      const turns = slots.window === perEndpoint ? 1 + TURNS_AHEAD : 1;
      const used = slots.inline + slots.scheduled + slots.ahead;
      if (used >= slots.window * turns || inFlight + ahead >= 2 * total) return false;
      if (turns === 1 && free(endpointId, 'inline') <= slots.ahead) return false;
      slots.ahead += 1;
      ahead += 1;
      return true;
    },

    /** Takes back a reservation. */
    unreserve,

    /** Turns a reservation into a slot; false while there is none. */
    begin(endpointId: number): boolean {
      if (!take(endpointId, 'inline')) return false;
      unreserve(endpointId);
      return true;
    },

    /** Gives a slot back. */
    give(endpointId: number, lane: Lane, outcome: SlotOutcome): void {
      const slots = endpoints.get(endpointId);
      if (!slots) return;
      const before = isStruggling(slots);
      slots[lane] -= 1;
      inFlight -= 1;
      if (lane === 'scheduled') scheduledInFlight -= 1;
      if (before) strugglingInFlight -= 1;
      if (outcome === 'succeeded') slots.window = Math.min(perEndpoint, slots.window + 1);
      if (outcome === 'failed') slots.window = Math.max(1, Math.floor(slots.window / 2));
      const others = slots.inline + slots.scheduled;
      if (before !== isStruggling(slots)) strugglingInFlight += before ? -others : others;
      if (endpoints.size > REMEMBERED) forgetIdle();
    },

    inFlight: () => inFlight,
    available: () => total - inFlight,
  };
}

export type Slots = ReturnType<typeof createSlots>;
