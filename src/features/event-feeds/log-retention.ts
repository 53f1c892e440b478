import type { Clock } from '../../platform/clock.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { OutboxEventStore } from '../outbox/outbox-event.store.ts';
import type { EventLogStore } from './event-log.store.ts';

const BATCH = 1_000;

interface Deps {
  logs: Pick<EventLogStore, 'tenants' | 'after' | 'removeEntries'>;
  events: Pick<OutboxEventStore, 'stored'>;
  clock: Clock;
  /** Age from which an event without a document counts as removed by retention. Milliseconds. */
  retentionMs: number;
}

/**
 * Creates the retention of logs. The retention of events removes the entries of its events; those that went with their
 * conversation or by an erasure keep theirs, so that feeds continue without them, until they are as old.
 */
export function createLogRetention({ logs, events, clock, retentionMs }: Deps) {
  async function ofTenant(tenant: TenantRef, before: Date): Promise<void> {
    let sequence = 0;
    for (;;) {
      const batch = await logs.after(tenant, { sequence, limit: BATCH });
      const old = batch.filter(({ _id }) => _id.getTimestamp() < before);
      if (old.length > 0) {
        const stored = await events.stored(old);
        await logs.removeEntries(old.filter(({ _id }) => !stored.has(_id.toHexString())));
      }
      // Entries have nearly the order of their events' ids.
      if (old.length < BATCH) return;
      sequence = batch.at(-1)?.sequence ?? sequence;
    }
  }

  return async function run(): Promise<void> {
    const before = new Date(clock.now().getTime() - retentionMs);
    for await (const tenant of logs.tenants()) await ofTenant(tenant, before);
  };
}
