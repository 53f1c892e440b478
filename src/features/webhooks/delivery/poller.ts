import type { Clock } from '../../../platform/clock.ts';
import { issueLease } from '../../../platform/mongo/lease.ts';
import { shuffled } from '../../../platform/shuffled.ts';
import type { ConcurrencyLimiter } from './concurrency-limiter.ts';
import type { Lane } from './delivery-state.ts';
import type { Candidate, ClaimedDelivery, QueueStore, Quota } from './queue.store.ts';

interface Deps {
  queue: Pick<QueueStore, 'endpointsDue' | 'candidates' | 'claim'>;
  limiter: ConcurrencyLimiter;
  clock: Clock;
  random: () => number;
  leaseTtlMs: number;
  /** True if the memory queue has deliveries of the endpoint: the dispatcher starts these at less cost. */
  isQueuedInMemory: (endpointId: number) => boolean;
  /** Receives each claimed delivery, with a slot acquired for it. */
  start: (delivery: ClaimedDelivery, lane: Lane) => void;
}

/** Claims due deliveries from the database, as far as there are free slots. */
export function createPoller(deps: Deps) {
  const { queue, limiter, clock, random, leaseTtlMs, isQueuedInMemory, start } = deps;
  let stopped = false;
  let polling: Promise<void> | null = null;
  /** True while the database may hold due deliveries that were not claimed. */
  let backlogged = false;
  /** True when `poll` was called during a poll. */
  let pollAgain = false;

  /** Acquires slots for an endpoint, at most `limit`; returns their number. */
  function acquireSlots(endpointId: number, lane: Lane, limit: number): number {
    let slots = 0;
    while (slots < limit && limiter.tryAcquire(endpointId, lane)) slots += 1;
    return slots;
  }

  function releaseUnused(quotas: Quota[], lane: Lane): void {
    for (const { endpointId, slots } of quotas)
      for (let i = 0; i < slots; i += 1) limiter.release(endpointId, lane, 'unused');
  }

  /** Claims within quotas for which slots are acquired, starts what was claimed, and releases the other slots. */
  async function claim(quotas: Quota[], lane: Lane, now: Date): Promise<number> {
    const unused = new Map(quotas.map(({ endpointId, slots }) => [endpointId, slots]));
    try {
      const candidates: Candidate[] = await queue.candidates(lane, quotas, now);
      if (candidates.length === 0 || stopped) return 0;
      // A token per claim, so that two claims of this process never mix.
      const claimed = await queue.claim(candidates, issueLease(clock, leaseTtlMs), clock.now());
      for (const delivery of claimed) {
        const { endpointId } = delivery;
        unused.set(endpointId, (unused.get(endpointId) ?? 0) - 1);
        start(delivery, lane);
      }
      return claimed.length;
    } finally {
      releaseUnused(
        [...unused].map(([endpointId, slots]) => ({ endpointId, slots })),
        lane,
      );
    }
  }

  /** Claims once in a lane; returns the number of claimed deliveries. */
  async function claimLane(lane: Lane): Promise<number> {
    const now = clock.now();
    const endpointIds = await queue.endpointsDue(lane, now);
    const due = shuffled(
      endpointIds.filter((id) => lane === 'scheduled' || !isQueuedInMemory(id)),
      random,
    );
    if (due.length === 0) return 0;
    // Set before the slots are acquired: a slot that becomes free during the claim is used for the rest.
    backlogged = true;
    const quotas: Quota[] = [];
    // An equal share per endpoint: many endpoints with one delivery each are served as fast as one with many.
    const share = Math.max(1, Math.ceil(limiter.available() / due.length));
    for (const endpointId of due) {
      const slots = acquireSlots(endpointId, lane, share);
      if (slots > 0) quotas.push({ endpointId, slots });
      if (limiter.available() === 0) break;
    }
    return quotas.length === 0 ? 0 : claim(quotas, lane, now);
  }

  return {
    /** Claims until nothing is due or no slot is free. Concurrent calls share one run, which then checks once more. */
    poll(): Promise<void> {
      pollAgain = true;
      polling ??= (async () => {
        try {
          while (pollAgain && !stopped) {
            pollAgain = false;
            backlogged = false;
            const claimed = (await claimLane('inline')) + (await claimLane('scheduled'));
            if (claimed > 0) pollAgain = true;
          }
        } finally {
          polling = null;
        }
      })();
      return polling;
    },

    /** Notes that the database may hold a due delivery. */
    markBacklogged(): void {
      backlogged = true;
    },
    isBacklogged: () => backlogged,

    /** Claims nothing more; resolves when the current poll has ended. */
    async stop(): Promise<void> {
      stopped = true;
      await polling?.catch(() => {});
    },
  };
}
