import type { Types } from 'mongoose';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { OutboxEventStore } from '../outbox/outbox-event.store.ts';
import type { QueueStore } from './delivery/queue.store.ts';

/** Events per step: short writes, so that other operations do not wait for them. */
const BATCH = 1_000;

interface Deps {
  events: Pick<OutboxEventStore, 'olderThan' | 'remove'>;
  queue: Pick<QueueStore, 'eventsToKeep' | 'removeOfEvents'>;
  clock: Clock;
  log: Logger;
  retentionMs: number;
}

/**
 * Creates the retention job: removes an event and its deliveries once all of them have been terminal for the
 * retention time (contract 2, `DELIVERY_RETENTION`).
 */
export function createRetention({ events, queue, clock, log, retentionMs }: Deps) {
  return async (): Promise<number> => {
    const before = new Date(clock.now().getTime() - retentionMs);
    let removed = 0;
    let position: Types.ObjectId | null = null;
    for (;;) {
      const batch = await events.olderThan({ before, after: position, limit: BATCH });
      const last = batch.at(-1);
      if (!last) break;
      const ids = batch.map(({ _id }) => _id);
      const kept = await queue.eventsToKeep(ids, before);
      const expired = ids.filter((id) => !kept.has(id.toHexString()));
      if (expired.length > 0) {
        await queue.removeOfEvents(expired);
        removed += await events.remove(expired);
      }
      position = last._id;
    }
    if (removed > 0) log.info({ removed }, 'events past their retention removed');
    return removed;
  };
}
