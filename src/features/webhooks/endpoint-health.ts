import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logger.ts';
import type { EndpointStore } from './endpoints.store.ts';
import type { QueueStore } from './queue.store.ts';
import type { DisabledReason } from './webhooks.types.ts';

/** An endpoint is switched off after this long without a success … */
const FAILING_FOR_MS = 5 * 24 * 60 * 60 * 1000;
/** … and at least this many failed attempts (contract 6). */
const FAILING_ATTEMPTS = 100;

interface Deps {
  endpoints: EndpointStore;
  queue: QueueStore;
  clock: Clock;
  log: Logger;
}

/**
 * Counts failures by endpoint and switches off those that are gone or fail for days. The counts are gathered
 * in memory and written at most once a flush for each endpoint, so that they cost a delivery nothing.
 */
export function createEndpointHealth({ endpoints, queue, clock, log }: Deps) {
  const failures = new Map<number, number>();
  const recovered = new Set<number>();

  async function disable(endpointId: number, reason: DisabledReason): Promise<void> {
    if (!(await endpoints.disable(endpointId, reason, clock.now()))) return;
    const cancelled = await queue.cancelWaiting(endpointId, clock.now());
    log.warn({ endpointId, reason, cancelled }, 'webhook endpoint disabled');
  }

  async function addFailures(endpointId: number, count: number): Promise<void> {
    const endpoint = await endpoints.addFailures(endpointId, count, clock.now());
    if (!endpoint?.enabled || !endpoint.failingSince || endpoint.failures < FAILING_ATTEMPTS) return;
    if (clock.now().getTime() - endpoint.failingSince.getTime() >= FAILING_FOR_MS)
      await disable(endpointId, 'failing');
  }

  return {
    /** @param hadFailures whether the endpoint, as read for the attempt, had failures counted */
    succeeded(endpointId: number, hadFailures: boolean): void {
      if (hadFailures || failures.delete(endpointId)) recovered.add(endpointId);
    },
    failed(endpointId: number): void {
      failures.set(endpointId, (failures.get(endpointId) ?? 0) + 1);
    },
    /** The receiver answered 410: it wants nothing any more. */
    gone: (endpointId: number) => disable(endpointId, 'gone'),
    /** Writes what was gathered. A success since the last flush outweighs the failures before it. */
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

export type EndpointHealth = ReturnType<typeof createEndpointHealth>;
