import { setTimeout as sleep } from 'node:timers/promises';
import { createBatcher } from '../../platform/batcher.ts';
import type { Logger } from '../../platform/logger.ts';
import type { LeasedChange } from './leased-changes.ts';
import type { QueueStore } from './queue.store.ts';

interface Result extends LeasedChange {
  done: (held: boolean) => void;
}

/** Results that one write holds. */
const BATCH = 500;
/** Tries before a batch is given up; its deliveries are then made again when their leases run out. */
const MAX_TRIES = 20;
const PAUSE_MS = 500;

/**
 * Writes the results of attempts, each under the lease it was made with, and takes leases of what waits in
 * memory: what comes in while one write is under way goes with the next, so that a delivery costs a fraction of
 * a round trip. A change whose lease is gone, or is somebody else's, changes nothing.
 */
export function createFinisher(queue: QueueStore, log: Logger) {
  const batches = createBatcher<Result>(
    async (batch) => {
      const held = await apply(batch);
      for (const result of batch) result.done(held(result));
    },
    { max: BATCH },
  );

  /** Says of each result of the batch whether it took hold. */
  async function apply(batch: Result[]): Promise<(result: Result) => boolean> {
    for (let tries = 1; ; tries += 1) {
      try {
        const matched = await queue.apply(batch);
        if (matched === batch.length) return () => true;
        // Seldom: somebody else has taken one of them.
        const holders = await queue.holders(batch.map(({ id }) => id));
        return ({ id, token }) => holders.get(id.toHexString()) === token;
      } catch (error) {
        if (tries >= MAX_TRIES) {
          log.error(
            { err: error, results: batch.length },
            'results of deliveries could not be written; they will be made again',
          );
          return () => false;
        }
        log.warn({ err: error, results: batch.length }, 'writing results of deliveries failed, trying again');
        await sleep(PAUSE_MS);
      }
    }
  }

  return {
    /** Resolves when the change is written: true while the delivery is held by the token. */
    write: (change: LeasedChange): Promise<boolean> =>
      new Promise((done) => batches.add({ ...change, done })),
    /** Results that are not yet written. */
    backlog: batches.waiting,
    idle: batches.idle,
  };
}

export type Finisher = ReturnType<typeof createFinisher>;
