import type { ClaimedDelivery } from './queue.store.ts';

/** Bounds of the queue; beyond them a delivery waits in the database only. */
const MAX_BYTES = 16_000_000;
const MAX_PER_ENDPOINT = 2_000;
/** Approximate size of a delivery beside its payload. */
const DELIVERY_BYTES = 600;

const bytesOf = ({ payload }: ClaimedDelivery): number => DELIVERY_BYTES + (payload?.length ?? 0);

/** Deliveries accepted by this process that wait for a slot: a bounded FIFO queue per endpoint. */
export function createMemoryQueue() {
  const byEndpoint = new Map<number, ClaimedDelivery[]>();
  let size = 0;
  let bytes = 0;

  return {
    /** Returns false when the queue is full. */
    enqueue(delivery: ClaimedDelivery): boolean {
      const queued = byEndpoint.get(delivery.endpointId) ?? [];
      if (bytes >= MAX_BYTES || queued.length >= MAX_PER_ENDPOINT) return false;
      queued.push(delivery);
      byEndpoint.set(delivery.endpointId, queued);
      size += 1;
      bytes += bytesOf(delivery);
      return true;
    },

    /** Removes and returns the deliveries for which `acquireSlot` returns true, oldest first per endpoint. */
    dequeue(acquireSlot: (endpointId: number) => boolean): ClaimedDelivery[] {
      const dequeued: ClaimedDelivery[] = [];
      for (const [endpointId, queued] of byEndpoint) {
        let count = 0;
        while (count < queued.length && acquireSlot(endpointId)) count += 1;
        if (count === 0) continue;
        for (const delivery of queued.splice(0, count)) {
          dequeued.push(delivery);
          bytes -= bytesOf(delivery);
        }
        size -= count;
        if (queued.length === 0) byEndpoint.delete(endpointId);
      }
      return dequeued;
    },

    has: (endpointId: number): boolean => byEndpoint.has(endpointId),
    size: () => size,
    /** Removes and returns all deliveries. */
    clear(): ClaimedDelivery[] {
      const all = [...byEndpoint.values()].flat();
      byEndpoint.clear();
      size = 0;
      bytes = 0;
      return all;
    },
  };
}
