import { AppError, invalid } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import { newObjectId } from '../../platform/mongo/object-id.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import type { EndpointStore } from './endpoints.store.ts';
import type { QueueStore } from './queue.store.ts';
import type { RecoveryDoc } from './webhooks.model.ts';

/** Longest span that can be recovered at once (contract 5). */
const MAX_SPAN_MS = 30 * 24 * 60 * 60 * 1000;
/** Deliveries put back at once; no more are while so many wait, so that they do not pile up before the endpoint. */
const BATCH = 500;

interface Deps {
  endpoints: EndpointStore;
  queue: QueueStore;
  clock: Clock;
  log: Logger;
  /** Tells the dispatcher that something is due. */
  wake: () => void;
}

/** Sends again what failed or was cancelled in a span of time, fed to the endpoint in batches by a job. */
export function recoveryService({ endpoints, queue, clock, log, wake }: Deps) {
  /** Feeds one recovery as far as its endpoint's queue has room; true when there is nothing left of it. */
  async function feed(recovery: RecoveryDoc): Promise<boolean> {
    if ((await queue.countWaiting(recovery.endpointId, BATCH)) >= BATCH) return false;
    const position = await queue.recoverBatch(recovery, BATCH, clock.now());
    if (position === null) {
      await queue.endRecovery(recovery._id);
      return true;
    }
    await queue.advanceRecovery(recovery._id, position);
    wake();
    return false;
  }

  return {
    /**
     * @param span deliveries created in it; an open end means now
     * @returns how many were found; `CONFLICT` while a recovery of the endpoint runs or it is disabled
     */
    async start(
      tenant: Tenant,
      endpointId: number,
      span: { since: Date; until: Date | null },
    ): Promise<{ queued: number }> {
      const now = clock.now();
      const { since } = span;
      const until = span.until && span.until < now ? span.until : now;
      if (since >= until) throw invalid('since', 'Must be in the past, and before `until`.');
      if (until.getTime() - since.getTime() > MAX_SPAN_MS)
        throw invalid('since', 'At most 30 days can be recovered at once.');
      const endpoint = await endpoints.find(tenant, endpointId);
      if (!endpoint) throw new AppError('NOT_FOUND', `There is no webhook endpoint ${endpointId}.`);
      if (!endpoint.enabled)
        throw new AppError('CONFLICT', 'The endpoint is disabled; enable it before recovering.');
      const recovery: RecoveryDoc = {
        _id: newObjectId(now),
        customerId: tenant.customerId,
        endpointId,
        since,
        until,
        position: null,
        createdAt: now,
      };
      const queued = await queue.countRecoverable(endpointId, since, until);
      if (!(await queue.startRecovery(recovery)))
        throw new AppError(
          'CONFLICT',
          'A recovery of this endpoint is under way; try again when it has ended.',
        );
      await feed(recovery);
      return { queued };
    },

    /** Goes on with every recovery; called by the clock. */
    async feedAll(): Promise<void> {
      for (const recovery of await queue.recoveries()) {
        const endpoint = await endpoints.current(recovery.endpointId);
        if (!endpoint?.enabled) await queue.endRecovery(recovery._id);
        else if (await feed(recovery))
          log.info({ endpointId: recovery.endpointId }, 'recovery fed to its end');
      }
    },
  };
}

export type RecoveryService = ReturnType<typeof recoveryService>;
