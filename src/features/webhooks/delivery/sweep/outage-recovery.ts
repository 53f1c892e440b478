import type { Clock } from '../../../../platform/clock.ts';
import type { Logger } from '../../../../platform/logger.ts';
import { newObjectId } from '../../../../platform/mongo/object-id.ts';
import { MAX_ATTEMPTS } from '../../../../shared/delivery-attempts.ts';
import { type EndpointDoc, hasSameTarget } from '../../endpoints/endpoint.model.ts';
import type { EndpointStore } from '../../endpoints/endpoint.store.ts';
import type { RecoveryStore } from './recovery.store.ts';

interface Deps {
  endpoints: Pick<EndpointStore, 'findMany' | 'clearExhausted'>;
  recoveries: Pick<RecoveryStore, 'isInProgress' | 'hasAny' | 'insert'>;
  clock: Clock;
  log: Logger;
}

/**
 * Creates the function that recovers from an outage of an endpoint with `autoRecover`, once it has succeeded again: it
 * starts a recovery of the deliveries whose attempts were exhausted during the outage, however long ago they were created.
 * Deliveries that were ended by the receiver are left out. Returns false if it has to be repeated, because another recovery
 * is in progress, or further deliveries were exhausted meanwhile.
 */
export const createOutageRecovery =
  ({ endpoints, recoveries, clock, log }: Deps) =>
  async (used: EndpointDoc): Promise<boolean> => {
    const { customerId, id: endpointId } = used;
    if (!used.autoRecover) return true;
    const [endpoint] = await endpoints.findMany({ customerId }, [endpointId]);
    if (!endpoint?.enabled || !endpoint.autoRecover || !endpoint.exhausted) return true;
    // The success of an earlier target says nothing about the present one.
    if (!hasSameTarget(endpoint, used)) return true;
    if (await recoveries.isInProgress({ customerId }, endpointId)) return false;
    const { createdSince, finishedSince } = endpoint.exhausted;
    const now = clock.now();
    const selection = {
      customerId,
      endpointId,
      since: createdSince,
      until: now,
      statuses: ['failed' as const],
      outage: { finishedSince, attempt: MAX_ATTEMPTS },
    };
    if (await recoveries.hasAny(selection, now)) {
      const recovery = { _id: newObjectId(now), ...selection, position: null, createdAt: now };
      if (!(await recoveries.insert(recovery))) return false;
      log.info({ endpointId }, 'recovery after an outage started');
    }
    return endpoints.clearExhausted(endpoint);
  };

export type RecoverOutage = ReturnType<typeof createOutageRecovery>;
