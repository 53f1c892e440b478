import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { QueueStore } from '../delivery/queue/queue.store.ts';
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

  /** Changes in progress: of attempts that end together, one disables their endpoint. */
  const disabling = new Map<number, Promise<void>>();

  function disable(endpoint: EndpointDoc, reason: DisabledReason): Promise<void> {
    const { id } = endpoint;
    const running = disabling.get(id) ?? disableNow(endpoint, reason).finally(() => disabling.delete(id));
    disabling.set(id, running);
    return running;
  }

  async function disableNow(endpoint: EndpointDoc, reason: DisabledReason): Promise<void> {
    const { customerId, id: endpointId } = endpoint;
    if (!(await endpoints.disable(endpoint, reason, clock.now()))) return;
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
    // The endpoint is cached: it can lack failures that another process has counted.
    succeeded({ id }: EndpointDoc): void {
      failures.delete(id);
      recovered.add(id);
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
      if (cleared.length > 0) await endpoints.clearFailures(cleared);
      for (const [endpointId, count] of counted) await addFailures(endpointId, count);
    },
  };
}

export type AutoDisable = ReturnType<typeof createAutoDisable>;
