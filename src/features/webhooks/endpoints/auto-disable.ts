import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { QueueStore } from '../delivery/queue.store.ts';
import type { EndpointDoc } from './endpoint.model.ts';
import type { EndpointStore } from './endpoint.store.ts';
import type { DisabledReason } from './endpoint.types.ts';

/** An endpoint is disabled after this long without a success … */
const FAILING_FOR_MS = 5 * 24 * 60 * 60 * 1000;
/** … and at least this many failed attempts (contract 6). */
const MIN_FAILURES = 100;

interface Deps {
  endpoints: EndpointStore;
  queue: Pick<QueueStore, 'cancelDue'>;
  clock: Clock;
  log: Logger;
}

/**
 * Disables endpoints that are gone or fail for days. Failures are counted in memory and written once per flush and
 * endpoint, so that they add no write to a delivery.
 */
export function createAutoDisable({ endpoints, queue, clock, log }: Deps) {
  const failures = new Map<number, number>();
  const recovered = new Set<number>();

  async function disable({ customerId, id: endpointId }: EndpointDoc, reason: DisabledReason): Promise<void> {
    if (!(await endpoints.disable(endpointId, reason, clock.now()))) return;
    const cancelled = await queue.cancelDue({ customerId, endpointId }, clock.now());
    log.warn({ endpointId, reason, cancelled }, 'webhook endpoint disabled');
  }

  async function addFailures(endpointId: number, count: number): Promise<void> {
    const endpoint = await endpoints.addFailures(endpointId, count, clock.now());
    if (!endpoint?.enabled || !endpoint.failingSince || endpoint.failures < MIN_FAILURES) return;
    if (clock.now().getTime() - endpoint.failingSince.getTime() >= FAILING_FOR_MS)
      await disable(endpoint, 'failing');
  }

  return {
    /** Counts a success. @param endpoint as read for the attempt */
    succeeded({ id, failures: stored }: EndpointDoc): void {
      if (stored > 0 || failures.delete(id)) recovered.add(id);
    },
    failed({ id }: EndpointDoc): void {
      failures.set(id, (failures.get(id) ?? 0) + 1);
    },
    /** Disables an endpoint whose receiver responded with 410 Gone. */
    gone: (endpoint: EndpointDoc) => disable(endpoint, 'gone'),
    /** Writes the counts. A success since the last flush outweighs the failures before it. */
    async flush(): Promise<void> {
      const cleared = [...recovered];
      const counted = [...failures];
      recovered.clear();
      failures.clear();
      for (const endpointId of cleared) await endpoints.clearFailures(endpointId);
      for (const [endpointId, count] of counted) await addFailures(endpointId, count);
    },
  };
}

export type AutoDisable = ReturnType<typeof createAutoDisable>;
