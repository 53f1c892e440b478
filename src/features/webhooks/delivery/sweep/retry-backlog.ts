import type { Types } from 'mongoose';
import { invalid } from '../../../../errors/app-error.ts';
import { pauseAfterBatch } from '../../../../platform/batch-pause.ts';
import type { Clock } from '../../../../platform/clock.ts';
import { type Runtime, systemRuntime } from '../../../../platform/runtime.ts';
import type { EventTypeName } from '../../../outbox/event-type.ts';
import type { Tenant } from '../../../tenants/tenants.types.ts';
import type { EndpointStore } from '../../endpoints/endpoint.store.ts';
import { requireEnabledEndpoint, requireEndpoint } from '../../endpoints/endpoint-errors.ts';
import type { QueueStore } from '../queue.store.ts';

/** Deliveries per write. */
const BATCH = 500;

interface Deps {
  endpoints: EndpointStore;
  queue: Pick<QueueStore, 'countRetries' | 'retries' | 'hasten'>;
  clock: Clock;
  /** Wakes the dispatcher: deliveries became due. */
  wake: (customerId: number) => void;
  runtime?: Runtime;
}

/** Selection of scheduled retries as a client makes it; every condition that is given must match. */
export interface RetryInput {
  since?: Date | null;
  until?: Date | null;
  event?: EventTypeName | null;
  error?: string | null;
  /** Only counts the deliveries. */
  dryRun?: boolean | null;
}

/** Makes scheduled retries of an endpoint due at once, as a client selects them. */
export function retryBacklogService({ endpoints, queue, clock, wake, runtime = systemRuntime }: Deps) {
  return {
    /**
     * Makes the selected retries due, oldest delivery first, or only counts them.
     *
     * @throws AppError `VALIDATION_FAILED` for an empty time range; `NOT_FOUND`; `CONFLICT` while the endpoint is disabled,
     * except for a dry run
     */
    async retry(tenant: Tenant, endpointId: number, input: RetryInput): Promise<{ count: number }> {
      const { since, until, event, error, dryRun } = input;
      if (since && until && since >= until) throw invalid('since', 'Must be before `until`.');
      const selection = {
        customerId: tenant.customerId,
        endpointId,
        since: since ?? undefined,
        until: until ?? undefined,
        event: event ?? undefined,
        error: error ?? undefined,
        dueAfter: clock.now(),
      };
      if (dryRun) {
        await requireEndpoint(endpoints, tenant, endpointId);
        return { count: await queue.countRetries(selection) };
      }
      await requireEnabledEndpoint(endpoints, tenant, endpointId);
      let count = 0;
      let after: Types.ObjectId | null = null;
      for (;;) {
        const startedAt = runtime.monotonicMs();
        const batch = await queue.retries(selection, after, BATCH);
        after = batch.at(-1)?._id ?? null;
        if (after === null) return { count };
        count += await queue.hasten(batch, clock.now());
        wake(tenant.customerId);
        await pauseAfterBatch(startedAt, runtime);
      }
    },
  };
}

export type RetryBacklogService = ReturnType<typeof retryBacklogService>;
