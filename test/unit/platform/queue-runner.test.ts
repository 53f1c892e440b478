import { Types } from 'mongoose';
import { expect, test } from 'vitest';
import { type ClaimFilter, createRunner } from '../../../src/platform/leases/queue-runner.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { TestClock } from '../../support/clock.ts';

const SLOTS = 16;

interface Item {
  _id: Types.ObjectId;
  customerId: number;
  lease: { token: string; expiresAt: Date };
  state: 'waiting' | 'active' | 'done';
  /** Number of turns. */
  turns: number;
  /** True if it ends as soon as it has a slot. */
  isShort: boolean;
}

/** A queue of items of one tenant each, in memory, and the runner of a process. */
function newQueue() {
  const clock = new TestClock();
  const items: Item[] = [];
  const queue = {
    async claim({ id, exceptTenants, availableSince }: ClaimFilter): Promise<Item | null> {
      const [next] = items
        .filter(({ state, lease }) => state === 'waiting' && lease.expiresAt <= availableSince)
        .filter((item) => !exceptTenants.includes(item.customerId) && (!id || item._id.equals(id)))
        .sort((a, b) => a.lease.expiresAt.getTime() - b.lease.expiresAt.getTime());
      if (!next) return null;
      next.state = 'active';
      next.turns += 1;
      return next;
    },
    async release(_owner: unknown, claim: { id: Types.ObjectId }): Promise<void> {
      const item = items.find(({ _id }) => _id.equals(claim.id));
      if (!item) throw new Error('The queue has no such item.');
      item.state = 'waiting';
      item.lease.expiresAt = clock.now();
    },
  };
  const runner = createRunner<Item>({
    queue,
    work: async (item, signal) => {
      if (!item.isShort) {
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      }
      item.state = 'done';
    },
    name: 'item',
    clock,
    log: createLogger('silent'),
  });
  return {
    clock,
    items,
    runner,
    add(count: number, isShort = false): Item[] {
      const added = Array.from({ length: count }, (_, index) => ({
        _id: new Types.ObjectId(),
        customerId: items.length + index,
        lease: { token: '', expiresAt: clock.now() },
        state: 'waiting' as const,
        turns: 0,
        isShort,
      }));
      items.push(...added);
      return added;
    },
    active: () => items.filter(({ state }) => state === 'active').length,
  };
}

test('a short item waits for half a minute at most behind items that last for hours', async () => {
  const { clock, runner, add, active } = newQueue();
  const long = add(SLOTS);
  await runner.claimAll();
  const [short] = add(1, true);
  await runner.claimAll();
  expect(short?.state).toBe('waiting');
  clock.advance(30_000);
  await runner.claimAll();
  await expect.poll(() => short?.state).toBe('done');
  await expect.poll(active).toBe(SLOTS - 1);
  await runner.claimAll();
  expect(active()).toBe(SLOTS);
  expect(long.map(({ turns }) => turns).sort()).toEqual([...Array(SLOTS - 1).fill(1), 2]);
});

test('more long items than slots take turns, and never use more than all slots', async () => {
  const { clock, items, runner, add, active } = newQueue();
  add(SLOTS + 4);
  await runner.claimAll();
  for (let seconds = 0; seconds < 180; seconds += 5) {
    clock.advance(5_000);
    await runner.claimAll();
    await expect.poll(active).toBe(SLOTS);
  }
  const turns = items.map((item) => item.turns);
  expect(Math.min(...turns)).toBeGreaterThanOrEqual(2);
  // Each turn lasts for half a minute at least.
  expect(Math.max(...turns)).toBeLessThanOrEqual(7);
});

test('items give way to none while no other one waits', async () => {
  const { clock, items, runner, add } = newQueue();
  add(SLOTS);
  await runner.claimAll();
  clock.advance(600_000);
  await runner.claimAll();
  expect(items.every(({ state, turns }) => state === 'active' && turns === 1)).toBe(true);
});
