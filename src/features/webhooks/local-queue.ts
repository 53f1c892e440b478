import type { ClaimedDelivery } from './queue.store.ts';

/** Bytes of payloads remembered in all, and deliveries of one endpoint; past that only the database knows of them. */
const MAX_BYTES = 16_000_000;
const MAX_PER_ENDPOINT = 2_000;
/** What a delivery takes beside its payload, about. */
const DELIVERY_BYTES = 600;

const bytesOf = ({ payload }: ClaimedDelivery): number => DELIVERY_BYTES + (payload?.length ?? 0);

/** What was accepted here and waits for a slot: deliveries by endpoint, first in, first out. Bounded. */
export function createLocalQueue() {
  const byEndpoint = new Map<number, ClaimedDelivery[]>();
  let size = 0;
  let bytes = 0;

  return {
    /** False when there is no room. */
    add(delivery: ClaimedDelivery): boolean {
      const waiting = byEndpoint.get(delivery.endpointId) ?? [];
      if (bytes >= MAX_BYTES || waiting.length >= MAX_PER_ENDPOINT) return false;
      waiting.push(delivery);
      byEndpoint.set(delivery.endpointId, waiting);
      size += 1;
      bytes += bytesOf(delivery);
      return true;
    },

    /** Takes what `takeSlot` gives slots for. */
    take(takeSlot: (endpointId: number) => boolean): ClaimedDelivery[] {
      const taken: ClaimedDelivery[] = [];
      for (const [endpointId, waiting] of byEndpoint) {
        let count = 0;
        while (count < waiting.length && takeSlot(endpointId)) count += 1;
        if (count === 0) continue;
        for (const delivery of waiting.splice(0, count)) {
          taken.push(delivery);
          bytes -= bytesOf(delivery);
        }
        size -= count;
        if (waiting.length === 0) byEndpoint.delete(endpointId);
      }
      return taken;
    },

    has: (endpointId: number): boolean => byEndpoint.has(endpointId),
    size: () => size,
    /** Gives up all of it. */
    clear(): ClaimedDelivery[] {
      const all = [...byEndpoint.values()].flat();
      byEndpoint.clear();
      size = 0;
      bytes = 0;
      return all;
    },
  };
}
