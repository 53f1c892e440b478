import type { Clock } from '../../../../platform/clock.ts';
import type { Logger } from '../../../../platform/logger.ts';
import { newObjectId } from '../../../../platform/mongo/object-id.ts';
import { MAX_ATTEMPTS } from '../../../../shared/delivery-attempts.ts';
import type { EndpointDoc } from '../../endpoints/endpoint.model.ts';
import type { EndpointStore } from '../../endpoints/endpoint.store.ts';
import type { RetryDelays } from '../retry-policy.ts';
import type { RecoveryStore } from './recovery.store.ts';

interface Deps {
  endpoints: Pick<EndpointStore, 'findMany'>;
  recoveries: Pick<RecoveryStore, 'count' | 'insert'>;
  clock: Clock;
  log: Logger;
  delays: RetryDelays;
}

/** Maximum time between a failure and its write to the endpoint. Milliseconds. */
const COUNTED_AFTER_MS = 10_000;
/** Upper bound of a retry delay, as a multiple of the configured one: `Retry-After` stretches it, and it varies at random. */
const LONGEST_DELAY = 2.2;

/**
 * Creates the function that recovers from an outage of an endpoint with `autoRecover`, once it has succeeded again: it
 * starts a recovery of the deliveries whose attempts were exhausted during the outage. Deliveries that were ended by the
 * receiver are left out. Returns false if it has to be repeated, because another recovery is in progress.
 */
export const createOutageRecovery =
  ({ endpoints, recoveries, clock, log, delays }: Deps) =>
  async ({ customerId, id: endpointId, autoRecover }: EndpointDoc): Promise<boolean> => {
    if (!autoRecover) return true;
    const [endpoint] = await endpoints.findMany({ customerId }, [endpointId]);
    if (!endpoint?.enabled || !endpoint.failingSince) return true;
    const now = clock.now();
    const finishedSince = new Date(endpoint.failingSince.getTime() - COUNTED_AFTER_MS);
    const scheduleMs = LONGEST_DELAY * delays.reduce((sum, delay) => sum + delay, 0);
    const selection = {
      customerId,
      endpointId,
      since: new Date(finishedSince.getTime() - scheduleMs),
      until: now,
      statuses: ['failed' as const],
      outage: { finishedSince, attempt: MAX_ATTEMPTS },
    };
    const count = await recoveries.count(selection);
    if (count === 0) return true;
    const isStarted = await recoveries.insert({
      _id: newObjectId(now),
      ...selection,
      position: null,
      createdAt: now,
    });
    if (isStarted) log.info({ endpointId, deliveries: count }, 'recovery after an outage started');
    return isStarted;
  };

export type RecoverOutage = ReturnType<typeof createOutageRecovery>;
