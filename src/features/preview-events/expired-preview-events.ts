import { pauseAfterBatch } from '../../platform/batch-pause.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { systemRuntime } from '../../platform/runtime.ts';
import type { PreviewEventStore } from './preview-event.store.ts';

/** Events per step, so that other operations wait only for short writes. */
const BATCH = 250;

interface Deps {
  events: Pick<PreviewEventStore, 'olderThan' | 'remove'>;
  clock: Clock;
  log: Logger;
  retentionMs: number;
}

/** Creates the job that removes custom events once they are older than the retention. */
export function createExpiredEventRemoval({ events, clock, log, retentionMs }: Deps) {
  return async (): Promise<number> => {
    const before = new Date(clock.now().getTime() - retentionMs);
    let removed = 0;
    for (;;) {
      const startedAt = systemRuntime.monotonicMs();
      const batch = await events.olderThan(before, BATCH);
      if (batch.length === 0) break;
      removed += await events.remove(batch);
      await pauseAfterBatch(startedAt);
    }
    if (removed > 0) log.info({ removed }, 'custom events past their retention removed');
    return removed;
  };
}
