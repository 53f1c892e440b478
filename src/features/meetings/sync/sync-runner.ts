import { setTimeout as sleep } from 'node:timers/promises';
import type { Types } from 'mongoose';
import type { Logger } from '../../../platform/logger.ts';
import type { Lease } from '../../../platform/mongo/lease.ts';
import type { Owner } from '../meetings.types.ts';

/** A document that a process has claimed: a sync, or a notice of a changed meeting. */
interface Claimed extends Owner {
  _id: Types.ObjectId;
  lease: Lease;
}

/** Items in progress in one process: high, since an item spends most of its time waiting for the provider. */
const MAX_ACTIVE = 16;

interface Deps<C extends Claimed> {
  queue: {
    claim(id?: Types.ObjectId): Promise<C | null>;
    release(owner: Owner, claim: { id: Types.ObjectId; token: string }): Promise<unknown>;
  };
  /** Works on a claimed item until the signal aborts. */
  work: (item: C, signal: AbortSignal) => Promise<void>;
  /** Name of an item in the log. */
  name: string;
  log: Logger;
}

/** Claims items of a queue and works on them in this process, up to `MAX_ACTIVE` at a time. */
export function createRunner<C extends Claimed>({ queue, work: workOn, name, log }: Deps<C>) {
  const active = new Set<{ id: Types.ObjectId; abort: AbortController; done: Promise<void> }>();
  let closing = false;

  const release = ({ _id, customerId, lease: { token } }: C) =>
    queue.release({ customerId }, { id: _id, token });

  async function work(run: C, signal: AbortSignal): Promise<void> {
    try {
      await workOn(run, signal);
    } catch (error) {
      // Only an aborted run is released: after any other error the rest of the lease delays the next attempt.
      if (signal.aborted) await release(run);
      else throw error;
    }
  }

  function start(run: C): void {
    const { _id: id, customerId } = run;
    const abort = new AbortController();
    const done = work(run, abort.signal)
      .catch((error: unknown) =>
        log.error({ err: error, customerId, id: id.toHexString() }, `${name} interrupted by an error`),
      )
      .finally(() => active.delete(entry));
    const entry = { id, abort, done };
    active.add(entry);
  }

  /** Returns false when this process has no room, or no run is available. */
  async function claim(id?: Types.ObjectId): Promise<boolean> {
    if (closing || active.size >= MAX_ACTIVE) return false;
    const run = await queue.claim(id);
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
