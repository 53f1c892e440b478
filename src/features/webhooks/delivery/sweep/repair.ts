import { pauseAfterBatch } from '../../../../platform/batch-pause.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Logger } from '../../../../platform/logger.ts';
import type { Checkpoint } from '../../../../platform/mongo/checkpoint.ts';
import { type Runtime, systemRuntime } from '../../../../platform/runtime.ts';
import type { OutboxEventStore, SettledEvent } from '../../../outbox/outbox-event.store.ts';
import { SETTLED_AFTER_MS } from '../../../outbox/publication-limits.ts';
import { newDelivery } from '../delivery.model.ts';
import type { QueueStore } from '../queue.store.ts';
import { dueFields } from '../state-updates.ts';

/** Events per step. */
const BATCH = 1_000;

interface Deps {
  events: Pick<OutboxEventStore, 'settled'>;
  queue: Pick<QueueStore, 'deliveryLookup' | 'insertMissing'>;
  /** Last event that was checked. */
  checkpoint: Checkpoint;
  clock: Clock;
  log: Logger;
  runtime?: Runtime;
}

/**
 * Creates the job that completes fan-outs. The insertion of an event commits it; a crash before the insertion of its
 * deliveries loses them. Every event is checked once.
 */
export function createFanOutRepair({ events, queue, checkpoint, clock, log, runtime = systemRuntime }: Deps) {
  async function insertMissing(batch: SettledEvent[]): Promise<number> {
    const expected = batch.filter(({ deliveries }) => deliveries !== undefined);
    const hasDelivery = await queue.deliveryLookup(expected);
    const missing = expected.flatMap(({ _id: eventId, createdAt, deliveries = [], ...shared }) =>
      deliveries
        .filter(({ endpointId }) => !hasDelivery(eventId, endpointId))
        .map(({ _id, endpointId }) =>
          newDelivery({ ...shared, _id, endpointId, eventId }, dueFields(createdAt), createdAt),
        ),
    );
    if (missing.length > 0) await queue.insertMissing(missing);
    return missing.length;
  }

  return async (): Promise<number> => {
    const before = new Date(clock.now().getTime() - SETTLED_AFTER_MS);
    let position = await checkpoint.read();
    let inserted = 0;
    for (;;) {
      const startedAt = runtime.monotonicMs();
      const batch: SettledEvent[] = await events.settled({ after: position, before, limit: BATCH });
      const last = batch.at(-1);
      if (!last) break;
      inserted += await insertMissing(batch);
      position = last._id;
      await checkpoint.save(position);
      await pauseAfterBatch(startedAt, runtime);
    }
    if (inserted > 0) log.warn({ inserted }, 're-inserted deliveries lost in a crash');
    return inserted;
  };
}
