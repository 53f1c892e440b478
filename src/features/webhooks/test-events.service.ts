import { AppError } from '../../errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Committer } from '../../platform/mongo/committer.ts';
import type { RateWindows } from '../../platform/mongo/rate-windows.ts';
import type { Tenant } from '../tenants/tenants.types.ts';
import { CATALOGUE, type EventData, type EventName } from './catalogue.ts';
import type { EndpointStore } from './endpoints.store.ts';
import { type OutgoingEvent, outgoing } from './outbox.ts';
import { toDelivery } from './views.ts';
import type { WebhookDelivery } from './webhooks.types.ts';

interface Deps {
  endpoints: EndpointStore;
  committer: Committer<OutgoingEvent>;
  windows: RateWindows;
  clock: Clock;
}

/** Test events that one endpoint gets in a minute (contract 5). */
const TESTS_PER_MINUTE = 10;

/** Sample events, so that a customer sees a delivery arrive before anything has happened. */
export function testEventService({ endpoints, committer, windows, clock }: Deps) {
  return {
    /**
     * Sends the sample of an event kind to one endpoint, whatever its filter says, with `data.test: true`.
     * `CONFLICT` when the endpoint is disabled, `RATE_LIMITED` past ten a minute.
     */
    async send(tenant: Tenant, endpointId: number, event: EventName): Promise<WebhookDelivery> {
      const endpoint = await endpoints.find(tenant, endpointId);
      if (!endpoint) throw new AppError('NOT_FOUND', `There is no webhook endpoint ${endpointId}.`);
      if (!endpoint.enabled)
        throw new AppError('CONFLICT', 'The endpoint is disabled; enable it before testing it.');
      const retryAfter = await windows.hit(`test:${endpointId}`, TESTS_PER_MINUTE);
      if (retryAfter !== null)
        throw new AppError(
          'RATE_LIMITED',
          `At most ${TESTS_PER_MINUTE} test events a minute for an endpoint.`,
          { retryAfter },
        );
      const { customerId: _customerId, orgId: _orgId, ...sample } = CATALOGUE[event].example;
      const sent = outgoing(tenant, event, sample as EventData, clock.now(), { endpointId });
      await committer.commit(() => ({ writes: [], events: [sent], result: undefined }));
      const [delivery] = sent.deliveries;
      if (!delivery) throw new AppError('NOT_FOUND', `There is no webhook endpoint ${endpointId}.`);
      return toDelivery(delivery);
    },
  };
}

export type TestEventService = ReturnType<typeof testEventService>;
