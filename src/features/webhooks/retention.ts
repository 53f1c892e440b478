import type { Types } from 'mongoose';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { QueueStore } from './queue.store.ts';

/** Events looked at in one step: short writes, so that nothing else waits for them. */
const BATCH = 1_000;

/**
 * Removes events and their deliveries once all of these have been terminal for so long; never while one waits
 * (contract 2, `DELIVERY_RETENTION`).
 */
export function createRetention({
  queue,
  clock,
  log,
  retentionMs,
}: {
  queue: QueueStore;
  clock: Clock;
  log: Logger;
  retentionMs: number;
}) {
  return async (): Promise<number> => {
    const before = new Date(clock.now().getTime() - retentionMs);
    let removed = 0;
    let position: Types.ObjectId | null = null;
    for (;;) {
      const events = await queue.eventsBefore(before, position, BATCH);
      const last = events.at(-1);
      if (!last) break;
      removed += await queue.removeEvents(
        events.map(({ _id }) => _id),
        before,
      );
      position = last._id;
    }
    if (removed > 0) log.info({ removed }, 'events past their retention removed');
    return removed;
  };
}
