import { expect, test } from 'vitest';
import { newDelivery } from '../../../src/features/webhooks/delivery/delivery.model.ts';
import { createPoller } from '../../../src/features/webhooks/delivery/poller.ts';
import type { Candidate, ClaimedDelivery } from '../../../src/features/webhooks/delivery/queue.store.ts';
import { createSlots, type Slots } from '../../../src/features/webhooks/delivery/slots.ts';
import { dueFields } from '../../../src/features/webhooks/delivery/state-updates.ts';
import type { EndpointDoc } from '../../../src/features/webhooks/endpoints/endpoint.model.ts';
import { newObjectId } from '../../../src/platform/mongo/object-id.ts';
import { systemRuntime } from '../../../src/platform/runtime.ts';

const NOW = new Date('2026-01-31T09:30:00Z');
/** More than a claim reads of an endpoint with an order. */
const BACKLOG = 150;
const OWNER = { customerId: 7, endpointId: 1 };
const LIMITS = { total: 32, perTenant: 16, perEndpoint: 8 };

/** Deliveries of distinct conversations that are overdue, oldest first. */
const overdue = (): Candidate[] =>
  Array.from({ length: BACKLOG }, (_, index) => {
    const dueAt = new Date(NOW.getTime() - 60_000 + index);
    const conversationId = `conversation ${index}`;
    const identity = {
      ...OWNER,
      _id: newObjectId(NOW),
      eventId: newObjectId(NOW),
      event: 'outcome.marked',
    } as const;
    return { ...newDelivery(identity, dueFields(dueAt), dueAt), conversationId };
  });

/** A queue that continues where the last claim ended, as the store does. */
function queueOf(backlog: Candidate[]) {
  const due = [...backlog];
  let from = new Date(0);
  const dueAtOf = ({ dueAt = NOW }: Candidate) => dueAt;
  const queue: Parameters<typeof createPoller>[0]['queue'] = {
    endpointsDue: async ({ lane }) =>
      due.slice(0, lane === 'inline' ? 1 : 0).map((oldest) => ({ ...OWNER, oldestDueAt: dueAtOf(oldest) })),
    candidates: async (_lane, [{ slots } = { slots: 0 }]) => {
      const found = due.filter((delivery) => dueAtOf(delivery) >= from).slice(0, slots);
      const last = found.at(-1);
      from = last && found.length === slots ? dueAtOf(last) : new Date(0);
      return found;
    },
    rewind: () => {
      from = new Date(0);
      return true;
    },
    claim: async (candidates) => {
      for (const candidate of candidates) due.splice(due.indexOf(candidate), 1);
      return candidates.map((candidate) => ({ ...candidate, payload: '{}' }));
    },
  };
  return queue;
}

/** Reserves slots for the endpoint until it is refused one; returns their number. */
function reserveAll(slots: Slots): number {
  let reserved = 0;
  while (slots.tryReserve(OWNER)) reserved += 1;
  return reserved;
}

test('the backlog of a disabled endpoint with an order is claimed within its slots, oldest first', async () => {
  const backlog = overdue();
  const slots = createSlots(LIMITS);
  const endpoint = { enabled: false, ordering: 'conversation' } as EndpointDoc;
  const ended: ClaimedDelivery[] = [];
  const poller = createPoller({
    queue: queueOf(backlog),
    slots,
    gates: {
      find: async () => endpoint,
      closedHere: () => null,
      admit: async () => 0,
      beginProbe: async () => false,
    },
    order: {
      areBlocked: async (candidates) => candidates.map(() => false),
      hold: async () => {},
      advance: async () => false,
    },
    clock: { now: () => NOW },
    log: { warn: () => {} } as never,
    runtime: systemRuntime,
    issueLease: () => ({ token: 'token', expiresAt: NOW, heldUntilMs: Infinity }),
    oldestInMemory: () => null,
    // As the dispatcher, which cancels them.
    start: (delivery, lane) => {
      ended.push(delivery);
      slots.release(delivery, lane, 'unused');
    },
    startWhenFree: (delivery) => {
      ended.push(delivery);
      slots.cancelReservation(delivery);
    },
    onSlotsFree: () => {},
    onGateOpens: () => {},
    onInterrupted: () => {},
  });
  await poller.poll();
  expect(ended.map(({ _id }) => _id)).toEqual(backlog.map(({ _id }) => _id));
  expect([slots.inFlight(), reserveAll(slots)]).toEqual([0, reserveAll(createSlots(LIMITS))]);
});
