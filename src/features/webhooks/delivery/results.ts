import { type Batcher, createBatcher } from '../../../platform/batcher.ts';
import type { Logger } from '../../../platform/logger.ts';
import { isUnavailable } from '../../../platform/mongo/unavailable.ts';
import { type Runtime, systemRuntime } from '../../../platform/runtime.ts';
import { isSuccess, type LeasedUpdate, tokenAfter } from './leased-updates.ts';
import type { QueueStore } from './queue.store.ts';

interface QueuedUpdate extends LeasedUpdate {
  resolve: (applied: boolean) => void;
}

/** Maximum number of updates in one write. */
const BATCH = 500;
/** Time after which a write that several tenants share is repeated for each of them. Milliseconds. */
const SHARED_WRITE_MS = 1_000;
/** Number of times that a refused update is written. After that, its delivery is retried when its lease expires. */
const MAX_TRIES = 60;
const RETRY_PAUSE_MS = 500;
/** Interval at which successes are confirmed: shorter than a lease, so that no attempt is repeated. Milliseconds. */
const CONFIRM_MS = 4_000;
/** Successes that may be unconfirmed; beyond them the oldest is dropped. A lagging majority confirms none. */
const MAX_UNCONFIRMED = 10_000;

/**
 * Writes the results of attempts, and acquires the leases of deliveries in the memory queue, in batches: an update
 * costs a fraction of a round trip. An update whose lease is not held changes nothing, except that a result is logged,
 * and a success counts.
 *
 * All tenants share a write. If it fails or takes more than a second, because of one document or one shard, each tenant
 * gets a writer of its own until its updates are written, and a refused update is repeated by itself.
 *
 * The result of a first attempt does not wait for a majority, so a failover may undo it. A success is kept in memory until
 * a majority has it, and is written again otherwise: the delivery could still end as `failed`.
 */
export function createResultWriter(
  queue: Pick<QueueStore, 'apply' | 'holders' | 'recordLate' | 'unconfirmed'>,
  log: Logger,
  runtime: Runtime = systemRuntime,
) {
  let stopped = false;
  const shared = createBatcher<QueuedUpdate>(writeShared, { max: BATCH, runtime });
  /** Writers of tenants whose updates a shared write has not applied. */
  const own = new Map<number, Batcher<QueuedUpdate>>();
  /** Repetitions of updates that the database refuses. */
  const refused = new Set<Promise<void>>();
  /** Successes that a failover may undo, in the order of their writes. */
  const unconfirmed: LeasedUpdate[] = [];
  let cancelConfirm: (() => void) | null = null;

  /** Writes the updates once, and resolves their callers. */
  async function write(batch: QueuedUpdate[]): Promise<void> {
    const isApplied = await apply(batch);
    for (const update of batch) update.resolve(isApplied(update));
    keepUnconfirmed(batch.filter((update) => !update.durable && isSuccess(update) && isApplied(update)));
  }

  /** Resolves with a predicate for the updates of the batch that took effect. */
  async function apply(batch: QueuedUpdate[]): Promise<(update: LeasedUpdate) => boolean> {
    const applied = await queue.apply(batch);
    if (applied === batch.length) return () => true;
    // Rare: another process holds the lease of one of them, or an earlier try was applied although it failed.
    const holders = await queue.holders(batch.map(({ id: _id, customerId }) => ({ _id, customerId })));
    const tokenOf = ({ id }: LeasedUpdate) => holders.get(id.toHexString());
    // A released lease leaves no trace, so it is unknown whether this update released it: its result is logged unless it is.
    await queue.recordLate(
      batch.filter((update) => !tokenOf(update) || tokenOf(update) !== tokenAfter(update)),
    );
    return (update) => tokenOf(update) === tokenAfter(update);
  }

  /** Writes the updates of several tenants, or queues them again for each tenant alone. */
  function writeShared(batch: QueuedUpdate[]): Promise<void> {
    return new Promise((resolve) => {
      let isOver = false;
      const end = (isWritten: boolean): void => {
        if (isOver) return;
        isOver = true;
        cancel();
        // The write may be applied nevertheless: repeating an update is safe.
        if (!isWritten) for (const update of batch) writerOf(update.customerId).add(update);
        resolve();
      };
      const cancel = runtime.after(SHARED_WRITE_MS, () => end(false));
      write(batch).then(
        () => end(true),
        (error: unknown) => {
          log.warn({ err: error, results: batch.length }, 'failed to record attempt results, retrying');
          end(false);
        },
      );
    });
  }

  /** Returns the tenant's own writer, which is kept while it has updates. */
  function writerOf(customerId: number): Batcher<QueuedUpdate> {
    const known = own.get(customerId);
    if (known) return known;
    const writer = createBatcher<QueuedUpdate>(writeOfTenant, { max: BATCH, runtime });
    own.set(customerId, writer);
    // Once the updates that are about to be added are written.
    runtime.soon(() => void writer.idle().then(() => own.delete(customerId)));
    return writer;
  }

  /** Writes the updates of one tenant as soon as the database is reachable. If it refuses them, each is repeated alone. */
  async function writeOfTenant(batch: QueuedUpdate[]): Promise<void> {
    for (;;) {
      try {
        return await write(batch);
      } catch (error) {
        // An outage has no limit: results are few, and one that is dropped may be the 2xx of a last attempt.
        if (!isUnavailable(error)) return repeatRefused(batch);
        if (stopped) return drop(batch, error);
        await runtime.sleep(RETRY_PAUSE_MS);
      }
    }
  }

  /** Repeats refused updates in the background, so that they do not hold the tenant's others. */
  function repeatRefused(batch: QueuedUpdate[]): void {
    for (const update of batch) {
      const repetition = repeat(update).finally(() => refused.delete(repetition));
      refused.add(repetition);
    }
  }

  async function repeat(update: QueuedUpdate): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await write([update]);
      } catch (error) {
        if (stopped || tries >= MAX_TRIES) return drop([update], error);
        await runtime.sleep(RETRY_PAUSE_MS);
      }
    }
  }

  function drop(batch: QueuedUpdate[], error: unknown): void {
    const message = 'failed to record attempt results; the deliveries will be retried';
    log.error({ err: error, results: batch.length }, message);
    for (const { resolve } of batch) resolve(false);
  }

  function keepUnconfirmed(successes: LeasedUpdate[]): void {
    if (successes.length === 0) return;
    unconfirmed.push(...successes);
    unconfirmed.splice(0, unconfirmed.length - MAX_UNCONFIRMED);
    if (stopped) return;
    cancelConfirm ??= runtime.after(CONFIRM_MS, () => {
      cancelConfirm = null;
      confirm().catch((error: unknown) => log.warn({ err: error }, 'failed to confirm attempt results'));
    });
  }

  /** Writes the successes again that a majority does not have. */
  async function confirm(): Promise<void> {
    const checked = unconfirmed.splice(0);
    try {
      if (checked.length > 0) await queue.recordLate(await queue.unconfirmed(checked));
    } catch (error) {
      keepUnconfirmed(checked);
      throw error;
    }
  }

  const writers = (): Batcher<QueuedUpdate>[] => [shared, ...own.values()];

  return {
    /** Resolves once the update is written: true if this process held the lease, and holds it if the update keeps it. */
    write: (update: LeasedUpdate): Promise<boolean> =>
      new Promise((resolve) => (own.get(update.customerId) ?? shared).add({ ...update, resolve })),
    /** Number of updates whose write has not begun. */
    backlog: (): number => writers().reduce((sum, writer) => sum + writer.backlog(), 0),
    /** Resolves once every update is written and every success is confirmed. */
    async idle(): Promise<void> {
      await shared.idle();
      await Promise.all(writers().map((writer) => writer.idle()));
      await Promise.all(refused);
      await confirm().catch((error: unknown) =>
        log.warn({ err: error }, 'failed to confirm attempt results'),
      );
    },
    /** Makes the next failure of a write the last one. */
    stop(): void {
      stopped = true;
      cancelConfirm?.();
    },
  };
}

export type ResultWriter = ReturnType<typeof createResultWriter>;
