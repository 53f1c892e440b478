import { firstOf } from '../../platform/first-of.ts';
import type { DocumentRef } from '../../platform/mongo/ids-of-tenants.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { OutboxEventStore } from '../outbox/outbox-event.store.ts';
import type { EventLogStore } from './event-log.store.ts';
import type { WatchedLog } from './log-readers.ts';

/** How long a pull waits for the sequencer to reach the events that were accepted before it. Milliseconds. */
export const MAX_LAG_MS = 2_000;
/** Newest events that must be in the log for a pull to be up to date. */
const NEWEST = 20;
/** Interval at which a wait for the log looks again, in case that nothing is added to it. Milliseconds. */
const POLL_MS = 200;

interface Deps {
  logs: Pick<EventLogStore, 'find' | 'ofEvents'>;
  events: Pick<OutboxEventStore, 'newest'>;
}

/** How far the log of a tenant is behind what was accepted: the sequencer writes it after the commit. */
export function logLag({ logs, events }: Deps) {
  async function areLogged(tenant: TenantRef, accepted: readonly DocumentRef[]): Promise<boolean> {
    if (!(await logs.find(tenant))?.isComplete) return false;
    return accepted.length === 0 || (await logs.ofEvents(accepted)).length === accepted.length;
  }

  return {
    /** Waits until the log has what was accepted before; returns early if that takes too long. */
    async untilLogged(
      tenant: TenantRef,
      log: WatchedLog,
      { maxMs, signals }: { maxMs: number; signals: readonly AbortSignal[] },
    ): Promise<void> {
      const deadline = performance.now() + maxMs;
      const accepted = await events.newest(tenant, NEWEST);
      for (;;) {
        const changed = log.changed();
        if (await areLogged(tenant, accepted)) return;
        const leftMs = deadline - performance.now();
        if (leftMs <= 0 || signals.some(({ aborted }) => aborted)) return;
        // A scan that finds nothing adds no entry.
        await firstOf(changed, Math.min(leftMs, POLL_MS), signals);
      }
    },
  };
}

export type LogLag = ReturnType<typeof logLag>;
