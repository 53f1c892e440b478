import { InputIssues } from '../../../errors/input-issues.ts';
import { addZodIssues } from '../../../errors/to-app-error.ts';
import type { RateWindows } from '../../../limits/rate-windows.ts';
import type { Clock } from '../../../platform/clock.ts';
import { customProperties } from '../../../platform/custom-properties.ts';
import { CUSTOM_EVENT } from '../../../shared/custom-events.ts';
import { CATALOG, type EventName } from '../../outbox/event-catalog.ts';
import { customTypeOf, type EventTypeName, exampleNameOf, storedType } from '../../outbox/event-type.ts';
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

interface TestEvent {
  event: EventTypeName;
  /** Data of the sample; by default, the example of the catalog. */
  data?: Record<string, unknown> | null;
}

/** Returns the schema of an event type, with the bounds of custom properties. */
const schemaOf = (event: EventName) =>
  event === CUSTOM_EVENT
    ? CATALOG[event].data.extend({ properties: customProperties.nullable() })
    : CATALOG[event].data;

/**
 * Returns the data of a sample without the keys that the service sets.
 *
 * @throws AppError `VALIDATION_FAILED` unless it fits the schema of the event type
 */
function validData({ customerId, orgId }: Tenant, { event, data }: TestEvent): TestEvent['data'] {
  if (!data) return null;
  const { test: _test, customerId: _customerId, orgId: _orgId, ...own } = data;
  const type = customTypeOf(event);
  const given = { ...own, ...(type !== null && { type }), customerId, orgId };
  const parsed = schemaOf(storedType(event).event).safeParse(given);
  if (parsed.success) return own;
  const issues = new InputIssues();
  addZodIssues(parsed.error, issues, ['data']);
  throw issues.toError();
}

/** Sends sample events, so that a customer can try a receiver before anything has happened. */
export function testEventService({ endpoints, outbox, windows, clock }: Deps) {
  return {
    /**
     * Sends a sample of an event type to one endpoint, whatever its filter, with `data.test: true`.
     *
     * @throws AppError `VALIDATION_FAILED` for data that the event type cannot have; `NOT_FOUND`; `CONFLICT` when the endpoint is disabled; `RATE_LIMITED` beyond ten per minute
     */
    async send(tenant: Tenant, endpointId: number, input: TestEvent): Promise<WebhookDelivery> {
      const event = exampleNameOf(input.event);
      const data = validData(tenant, { ...input, event }) ?? null;
      await requireEnabledEndpoint(endpoints, tenant, endpointId);
      await windows.count('testEvents', endpointId);
      const sample = newTestEvent({ tenant, event, data, endpointId, now: clock.now() });
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
