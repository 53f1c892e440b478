import { Types } from 'mongoose';
import { expect, test } from 'vitest';
import { createMemoryQueue } from '../../../src/features/webhooks/delivery/memory-queue.ts';
import type { ClaimedDelivery } from '../../../src/features/webhooks/delivery/queue.store.ts';

const delivery = (customerId: number, endpointId: number, { lease }: { lease?: string } = {}) =>
  ({
    _id: new Types.ObjectId(),
    customerId,
    endpointId,
    createdAt: new Date(0),
    payload: '{}',
    ...(lease && { lease }),
  }) as ClaimedDelivery;

/** Dequeues as many as there are slots; returns the endpoints in the order of their turns. */
function dequeue(queue: ReturnType<typeof createMemoryQueue>, slots: number): number[] {
  let free = slots;
  return queue.dequeue(() => free-- > 0).map(({ endpointId }) => endpointId);
}

test('slots are assigned round robin over tenants, and within a tenant over its endpoints', () => {
  const queue = createMemoryQueue();
  for (const endpointId of [11, 11, 11, 12, 12, 13]) queue.enqueueUnleased(delivery(1, endpointId));
  for (const endpointId of [21, 21]) queue.enqueueUnleased(delivery(2, endpointId));
  expect(dequeue(queue, 3)).toEqual([11, 21, 12]);
  expect(dequeue(queue, 1)).toEqual([21]);
  expect(dequeue(queue, 9)).toEqual([13, 11, 12, 11]);
  expect([queue.size(), dequeue(queue, 1)]).toEqual([0, []]);
});

test('the oldest delivery without a lease is known by endpoint, until it is dequeued', () => {
  const queue = createMemoryQueue();
  const owner = { customerId: 1, endpointId: 11 };
  expect(queue.oldestUnleased(owner)).toBeNull();
  queue.enqueueLeased(delivery(1, 11, { lease: 'token' }));
  for (const ms of [1, 2]) queue.enqueueUnleased({ ...delivery(1, 11), dueAt: new Date(ms) });
  expect(queue.oldestUnleased(owner)).toEqual(new Date(1));
  dequeue(queue, 2);
  expect(queue.oldestUnleased(owner)).toEqual(new Date(2));
  dequeue(queue, 1);
  expect(queue.oldestUnleased(owner)).toBeNull();
});

test('a tenant without free slots does not delay others', () => {
  const queue = createMemoryQueue();
  for (let i = 0; i < 5; i += 1) queue.enqueueUnleased(delivery(1, 11));
  queue.enqueueUnleased(delivery(2, 21));
  expect(queue.dequeue(({ customerId }) => customerId !== 1).map(({ endpointId }) => endpointId)).toEqual([
    21,
  ]);
  expect(queue.size()).toBe(5);
});

test('leased deliveries of an endpoint come first', () => {
  const queue = createMemoryQueue();
  queue.enqueueUnleased(delivery(1, 11));
  queue.enqueueLeased(delivery(1, 11, { lease: 'token' }));
  expect(queue.dequeue(() => true).map(({ lease }) => lease)).toEqual(['token', undefined]);
});

test('a claimed delivery goes before those that became due later', () => {
  const queue = createMemoryQueue();
  const due = (ms: number) => ({ ...delivery(1, 11, { lease: String(ms) }), wasDueAt: new Date(ms) });
  for (const ms of [10, 20, 20, 5, 15]) queue.enqueueLeased(due(ms));
  expect(queue.dequeue(() => true).map(({ lease }) => lease)).toEqual(['5', '10', '15', '20', '20']);
});

test('the backlog of a tenant leaves room for the deliveries of another', () => {
  const queue = createMemoryQueue();
  const payload = 'x'.repeat(100_000);
  const enqueue = (customerId: number, endpointId: number) =>
    queue.enqueueUnleased({ ...delivery(customerId, endpointId), payload });
  let queued = 0;
  while (enqueue(1, queued % 20)) queued += 1;
  expect(queued).toBeLessThan(50);
  expect(enqueue(2, 99)).toBe(true);
});
