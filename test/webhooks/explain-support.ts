import { expect } from 'vitest';
import type { DeliveryDoc } from '../../src/features/webhooks/delivery/delivery.model.ts';
import { newObjectId } from '../../src/platform/mongo/object-id.ts';
import { clientOf } from '../client-package/support.ts';
import type { Json, TestApp, TestTenant } from '../support/app.ts';

export const EXPLAIN = `query ($eventId: ID!, $endpointId: Int!) {
  explainDelivery(eventId: $eventId, endpointId: $endpointId) {
    eventId endpointId reason message event clause value deliveryId status attempt
    lastAttemptAt responseStatus error durationMs nextRetryAt
  }
}`;

export const explainPath = ({ customerId }: TestTenant, eventId: string, endpointId: number): string =>
  `/api/v1/customers/${customerId}/events/${eventId}/explain?endpointId=${endpointId}`;

/** Explains in REST, GraphQL and the client, which have to agree. */
export async function explainIn(
  app: TestApp,
  tenant: TestTenant,
  { eventId, endpointId }: { eventId: string; endpointId: number },
): Promise<Json> {
  const rest = await app.request('GET', explainPath(tenant, eventId, endpointId), { key: tenant.read });
  expect(rest.status, JSON.stringify(rest.body)).toBe(200);
  const graphql = await app.graphql(EXPLAIN, { eventId, endpointId }, tenant.read, {
    'x-customer-id': String(tenant.customerId),
  });
  expect(graphql.body).toEqual({ data: { explainDelivery: rest.body } });
  expect(await clientOf(app, tenant).events.explain(eventId, { endpointId })).toEqual(rest.body);
  return rest.body;
}

/** Stores an event with a delivery in a state; returns the id of the event. */
export async function storeDelivery(
  { models, clock }: TestApp,
  { customerId }: TestTenant,
  { id: endpointId }: { id: number },
  state: Partial<DeliveryDoc>,
): Promise<string> {
  const createdAt = clock.now();
  const eventId = newObjectId(createdAt);
  const event = 'conversion.recorded';
  await models.Event.create({
    ...{ _id: eventId, customerId, event, createdAt },
    payload: JSON.stringify({ event, data: { customerId }, ts: 0 }),
  });
  await models.Delivery.create({
    ...{ customerId, endpointId, eventId, event, createdAt, lane: 'scheduled' },
    ...{ status: 'retrying', attempt: 2, attempts: [], ...state },
  });
  return eventId.toHexString();
}
