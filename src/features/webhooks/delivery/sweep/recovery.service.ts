import { AppError, invalid } from '../../../../errors/app-error.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Logger } from '../../../../platform/logger.ts';
import { newObjectId } from '../../../../platform/mongo/object-id.ts';
import type { Tenant } from '../../../tenants/tenants.types.ts';
import type { EndpointStore } from '../../endpoints/endpoint.store.ts';
import { requireEnabledEndpoint } from '../../endpoints/endpoint-errors.ts';
import type { QueueStore } from '../queue.store.ts';
import type { RecoveryDoc } from './recovery.model.ts';
import type { RecoveryStore } from './recovery.store.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Longest time range of one recovery (contract 5). */
const MAX_RANGE_DAYS = 30;
/** Deliveries requeued at once. While the endpoint has as many that are due, none is requeued. */
const BATCH = 500;

interface Deps {
  endpoints: EndpointStore;
  queue: Pick<QueueStore, 'countDue' | 'requeue'>;
  recoveries: RecoveryStore;
  clock: Clock;
  log: Logger;
  /** Wakes the dispatcher: deliveries became due. */
  wake: (customerId: number) => void;
}

/** Sends failed and cancelled deliveries of a time range again. A job requeues them in batches. */
export function recoveryService({ endpoints, queue, recoveries, clock, log, wake }: Deps) {
  /** Requeues the next batch if fewer deliveries of the endpoint are due; returns true when the recovery is complete. */
  async function feed(recovery: RecoveryDoc): Promise<boolean> {
    // Retries that are due later do not count: they can be hours away.
    if ((await queue.countDue(recovery, clock.now(), BATCH)) >= BATCH) return false;
    const deliveries = await recoveries.next(recovery, BATCH);
    const last = deliveries.at(-1)?._id;
    if (!last) {
      await recoveries.remove(recovery._id);
      return true;
    }
    await queue.requeue(deliveries, clock.now());
    await recoveries.advance(recovery._id, last);
    wake(recovery.customerId);
    return false;
  }

  return {
    /**
     * @param range creation times of the deliveries to send again; until now by default
     * @returns the number of deliveries found
     * @throws AppError `NOT_FOUND`; `CONFLICT` while a recovery of the endpoint is in progress or it is disabled
     */
    async start(
      tenant: Tenant,
      endpointId: number,
      range: { since: Date; until?: Date | null },
    ): Promise<{ queued: number }> {
      const now = clock.now();
      const { since } = range;
      const until = range.until && range.until < now ? range.until : now;
      if (since >= until) throw invalid('since', 'Must be in the past, and before `until`.');
      if (until.getTime() - since.getTime() > MAX_RANGE_DAYS * DAY_MS)
        throw invalid(
          'since',
          `Must be at most ${MAX_RANGE_DAYS} days before \`until\`, which is now by default. Set \`until\` to recover older deliveries, ${MAX_RANGE_DAYS} days at a time.`,
        );
      await requireEnabledEndpoint(endpoints, tenant, endpointId);
      const recovery: RecoveryDoc = {
        _id: newObjectId(now),
        customerId: tenant.customerId,
        endpointId,
        since,
        until,
        position: null,
        createdAt: now,
      };
      const queued = await recoveries.countRecoverable(recovery);
      if (!(await recoveries.insert(recovery)))
        throw new AppError(
          'CONFLICT',
          'A recovery of this endpoint is in progress; retry when it has completed.',
        );
      await feed(recovery);
      return { queued };
    },

    /** Continues every recovery; called by the scheduler. Returns true while there are recoveries. */
    async feedAll(): Promise<boolean> {
      const all = await recoveries.all();
      for (const recovery of all) {
        const endpoint = await endpoints.current(recovery);
        if (!endpoint?.enabled) await recoveries.remove(recovery._id);
        else if (await feed(recovery)) log.info({ endpointId: recovery.endpointId }, 'recovery completed');
      }
      return all.length > 0;
    },
  };
}

export type RecoveryService = ReturnType<typeof recoveryService>;
