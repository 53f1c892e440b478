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
  queue: Pick<QueueStore, 'cancellable' | 'cancellableResends' | 'cancelUnchanged'>;
  clock: Clock;
  runtime?: Runtime;
}

/**
 * Creates the function that cancels the open deliveries of an endpoint and the resends of terminal ones, and returns the
 * number of both. It leaves deliveries in flight to the dispatcher.
 *
 * It stops when the endpoint is enabled again, which a client may do before it has the response. With `acceptedUntil`, it
 * cancels the deliveries accepted until then instead, whether or not the endpoint is enabled.
 */
export const createCancelBacklog =
  ({ endpoints, queue, clock, runtime = systemRuntime }: Deps) =>
  async (owner: DueEndpoint, acceptedUntil: Date | null = null): Promise<number> => {
    /** Cancels what `read` returns, batch by batch; returns the number of deliveries. */
    async function cancelAll(
      read: (position: {
        after: Types.ObjectId | null;
        limit: number;
        now: Date;
      }) => Promise<CancellableDelivery[]>,
    ): Promise<number> {
      let cancelled = 0;
      let after: Types.ObjectId | null = null;
      for (;;) {
        const startedAt = runtime.monotonicMs();
        const batch: CancellableDelivery[] = await read({ after, limit: BATCH, now: clock.now() });
        const last = batch.at(-1);
        // Checked after the read: a batch that was read while the endpoint was disabled has no delivery that is accepted once
        // it is enabled, however late the write.
        if (!last || (acceptedUntil === null && (await endpoints.isEnabled(owner)))) return cancelled;
        cancelled += await queue.cancelUnchanged(batch, clock.now());
        after = last._id;
        await pauseAfterBatch(startedAt, runtime);
      }
    }

    const open = await cancelAll((position) => queue.cancellable(owner, { ...position, acceptedUntil }));
    // Last: the queue index then holds few other deliveries of the endpoint.
    return open + (await cancelAll((position) => queue.cancellableResends(owner, position)));
  };

export type CancelBacklog = ReturnType<typeof createCancelBacklog>;
