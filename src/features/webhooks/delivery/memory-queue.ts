import type { ClaimedDelivery } from './queue.store.ts';
import { type ByTenant, serveInTurn } from './round-robin.ts';
import type { SlotOwner } from './slots.ts';

/** Bounds of the deliveries without a lease; beyond them a delivery waits in the database only. */
const MAX_BYTES = 16_000_000;
const MAX_BYTES_PER_TENANT = MAX_BYTES / 4;
const MAX_PER_ENDPOINT = 2_000;
/** Approximate size of a delivery beside its payload. */
const DELIVERY_BYTES = 600;

const bytesOf = ({ payload }: ClaimedDelivery): number => DELIVERY_BYTES + (payload?.length ?? 0);

/** Returns the time at which a leased delivery became due. */
const dueTimeOf = ({ wasDueAt, createdAt }: ClaimedDelivery): number => (wasDueAt ?? createdAt).getTime();

interface EndpointQueue {
  /** The earliest due first. Bounded by the reservations of `slots.ts`. They go first, because their lease expires. */
  leased: ClaimedDelivery[];
  unleased: ClaimedDelivery[];
}

/** Deliveries of this process that wait for a slot: a queue per endpoint, oldest first, served round robin. */
export function createMemoryQueue() {
  const tenants: ByTenant<EndpointQueue> = new Map();
  const unleasedBytes = new Map<number, number>();
  let size = 0;
  let bytes = 0;

  function queueOf({ customerId, endpointId }: ClaimedDelivery): EndpointQueue {
    const endpoints = tenants.get(customerId) ?? new Map<number, EndpointQueue>();
    const queue = endpoints.get(endpointId) ?? { leased: [], unleased: [] };
    tenants.set(customerId, endpoints.set(endpointId, queue));
    return queue;
  }

  function addBytes(customerId: number, added: number): void {
    bytes += added;
    const ofTenant = (unleasedBytes.get(customerId) ?? 0) + added;
    if (ofTenant === 0) unleasedBytes.delete(customerId);
    else unleasedBytes.set(customerId, ofTenant);
  }

  function isFull({ customerId, endpointId }: ClaimedDelivery): boolean {
    const queued = tenants.get(customerId)?.get(endpointId)?.unleased.length ?? 0;
    const ofTenant = unleasedBytes.get(customerId) ?? 0;
    return bytes >= MAX_BYTES || ofTenant >= MAX_BYTES_PER_TENANT || queued >= MAX_PER_ENDPOINT;
  }

  return {
    /** Queues a delivery before those that became due later: a claimed one may be older than all of them. */
    enqueueLeased(delivery: ClaimedDelivery): void {
      const { leased } = queueOf(delivery);
      const before = leased.findLastIndex((each) => dueTimeOf(each) <= dueTimeOf(delivery));
      leased.splice(before + 1, 0, delivery);
      size += 1;
    },

    /** Returns false when the queue is full. */
    enqueueUnleased(delivery: ClaimedDelivery): boolean {
      if (isFull(delivery)) return false;
      queueOf(delivery).unleased.push(delivery);
      size += 1;
      addBytes(delivery.customerId, bytesOf(delivery));
      return true;
    },

    /** Removes and returns deliveries, round robin, oldest first per endpoint, where `acquireSlot` returns true. */
    dequeue(acquireSlot: (delivery: ClaimedDelivery) => boolean): ClaimedDelivery[] {
      const dequeued: ClaimedDelivery[] = [];
      serveInTurn(tenants, ({ leased, unleased }) => {
        const [first] = leased.length > 0 ? leased : unleased;
        if (!first || !acquireSlot(first)) return 'refused';
        if (leased.length > 0) leased.shift();
        else {
          unleased.shift();
          addBytes(first.customerId, -bytesOf(first));
        }
        dequeued.push(first);
        return leased.length + unleased.length > 0 ? 'served' : 'served_last';
      });
      size -= dequeued.length;
      return dequeued;
    },

    /** Removes the deliveries of an endpoint without a lease that may wait in the database alone. */
    removeUnleased(owner: SlotOwner): void {
      const endpoints = tenants.get(owner.customerId);
      const queue = endpoints?.get(owner.endpointId);
      if (!endpoints || !queue) return;
      const removed = queue.unleased.filter(({ isTest }) => !isTest);
      queue.unleased = queue.unleased.filter(({ isTest }) => isTest);
      size -= removed.length;
      for (const delivery of removed) addBytes(owner.customerId, -bytesOf(delivery));
      if (queue.leased.length + queue.unleased.length === 0) endpoints.delete(owner.endpointId);
      if (endpoints.size === 0) tenants.delete(owner.customerId);
    },

    /** Due time of the oldest delivery of an endpoint without a lease; null if there is none. */
    oldestUnleased: ({ customerId, endpointId }: SlotOwner): Date | null =>
      tenants.get(customerId)?.get(endpointId)?.unleased[0]?.dueAt ?? null,
    size: () => size,

    /** Removes all deliveries; returns those that are leased. */
    clear(): ClaimedDelivery[] {
      const leased = [...tenants.values()].flatMap((endpoints) =>
        [...endpoints.values()].flatMap((queue) => queue.leased),
      );
      tenants.clear();
      unleasedBytes.clear();
      size = 0;
      bytes = 0;
      return leased;
    },
  };
}
