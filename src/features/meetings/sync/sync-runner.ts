import { setTimeout as sleep } from 'node:timers/promises';
import type { Types } from 'mongoose';
import type { Logger } from '../../../platform/logger.ts';
import type { Sync } from './sync-execution.ts';
import type { ClaimedRun } from './sync-runs.model.ts';
import type { RunStore } from './sync-runs.store.ts';

/** Runs in progress in one process: high, since a run spends most of its time waiting for the provider. */
const MAX_ACTIVE = 16;

interface Deps {
  runs: RunStore;
  sync: Sync;
  log: Logger;
}

/** Claims runs and works on them in this process, up to `MAX_ACTIVE` at a time. */
export function createRunner({ runs, sync, log }: Deps) {
  const active = new Set<{ id: Types.ObjectId; abort: AbortController; done: Promise<void> }>();
  let closing = false;

  const release = ({ _id, customerId, lease: { token } }: ClaimedRun) =>
    runs.release({ customerId }, { id: _id, token });

  async function work(run: ClaimedRun, signal: AbortSignal): Promise<void> {
    try {
      await sync(run, signal);
    } catch (error) {
      // Only an aborted run is released: after any other error the rest of the lease delays the next attempt.
      if (signal.aborted) await release(run);
      else throw error;
    }
  }

  function start(run: ClaimedRun): void {
    const { _id: id, customerId } = run;
    const abort = new AbortController();
    const done = work(run, abort.signal)
      .catch((error: unknown) =>
        log.error({ err: error, customerId, run: id.toHexString() }, 'meeting sync interrupted by an error'),
      )
      .finally(() => active.delete(entry));
    const entry = { id, abort, done };
    active.add(entry);
  }

  /** Returns false when this process has no room, or no run is available. */
  async function claim(id?: Types.ObjectId): Promise<boolean> {
    if (closing || active.size >= MAX_ACTIVE) return false;
    const run = await runs.claim(id);
    if (!run) return false;
    if (closing) await release(run);
    else start(run);
    return true;
  }

  return {
    /** Claims one run, if it is available and this process has room for it. */
    claim: (id: Types.ObjectId): Promise<boolean> => claim(id),

    /** Claims every available run: created elsewhere, released, or left by a process that died. */
    async claimAll(): Promise<void> {
      while (await claim());
    },

    /** Aborts local work on a cancelled run without waiting for the next heartbeat to notice. */
    abort(id: Types.ObjectId): void {
      for (const entry of active) if (entry.id.equals(id)) entry.abort.abort();
    },

    /** Aborts and releases every run, for other processes to continue. */
    async close(graceMs: number): Promise<void> {
      closing = true;
      for (const { abort } of active) abort.abort();
      const all = Promise.all([...active].map(({ done }) => done));
      await Promise.race([all, sleep(graceMs, undefined, { ref: false })]);
    },
  };
}

export type Runner = ReturnType<typeof createRunner>;
