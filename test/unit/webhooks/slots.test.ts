import { describe, expect, test } from 'vitest';
import {
  createSlots,
  type SlotOutcome,
  type SlotOwner,
  type Slots,
} from '../../../src/features/webhooks/delivery/slots.ts';
import type { Lane } from '../../../src/features/webhooks/delivery/state.ts';

const LIMITS = { total: 32, perTenant: 8, perEndpoint: 6 };
const newSlots = () => createSlots(LIMITS);
const endpoint = (endpointId: number, customerId = 1): SlotOwner => ({ customerId, endpointId });

/** Acquires slots for the owners in turn until each is refused; returns their number per owner. */
function acquireAll(slots: Slots, owners: SlotOwner[], lane: Lane = 'inline'): number[] {
  const acquired = owners.map(() => 0);
  for (let served = true; served; ) {
    served = false;
    for (const [index, owner] of owners.entries())
      if (slots.tryAcquire(owner, lane)) {
        acquired[index] = (acquired[index] ?? 0) + 1;
        served = true;
      }
  }
  return acquired;
}

/** Makes one attempt after the other. */
function attempts(slots: Slots, owner: SlotOwner, outcomes: SlotOutcome[]): void {
  for (const outcome of outcomes) {
    expect(slots.tryAcquire(owner, 'inline')).toBe(true);
    slots.release(owner, 'inline', outcome);
  }
}

describe('window of an endpoint', () => {
  test.each<[name: string, outcomes: SlotOutcome[], window: number]>([
    ['is 4 at first', [], 4],
    ['grows by one with a success', ['succeeded'], 5],
    ['grows to the limit per endpoint', Array(9).fill('succeeded'), 6],
    ['stays with slow successes', ['slow', 'slow', 'slow'], 4],
    ['stays with slots released unused', ['unused', 'unused'], 4],
    ['halves with a failure', ['failed'], 2],
    ['shrinks to one slot', Array(5).fill('failed'), 1],
    ['of a failing endpoint stays with slow successes', ['failed', 'slow'], 2],
    ['of a failing endpoint grows with successes', ['failed', 'succeeded'], 3],
  ])('%s', (_name, outcomes, window) => {
    const slots = newSlots();
    attempts(slots, endpoint(1), outcomes);
    expect(acquireAll(slots, [endpoint(1)])).toEqual([window]);
  });
});

describe('slots acquired in turn', () => {
  const many = (count: number, customerId = 1) =>
    Array.from({ length: count }, (_, index) => endpoint(customerId * 100 + index, customerId));

  test.each<[name: string, owners: SlotOwner[], lane: Lane, acquired: number[]]>([
    ['one endpoint: its window', many(1), 'inline', [4]],
    ['retries: three quarters of the window', many(1), 'scheduled', [3]],
    ['two endpoints of a tenant: the window of each', many(2), 'inline', [4, 4]],
    ['four endpoints of a tenant: the share of the tenant', many(4), 'inline', [2, 2, 2, 2]],
    ['retries of a tenant: three quarters of its share', many(4), 'scheduled', [2, 2, 1, 1]],
    ['two tenants: the share of each', [...many(2, 1), ...many(2, 2)], 'inline', [4, 4, 4, 4]],
    [
      'five tenants: the limit of the process',
      [1, 2, 3, 4, 5].flatMap((id) => many(2, id)),
      'inline',
      [4, 4, 3, 3, 3, 3, 3, 3, 3, 3],
    ],
  ])('%s', (_name, owners, lane, acquired) => {
    const slots = newSlots();
    expect(acquireAll(slots, owners, lane)).toEqual(acquired);
    expect(slots.inFlight()).toBe(acquired.reduce((sum, slots) => sum + slots, 0));
  });

  test('failing endpoints of a tenant get half of its share', () => {
    const slots = newSlots();
    for (const owner of many(8)) attempts(slots, owner, ['failed', 'failed']);
    expect(acquireAll(slots, many(8))).toEqual([1, 1, 1, 1, 0, 0, 0, 0]);
    expect(acquireAll(slots, [endpoint(7)])).toEqual([4]);
  });
});

describe('a tenant at its share', () => {
  const slow = [1, 2, 3].map((id) => endpoint(id));

  test('leaves slots and reservations to another tenant', () => {
    const slots = newSlots();
    acquireAll(slots, slow);
    expect(slow.map((owner) => slots.tryAcquire(owner, 'inline'))).toEqual([false, false, false]);
    expect(slow.map((owner) => slots.tryReserve(owner))).toEqual([false, false, false]);
    expect(slots.tryReserve(endpoint(9, 2))).toBe(true);
    expect(slots.tryAcquireReserved(endpoint(9, 2))).toBe(true);
  });

  test('gets a slot as soon as it releases one', () => {
    const slots = newSlots();
    const [first, , last] = slow as [SlotOwner, SlotOwner, SlotOwner];
    acquireAll(slots, slow);
    slots.release(first, 'inline', 'slow');
    expect(slots.tryAcquire(last, 'inline')).toBe(true);
    expect(slots.tryAcquire(first, 'inline')).toBe(false);
  });
});

describe('reservations', () => {
  test('of an endpoint at its full window go ahead of its slots, up to twice the share of its tenant', () => {
    const slots = newSlots();
    const owners = [endpoint(1), endpoint(2)];
    for (const owner of owners) attempts(slots, owner, ['succeeded', 'succeeded']);
    let reserved = 0;
    while (owners.some((owner) => slots.tryReserve(owner))) reserved += 1;
    expect(reserved).toBe(2 * LIMITS.perTenant);
  });

  test('for overdue deliveries go ahead of the slots by one window, also below the full one', () => {
    const slots = newSlots();
    expect(acquireAll(slots, [endpoint(1)])).toEqual([4]);
    expect(slots.tryReserve(endpoint(1))).toBe(false);
    let reserved = 0;
    while (slots.tryReserve(endpoint(1), { overdue: true })) reserved += 1;
    expect(reserved).toBe(4);
  });

  test('for overdue retries are one for every four first attempts that start', () => {
    const slots = newSlots();
    const turns = Array.from({ length: 12 }, () => {
      attempts(slots, endpoint(1), ['slow']);
      const isTurn = slots.tryReserveForRetry(endpoint(1));
      if (isTurn) slots.cancelReservation(endpoint(1));
      return isTurn;
    });
    expect(turns.flatMap((isTurn, index) => (isTurn ? [index + 1] : []))).toEqual([4, 8, 12]);
  });

  test('that are cancelled are available again', () => {
    const slots = newSlots();
    const reserveAll = () => {
      let reserved = 0;
      while (slots.tryReserve(endpoint(1))) reserved += 1;
      return reserved;
    };
    const reserved = reserveAll();
    for (let i = 0; i < reserved; i += 1) slots.cancelReservation(endpoint(1));
    expect([reserved, reserveAll()]).toEqual([4, 4]);
  });
});
