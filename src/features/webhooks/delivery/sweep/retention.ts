import type { Types } from 'mongoose';
import { pauseAfterBatch } from '../../../../platform/batch-pause.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Logger } from '../../../../platform/logger.ts';
import type { DocumentRef } from '../../../../platform/mongo/ids-of-tenants.ts';
import { objectIdsOf } from '../../../../platform/mongo/object-id.ts';
import { type Runtime, systemRuntime } from '../../../../platform/runtime.ts';
import type { OutboxEventStore } from '../../../outbox/outbox-event.store.ts';
import { SETTLED_AFTER_MS } from '../../../outbox/publication-limits.ts';
import type { RetentionStep } from '../../../privacy/retention-step.ts';
import type { QueueStore } from '../queue.store.ts';

/** Events per step: short writes, so that other operations do not wait for them. */
const BATCH = 250;

interface Deps {
  events: Pick<OutboxEventStore, 'olderThan' | 'olderThanOf' | 'remove'>;
  queue: Pick<QueueStore, 'eventsToKeep' | 'removeOfEvents'>;
  /**
   * Copies the events of conversations to their timelines, which outlive deliveries. Returns the ids of those that could not
   * be copied.
   */
  keepInTimelines: (events: readonly DocumentRef[]) => Promise<ReadonlySet<string>>;
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
 * Creates the retention of events: removes an event and its deliveries once all of them have been terminal for the
 * retention time. `DELIVERY_RETENTION` is that of all tenants (contract 2); a tenant may have a shorter one.
 */
export function createEventRetention({
  events,
  queue,
  keepInTimelines,
  removeFromLog,
  clock,
  log,
  retentionMs,
  repair,
  runtime = systemRuntime,
}: Deps) {
  async function expiredAmong(batch: DocumentRef[], before: Date): Promise<DocumentRef[]> {
    const kept = await queue.eventsToKeep(batch, before);
    return batch.filter(({ _id }) => !kept.has(_id.toHexString()));
  }

  async function remove(expired: readonly DocumentRef[]): Promise<number> {
    if (expired.length === 0) return 0;
    const uncopied = await keepInTimelines(expired);
    const removable = expired.filter(({ _id }) => !uncopied.has(_id.toHexString()));
    if (removable.length === 0) return 0;
    // Events last: after a crash, the next run removes the rest.
    await queue.removeOfEvents(removable);
    await removeFromLog(removable);
    return events.remove(removable);
  }

  /** Of all tenants, after `DELIVERY_RETENTION`. */
  async function run(): Promise<number> {
    const before = new Date(clock.now().getTime() - Math.max(retentionMs, SETTLED_AFTER_MS));
    await repair();
    let removed = 0;
    let position: Types.ObjectId | null = null;
    for (;;) {
      const startedAt = runtime.monotonicMs();
      const batch: DocumentRef[] = await events.olderThan({ before, after: position, limit: BATCH });
      const last = batch.at(-1);
      if (!last) break;
      removed += await remove(await expiredAmong(batch, before));
      position = last._id;
      await pauseAfterBatch(startedAt, runtime);
    }
    if (removed > 0) log.info({ removed }, 'events past their retention removed');
    return removed;
  }

  /** Of one tenant, after its own retention time. */
  const ofTenant: RetentionStep = {
    kind: 'eventsAndDeliveries',
    async find(tenant, before, after) {
      const batch = await events.olderThanOf(tenant, {
        before,
        after: after as Types.ObjectId | null,
        limit: BATCH,
      });
      const expired = await expiredAmong(batch, before);
      return { ids: expired.map(({ _id }) => _id.toHexString()), next: batch.at(-1)?._id ?? null };
    },
    async remove({ customerId }, ids, before) {
      await repair();
      const found = objectIdsOf(ids).map((_id) => ({ _id, customerId }));
      // A delivery that was repaired or resent since `find` is open again.
      return remove(await expiredAmong(found, before));
    },
  };

  return { run, ofTenant };
}
