import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Types } from 'mongoose';
import type { Logger } from '../../platform/logger.ts';
import type { SyncRunDoc } from './runs.model.ts';
import type { RunStore } from './runs.store.ts';
import type { Sync } from './sync.ts';

/** Tenants that one process works for side by side: most of the time each waits for the provider. */
const MAX_ACTIVE = 16;

interface Deps {
  runs: RunStore;
  sync: Sync;
  log: Logger;
}

/** Works on runs in this process, as many as it has room for. */
export function createRunner({ runs, sync, log }: Deps) {
  const active = new Set<{ id: Types.ObjectId; stop: AbortController; done: Promise<void> }>();
  let closing = false;

  const giveBack = ({ _id, customerId, lease: { token } }: SyncRunDoc) =>
    runs.release({ customerId }, { id: _id, token });

  async function work(run: SyncRunDoc, stop: AbortSignal): Promise<void> {
    try {
      await sync(run, stop);
    } catch (error) {
      // Told to stop: whoever is next may go on at once. Anything else has until the lease is over to pass by.
      if (stop.aborted) await giveBack(run);
      else throw error;
    }
  }

  function start(run: SyncRunDoc): void {
    const { _id: id, customerId } = run;
    const stop = new AbortController();
    const done = work(run, stop.signal)
      .catch((error: unknown) =>
        log.error({ err: error, customerId, run: id.toHexString() }, 'meeting sync broke off'),
      )
      .finally(() => active.delete(entry));
    const entry = { id, stop, done };
    active.add(entry);
  }

  /** Takes up a run, if there is room for it and nobody else is at it. */
  async function take(id?: Types.ObjectId): Promise<boolean> {
    if (closing || active.size >= MAX_ACTIVE) return false;
    const run = await runs.claim(randomUUID(), id);
    if (!run) return false;
    if (closing) await giveBack(run);
    else start(run);
    return true;
  }

  return {
    /** Takes up a run that was just made. */
    offer: (id: Types.ObjectId): Promise<boolean> => take(id),

    /** Takes up whatever nobody is at: runs made elsewhere, given back, or of a process that died. */
    async takeAll(): Promise<void> {
      while (await take());
    },

    /** Ends the work on a run that was cancelled at once, rather than when that is noticed. */
    drop(id: Types.ObjectId): void {
      for (const entry of active) if (entry.id.equals(id)) entry.stop.abort();
    },

    /** Hands every run back, for others to go on with. */
    async close(graceMs: number): Promise<void> {
      closing = true;
      for (const { stop } of active) stop.abort();
      const all = Promise.all([...active].map(({ done }) => done));
      await Promise.race([all, sleep(graceMs, undefined, { ref: false })]);
    },
  };
}

export type Runner = ReturnType<typeof createRunner>;
