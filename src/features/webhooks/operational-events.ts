import type { TenantRef } from '../../platform/tenant-ref.ts';
import type { EventData, EventName } from '../outbox/event-catalog.ts';
import { newEvent, type OutboxEvent } from '../outbox/outbox-event.ts';
import type { GetTenant } from '../tenants/tenants.types.ts';
import type { EndpointStore } from './endpoints/endpoint.store.ts';

interface OperationalEvent<N extends EventName> {
  event: N;
  data: EventData<N>;
  /** Endpoint that the event is about, which does not receive it; absent for none. */
  aboutEndpointId?: number;
  now: Date;
}

/** Returns an operational event; none if no endpoint names it: an event without a receiver is not stored. */
export type OperationalEvents = <N extends EventName>(
  tenant: TenantRef,
  event: OperationalEvent<N>,
) => Promise<OutboxEvent[]>;

interface Deps {
  subscribes: EndpointStore['subscribes'];
  getTenant: GetTenant;
}

export const createOperationalEvents =
  ({ subscribes, getTenant }: Deps): OperationalEvents =>
  async ({ customerId }, { event, data, aboutEndpointId, now }) =>
    (await subscribes({ customerId }, event, aboutEndpointId))
      ? [newEvent({ tenant: await getTenant(customerId), event, data, aboutEndpointId, now })]
      : [];
