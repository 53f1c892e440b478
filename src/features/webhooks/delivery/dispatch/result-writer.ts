import { createBatcher } from '../../../../platform/batcher.ts';
import type { Logger } from '../../../../platform/logger.ts';
import { isUnavailable } from '../../../../platform/mongo/unavailable.ts';
import { type Runtime, systemRuntime } from '../../../../platform/runtime.ts';
import { type LeasedUpdate, tokenAfter } from '../queue/leased-updates.ts';
import type { QueueStore } from '../queue/queue.store.ts';

interface QueuedUpdate extends LeasedUpdate {
  resolve: (applied: boolean) => void;
}

/** Maximum number of updates in one write. */
const BATCH = 500;
/** Attempts per batch that the database refuses; after the last one its deliveries are retried when their leases expire. */
const MAX_TRIES = 60;
const RETRY_PAUSE_MS = 500;

/**
 * Writes the results of attempts, and acquires the leases of deliveries in the memory queue, in batches: an update
 * costs a fraction of a round trip. An update whose lease is not held changes nothing, except that a result is logged,
 * and a success counts.
 */
export function createResultWriter(
  queue: Pick<QueueStore, 'apply' | 'holders' | 'recordLate'>,
  log: Logger,
  runtime: Runtime = systemRuntime,
) {
  let stopped = false;
  const batches = createBatcher<QueuedUpdate>(
    async (batch) => {
      const isApplied = await apply(batch);
      for (const update of batch) update.resolve(isApplied(update));
    },
    { max: BATCH, runtime },
  );

  /** Resolves with a predicate for the updates of the batch that took effect. */
  async function apply(batch: QueuedUpdate[]): Promise<(update: LeasedUpdate) => boolean> {
    for (let tries = 1; ; tries += 1) {
      try {
        const applied = await queue.apply(batch);
        if (applied === batch.length) return () => true;
        // Rare: another process holds the lease of one of them, or an earlier try was applied although it failed.
        const holders = await queue.holders(batch.map(({ id: _id, customerId }) => ({ _id, customerId })));
        const tokenOf = ({ id }: LeasedUpdate) => holders.get(id.toHexString());
        // A lease that was released, by this update or before, leaves no trace: those results are logged unless they are.
        await queue.recordLate(
          batch.filter((update) => !tokenOf(update) || tokenOf(update) !== tokenAfter(update)),
        );
        return (update) => tokenOf(update) === tokenAfter(update);
      } catch (error) {
        // An outage does not count: results are few, and one that is dropped may be the 2xx of a last attempt.
        if (stopped || (tries >= MAX_TRIES && !isUnavailable(error))) {
          log.error(
            { err: error, results: batch.length },
            'failed to record attempt results; the deliveries will be retried',
          );
          return () => false;
        }
        log.warn({ err: error, results: batch.length }, 'recording attempt results failed, retrying');
        await runtime.sleep(RETRY_PAUSE_MS);
      }
    }
  }

  return {
    /** Resolves once the update is written: true if this process held the lease, and holds it if the update keeps it. */
    write: (update: LeasedUpdate): Promise<boolean> =>
      new Promise((resolve) => batches.add({ ...update, resolve })),
    /** Number of updates not yet written. */
    backlog: batches.backlog,
    idle: batches.idle,
    /** Makes the next failure of a write the last one. */
    stop(): void {
      stopped = true;
    },
  };
}

export type ResultWriter = ReturnType<typeof createResultWriter>;
