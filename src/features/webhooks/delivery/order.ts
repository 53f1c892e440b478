import type { Types } from 'mongoose';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import { coalesced } from '../../../platform/mongo/coalesced.ts';
import type { Runtime } from '../../../platform/runtime.ts';
import type { Head, OrderStore } from './order.store.ts';
import type { Candidate, QueueStore } from './queue.store.ts';
import type { SlotOwner } from './slots.ts';

/**
 * The order of conversations, for endpoints with `ordering: conversation`. The rule: **an attempt of a delivery begins only
 * while no delivery of its conversation with an earlier event is open.** The dispatcher reads that before each attempt, so
 * that the rule holds for any number of processes, after a crash and for deliveries that are open again after a recovery.
 * What reads and writes see is on a majority of the members, so no failover undoes what an attempt has relied on.
 *
 * The rest saves work. A due delivery that is not the next of its conversation is held: it leaves its queue, so that no claim
 * reads it again. When a delivery ends, the process makes the next one of its conversation due. After it has held one, it
 * looks once more, since the earlier one may have ended meanwhile. What a crash leaves out, `sweep` does.
 */

/** A conversation of an endpoint. */
interface InOrder extends SlotOwner {
  conversationId: string;
}

/** The part of a delivery that its place depends on. */
interface Placed extends SlotOwner {
  conversationId?: string | undefined;
  eventId: Types.ObjectId;
  /** Present for a resend by hand, which is outside of the order. */
  manual?: unknown;
}

interface Deps {
  store: OrderStore;
  queue: Pick<QueueStore, 'endpointsDue'>;
  clock: Clock;
  log: Logger;
  runtime: Runtime;
}

/** Endpoints that a sweep reads, and conversations of each. */
const SWEEP_PAGE = 1_000;

const isOfConversation = <D extends Placed>(delivery: D): delivery is D & InOrder =>
  delivery.conversationId !== undefined;

/** True if the next attempt of the delivery has a place in the order. */
const hasPlace = <D extends Placed>(delivery: D): delivery is D & InOrder =>
  isOfConversation(delivery) && delivery.manual === undefined;

const keyOf = ({ endpointId, conversationId }: InOrder): string => `${endpointId} ${conversationId}`;

/** True if no open delivery of the conversation has an earlier event. */
const isHead = ({ eventId }: Placed, head: Head | null): boolean =>
  head === null || eventId.toHexString() <= head.eventId.toHexString();

/** Keeps the deliveries of ordered endpoints in the order of their conversations. */
export function createDeliveryOrder({ store, queue, clock, log, runtime }: Deps) {
  /** Last endpoint of the previous sweep; null if no endpoint with held deliveries was left. */
  let lastSwept: number | null = null;
  /** Last conversation of the previous sweep by endpoint; absent where that was the last one. */
  const lastOf = new Map<number, string>();

  /** Heads of the conversations, in their order: one query per endpoint. */
  async function headsOf(conversations: readonly InOrder[]): Promise<(Head | null)[]> {
    const byEndpoint = Map.groupBy(conversations, ({ endpointId }) => endpointId);
    const found = await Promise.all(
      Array.from(byEndpoint, async ([endpointId, [first, ...others]]) => {
        if (!first) return [];
        const ids = new Set([first, ...others].map(({ conversationId }) => conversationId));
        const heads = await store.heads(first, { ids: [...ids] });
        return heads.map((head) => [keyOf({ ...head, endpointId }), head] as const);
      }),
    );
    const heads = new Map(found.flat());
    return conversations.map((each) => heads.get(keyOf(each)) ?? null);
  }

  const headOf = coalesced(headsOf, { runtime });

  /** Makes held heads due; returns their number. */
  async function unhold(heads: readonly (Head | null)[]): Promise<number> {
    const held = heads.filter((head) => head?.lane === 'held') as Head[];
    return held.length === 0 ? 0 : store.unhold(held, clock.now());
  }

  /** Makes held heads of a page of conversations due; returns their number. */
  async function sweepEndpoint(endpoint: SlotOwner): Promise<number> {
    const { endpointId } = endpoint;
    const heads = await store.heads(endpoint, { after: lastOf.get(endpointId) ?? '', limit: SWEEP_PAGE });
    const last = heads.at(-1);
    if (last && heads.length === SWEEP_PAGE) lastOf.set(endpointId, last.conversationId);
    else lastOf.delete(endpointId);
    return unhold(heads);
  }

  return {
    /** Returns whether an attempt of the delivery may begin. */
    isNext: async (delivery: Placed): Promise<boolean> =>
      !hasPlace(delivery) || isHead(delivery, await headOf(delivery)),

    /** Returns for each delivery whether it waits for an earlier one. */
    async areBlocked(deliveries: readonly Placed[]): Promise<boolean[]> {
      const placed = deliveries.filter(hasPlace);
      if (placed.length === 0) return deliveries.map(() => false);
      const heads = await headsOf(placed);
      const blocked = new Set(
        placed.filter((each, index) => !isHead(each, heads[index] ?? null)) as Placed[],
      );
      return deliveries.map((each) => blocked.has(each));
    },

    /** Holds due deliveries back that wait for an earlier one. */
    hold: (candidates: readonly Candidate[]): Promise<void> => store.hold(candidates, clock.now()),

    /**
     * Makes the next deliveries due, of the conversations of deliveries that have ended or are held; returns true if there
     * are any. A failure is left to the sweep.
     */
    async advance(deliveries: readonly Placed[]): Promise<boolean> {
      const unique = new Map(deliveries.filter(isOfConversation).map((each) => [keyOf(each), each]));
      try {
        return (await unhold(await Promise.all([...unique.values()].map(headOf)))) > 0;
      } catch (error) {
        log.warn({ err: error }, 'the next deliveries of conversations wait for the sweep');
        return false;
      }
    },

    /** Makes the deliveries due that a crash has left held; called by the scheduler. Returns true if there are any. */
    async sweep(): Promise<boolean> {
      const now = clock.now();
      const page = await queue.endpointsDue({ lane: 'held', now, after: lastSwept, limit: SWEEP_PAGE });
      lastSwept = page.length < SWEEP_PAGE ? null : (page.at(-1)?.endpointId ?? null);
      let found = 0;
      for (const endpoint of page) found += await sweepEndpoint(endpoint);
      return found > 0;
    },
  };
}

export type DeliveryOrder = ReturnType<typeof createDeliveryOrder>;
