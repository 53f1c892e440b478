import { onTestFinished } from 'vitest';
import type { DeliveryDoc } from '../../src/features/webhooks/delivery/delivery.model.ts';
import { newObjectId } from '../../src/platform/mongo/object-id.ts';
import { eventually, type Json, type TestApp, type TestTenant } from '../support/app.ts';
import { type Behaviour, type Receiver, startReceiver } from '../support/receiver.ts';

/** Paths of a tenant's endpoints. */
export const endpointsPath = (customerId: number): string =>
  `/api/v1/customers/${customerId}/webhook-endpoints`;

/** Registers an endpoint over REST. */
export async function createEndpoint(
  app: TestApp,
  tenant: TestTenant,
  input: Record<string, unknown>,
): Promise<TestEndpoint> {
  const { status, body } = await app.request('POST', endpointsPath(tenant.customerId), {
    key: tenant.write,
    body: input,
  });
  if (status !== 201) throw new Error(`endpoint rejected: ${JSON.stringify(body)}`);
  const id = Number(body.endpoint?.id);
  return { id, secret: String(body.secret), path: `${endpointsPath(tenant.customerId)}/${id}` };
}

/** Accepts a conversion over REST. */
export async function postConversion(
  app: TestApp,
  tenant: TestTenant,
  more: Record<string, unknown> = {},
): Promise<Json> {
  const body = { type: 'conversion', goal: 'demo_booked', visitor_id: 'v_1', ...more };
  const answer = await app.request('POST', '/v1/events', { key: tenant.write, body });
  if (answer.status !== 201) throw new Error(`event rejected: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** An endpoint that a test has registered. */
export interface TestEndpoint {
  id: number;
  secret: string;
  path: string;
}

/** Starts a receiver that ends with the test. */
export async function receiving(behaviour: Behaviour = 200): Promise<Receiver> {
  const receiver = await startReceiver(behaviour);
  onTestFinished(() => receiver.stop());
  return receiver;
}

/** A new tenant with one endpoint at a receiver that ends with the test. */
export async function listening(
  app: TestApp,
  behaviour: Behaviour = 200,
  input: Record<string, unknown> = {},
): Promise<{ tenant: TestTenant; endpoint: TestEndpoint; receiver: Receiver }> {
  const receiver = await receiving(behaviour);
  const tenant = await app.newTenant();
  return { tenant, endpoint: await createEndpoint(app, tenant, { url: receiver.url, ...input }), receiver };
}

/** Enables or disables an endpoint over REST. */
export async function setEnabled(
  app: TestApp,
  tenant: TestTenant,
  { path }: { path: string },
  enabled: boolean,
): Promise<void> {
  const { status } = await app.request('PATCH', path, { key: tenant.write, body: { enabled } });
  if (status !== 200) throw new Error(`the endpoint could not be changed: ${status}`);
}

/** Accepts events while an endpoint is disabled, so that their deliveries are cancelled, then enables it. */
export async function missEvents(
  app: TestApp,
  tenant: TestTenant,
  endpoint: { path: string },
  count: number,
): Promise<void> {
  await setEnabled(app, tenant, endpoint, false);
  await Promise.all(Array.from({ length: count }, () => postConversion(app, tenant)));
  await setEnabled(app, tenant, endpoint, true);
}

interface DeliveryView {
  id: string;
  eventId: string;
  event: string;
  status: string;
  attempt: number;
  nextRetryAt: string | null;
  waitingFor: string | null;
  error: string | null;
  failureReason: string | null;
  responseStatus: number | null;
  createdAt: string;
  lastAttemptAt: string | null;
}

/** The deliveries of an endpoint, newest first. */
export async function deliveriesOf(
  app: TestApp,
  tenant: TestTenant,
  endpoint: { path: string },
  query = '',
): Promise<DeliveryView[]> {
  const { body } = await app.request('GET', `${endpoint.path}/deliveries${query}`, { key: tenant.read });
  return body.data as unknown as DeliveryView[];
}

/** Waits for the newest delivery of an endpoint with these fields. */
export const deliveryLike = (
  app: TestApp,
  tenant: TestTenant,
  endpoint: { path: string },
  wanted: Partial<DeliveryView>,
): Promise<DeliveryView> =>
  eventually(async () =>
    (await deliveriesOf(app, tenant, endpoint, '?limit=200')).find((delivery) =>
      Object.entries(wanted).every(([name, value]) => delivery[name as keyof DeliveryView] === value),
    ),
  );

/** Waits until an attempt has failed and the next one is scheduled. */
export const scheduled = (
  app: TestApp,
  tenant: TestTenant,
  endpoint: { path: string },
  attempt: number,
): Promise<DeliveryView> =>
  eventually(async () => {
    const [delivery] = await deliveriesOf(app, tenant, endpoint);
    if (delivery?.attempt !== attempt || delivery.status !== 'retrying') return null;
    // A lease is shorter than the shortest delay, so no attempt is in progress.
    return Date.parse(delivery.nextRetryAt ?? '') - app.clock.now().getTime() > 60_000 ? delivery : null;
  });

/** Advances the clock to the time of the next attempt. */
export const advanceTo = (app: TestApp, { nextRetryAt }: DeliveryView): void =>
  app.clock.advance(Date.parse(nextRetryAt ?? '') - app.clock.now().getTime() + 1_000);

/** State of a delivery whose attempt 5 is due. */
export const BEFORE_LAST_ATTEMPT = { status: 'retrying', attempt: 4, lane: 'scheduled' } as const;

/** Stores due deliveries with their events, as a process leaves them that has died; returns their ids. */
export async function storeDue(
  app: TestApp,
  tenant: TestTenant,
  endpoint: TestEndpoint,
  state: Partial<DeliveryDoc>,
  count = 1,
): Promise<string[]> {
  const { customerId } = tenant;
  const now = app.clock.now();
  const event = 'conversion.recorded';
  const deliveries = Array.from({ length: count }, () => ({
    _id: newObjectId(now),
    customerId,
    endpointId: endpoint.id,
    eventId: newObjectId(now),
    event,
    attempts: [],
    createdAt: now,
    dueAt: now,
    ...state,
  }));
  await app.models.Event.insertMany(
    deliveries.map(({ eventId: _id }) => ({ _id, customerId, event, payload: '{}', createdAt: now })),
  );
  await app.models.Delivery.insertMany(deliveries);
  return deliveries.map(({ _id }) => _id.toHexString());
}
