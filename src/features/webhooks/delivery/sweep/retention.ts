import type { Types } from 'mongoose';
import { pauseAfterBatch } from '../../../../platform/batch-pause.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Logger } from '../../../../platform/logger.ts';
import type { DocumentRef } from '../../../../platform/mongo/ids-of-tenants.ts';
import { type Runtime, systemRuntime } from '../../../../platform/runtime.ts';
import type { OutboxEventStore } from '../../../outbox/outbox-event.store.ts';
import { SETTLED_AFTER_MS } from '../../../outbox/publication-limits.ts';
import type { QueueStore } from '../queue.store.ts';

/** Events per step: short writes, so that other operations do not wait for them. */
const BATCH = 250;

interface Deps {
  events: Pick<OutboxEventStore, 'olderThan' | 'remove'>;
  queue: Pick<QueueStore, 'eventsToKeep' | 'removeOfEvents'>;
  /** Removes what other features store of the events that are removed next. */
  removeFromLog: (events: readonly DocumentRef[]) => Promise<void>;
  clock: Clock;
  log: Logger;
  retentionMs: number;
  /** Inserts deliveries that a crash has lost: an event without its deliveries looks finished. */
  repair: () => Promise<unknown>;
  runtime?: Runtime;
}

/**
 * Creates the retention job: removes an event and its deliveries once all of them have been terminal for the
 * retention time (contract 2, `DELIVERY_RETENTION`).
 */
export function createRetention({
  events,
  queue,
  removeFromLog,
  clock,
  log,
  retentionMs,
  repair,
  runtime = systemRuntime,
}: Deps) {
  async function removeExpired(batch: DocumentRef[], before: Date): Promise<number> {
    const kept = await queue.eventsToKeep(batch, before);
    const expired = batch.filter(({ _id }) => !kept.has(_id.toHexString()));
    if (expired.length === 0) return 0;
    // Events last: after a crash, the next run removes the rest.
    await queue.removeOfEvents(expired);
    await removeFromLog(expired);
    return events.remove(expired);
  }

  return async (): Promise<number> => {
    const before = new Date(clock.now().getTime() - Math.max(retentionMs, SETTLED_AFTER_MS));
    await repair();
    let removed = 0;
    let position: Types.ObjectId | null = null;
    for (;;) {
      const startedAt = runtime.monotonicMs();
      const batch: DocumentRef[] = await events.olderThan({ before, after: position, limit: BATCH });
      const last = batch.at(-1);
      if (!last) break;
      removed += await removeExpired(batch, before);
      position = last._id;
      await pauseAfterBatch(startedAt, runtime);
    }
    if (removed > 0) log.info({ removed }, 'events past their retention removed');
    return removed;
  };
}
