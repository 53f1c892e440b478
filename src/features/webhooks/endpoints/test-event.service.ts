import type { RateWindows } from '../../../limits/rate-windows.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { EventName } from '../../outbox/event-catalog.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import { newTestEvent } from '../../outbox/outbox-event.ts';
import type { Tenant } from '../../tenants/tenants.types.ts';
import { type DeliveryDoc, toDelivery } from '../delivery/delivery.model.ts';
import type { WebhookDelivery } from '../delivery/delivery.types.ts';
import type { EndpointStore } from './endpoint.store.ts';
import { endpointNotFound, requireEnabledEndpoint } from './endpoint-errors.ts';

interface Deps {
  endpoints: EndpointStore;
  outbox: Outbox<DeliveryDoc>;
  windows: RateWindows;
  clock: Clock;
}

/** Sends sample events, so that a customer can try a receiver before anything has happened. */
export function testEventService({ endpoints, outbox, windows, clock }: Deps) {
  return {
    /**
     * Sends the sample of an event type to one endpoint, whatever its filter, with `data.test: true`.
     *
     * @throws AppError `NOT_FOUND`; `CONFLICT` when the endpoint is disabled; `RATE_LIMITED` beyond ten per minute
     */
    async send(tenant: Tenant, endpointId: number, event: EventName): Promise<WebhookDelivery> {
      await requireEnabledEndpoint(endpoints, tenant, endpointId);
      await windows.count('testEvents', endpointId);
      const sample = newTestEvent({ tenant, event, endpointId, now: clock.now() });
      const { effects } = await outbox.commit(() => ({ writes: [], events: [sample], result: undefined }), {
        tenant,
      });
      const [delivery] = effects.flat();
      // The endpoint was deleted meanwhile.
      if (!delivery) throw endpointNotFound(endpointId);
      return toDelivery(delivery);
    },
  };
}

export type TestEventService = ReturnType<typeof testEventService>;
