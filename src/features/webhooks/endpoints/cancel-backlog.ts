import type { Types } from 'mongoose';
import { pauseAfterBatch } from '../../../platform/batch-pause.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Runtime, systemRuntime } from '../../../platform/runtime.ts';
import type { CancellableDelivery, DueEndpoint, QueueStore } from '../delivery/queue.store.ts';
import type { EndpointStore } from './endpoint.store.ts';

/** Deliveries per write. */
const BATCH = 500;

interface Deps {
  endpoints: Pick<EndpointStore, 'isEnabled'>;
  queue: Pick<QueueStore, 'cancellable' | 'cancelUnchanged'>;
  clock: Clock;
  runtime?: Runtime;
}

/**
 * Creates the function that cancels the open deliveries of an endpoint, and returns their number. It leaves deliveries in
 * flight to the dispatcher.
 *
 * Those of a disabled or deleted endpoint are cancelled until it is enabled again: a client need not wait for the response.
 * With `acceptedUntil`, those that were accepted until then are cancelled, whatever the state of the endpoint.
 */
export const createCancelBacklog =
  ({ endpoints, queue, clock, runtime = systemRuntime }: Deps) =>
  async (owner: DueEndpoint, acceptedUntil: Date | null = null): Promise<number> => {
    let cancelled = 0;
    let after: Types.ObjectId | null = null;
    for (;;) {
      const startedAt = runtime.monotonicMs();
      const batch: CancellableDelivery[] = await queue.cancellable(owner, {
        after,
        acceptedUntil,
        limit: BATCH,
      });
      const last = batch.at(-1);
      // Checked after the read: a batch that was read while the endpoint was disabled has no delivery that is accepted once
      // it is enabled, however late the write.
      if (!last || (acceptedUntil === null && (await endpoints.isEnabled(owner)))) return cancelled;
      cancelled += await queue.cancelUnchanged(batch, clock.now());
      after = last._id;
      await pauseAfterBatch(startedAt, runtime);
    }
  };

export type CancelBacklog = ReturnType<typeof createCancelBacklog>;
