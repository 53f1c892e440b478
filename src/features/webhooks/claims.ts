import { randomUUID } from 'node:crypto';
import type { Types } from 'mongoose';
import type { Clock } from '../../platform/clock.ts';
import { shuffled } from '../../platform/shuffled.ts';
import type { ClaimedDelivery, QueueStore, Quota } from './queue.store.ts';
import type { Slots } from './slots.ts';
import type { Lane } from './webhooks.model.ts';

interface Deps {
  queue: QueueStore;
  slots: Slots;
  clock: Clock;
  random: () => number;
  /** Whether deliveries of an endpoint wait in memory here: they are started from there, at less cost. */
  isHere: (endpointId: number) => boolean;
  leaseEnd: () => Date;
  /** Gets each delivery that was claimed, with a slot taken for it. */
  start: (delivery: ClaimedDelivery, lane: Lane) => void;
}

/** Takes what is due in the database, as far as there are slots. */
export function createClaims({ queue, slots, clock, random, isHere, leaseEnd, start }: Deps) {
  let stopped = false;
  let pumping: Promise<void> | null = null;
  /** Set when the database may hold more due deliveries than were claimed. */
  let more = false;
  /** Set when `pump` is asked for while it runs. */
  let again = false;

  /** Claims candidates for which slots are taken, starts what was got, and gives the other slots back. */
  async function claim(ids: Types.ObjectId[], slotsTaken: number[], lane: Lane): Promise<number> {
    const unused = new Map<number, number>();
    for (const endpointId of slotsTaken) unused.set(endpointId, (unused.get(endpointId) ?? 0) + 1);
    try {
      // A claim has a token of its own, so that two never mix.
      const claimed =
        ids.length === 0 || stopped ? [] : await queue.claim(ids, randomUUID(), clock.now(), leaseEnd());
      for (const delivery of claimed) {
        unused.set(delivery.endpointId, (unused.get(delivery.endpointId) ?? 0) - 1);
        start(delivery, lane);
      }
      return claimed.length;
    } finally {
      for (const [endpointId, count] of unused)
        for (let i = 0; i < count; i += 1) slots.give(endpointId, lane, 'unused');
    }
  }

  /** Claims what is due in one lane once, as far as there are slots; gives how many it got. */
  async function claimLane(lane: Lane): Promise<number> {
    const now = clock.now();
    const found = await queue.endpointsDue(lane, now);
    const due = shuffled(
      found.filter((endpointId) => lane === 'scheduled' || !isHere(endpointId)),
      random,
    );
    // At once, so that a slot that becomes free while this goes on is not left empty.
    if (due.length > 0) more = true;
    const quotas: Quota[] = [];
    const taken: number[] = [];
    // Shared among all that have something due: many with one each are served as fast as one with many.
    const share = Math.max(1, Math.ceil(slots.available() / Math.max(1, due.length)));
    for (const endpointId of due) {
      let got = 0;
      while (got < share && slots.take(endpointId, lane)) got += 1;
      for (let i = 0; i < got; i += 1) taken.push(endpointId);
      if (got > 0) quotas.push({ endpointId, slots: got });
      if (slots.available() === 0) break;
    }
    if (quotas.length === 0) return 0;
    const ids = await queue.candidates(lane, quotas, now).catch((error: unknown) => {
      for (const endpointId of taken) slots.give(endpointId, lane, 'unused');
      throw error;
    });
    return claim(ids, taken, lane);
  }

  return {
    /** Claims until nothing is due or no slot is free; runs once at a time, and again when asked to meanwhile. */
    pump(): Promise<void> {
      again = true;
      pumping ??= (async () => {
        try {
          while (again && !stopped) {
            again = false;
            more = false;
            const claimed = (await claimLane('inline')) + (await claimLane('scheduled'));
            if (claimed > 0) again = true;
          }
        } finally {
          pumping = null;
        }
      })();
      return pumping;
    },

    /** Something may be due in the database: it is to be looked at as soon as there is a slot. */
    expect(): void {
      more = true;
    },
    /** Whether something may be due that was not claimed. */
    expects: () => more,

    /** Claims nothing more; resolves when what was under way is done. */
    async stop(): Promise<void> {
      stopped = true;
      await pumping?.catch(() => {});
    },
  };
}
