import { Types } from 'mongoose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { DeliveryDoc } from '../../src/features/webhooks/delivery/delivery.model.ts';
import type { ExplanationReason } from '../../src/features/webhooks/delivery/explanation.service.ts';
import { newObjectId } from '../../src/platform/mongo/object-id.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { runCommand } from '../support/command.ts';
import { freshDatabase } from '../support/databases.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { EXPLAIN, explainIn, explainPath, storeDelivery } from './explain-support.ts';
import {
  createEndpoint,
  deliveryLike,
  postConversion,
  scheduled,
  setEnabled,
  type TestEndpoint,
} from './support.ts';

const NOWHERE = { url: 'http://127.0.0.1:9', paused: true };
const mongodbUri = freshDatabase();

let app: TestApp;
let tenant: TestTenant;
let receiver: Receiver;
beforeAll(async () => {
  app = await startApp({ MONGODB_URI: mongodbUri });
  tenant = await app.newTenant();
  receiver = await startReceiver();
});
afterAll(async () => {
  await app.stop();
  await receiver.stop();
});

const pathOf = (eventId: string, endpointId: number) => explainPath(tenant, eventId, endpointId);
const explain = (eventId: string, { id: endpointId }: { id: number }) =>
  explainIn(app, tenant, { eventId, endpointId });

/** Publishes a conversion, and returns the id of its event. */
const publish = async (more: Record<string, unknown> = {}): Promise<string> =>
  String((await postConversion(app, tenant, more)).event_id);

const store = (endpoint: TestEndpoint, state: Partial<DeliveryDoc>) =>
  storeDelivery(app, tenant, endpoint, state);

describe('an explanation', () => {
  test('requires authentication', async () => {
    const endpoint = await createEndpoint(app, tenant, NOWHERE);
    const eventId = await publish();
    await expectProtected(app, { method: 'GET', path: pathOf(eventId, endpoint.id), scope: 'read' }, tenant);
    await expectProtectedGraphQL(app, EXPLAIN, { eventId, endpointId: endpoint.id }, []);
  });

  test('says that the customer does not have the event, and no more about it', async () => {
    const endpoint = await createEndpoint(app, tenant, NOWHERE);
    const stranger = await app.newTenant();
    const foreign = String((await postConversion(app, stranger)).event_id);
    for (const id of ['f'.repeat(24), 'nope', foreign])
      expect(await explain(id, endpoint)).toMatchObject({ reason: 'no_such_event', event: null });
  });

  test('is a 404 for an endpoint that the customer does not have', async () => {
    const stranger = await app.newTenant();
    const foreign = await createEndpoint(app, stranger, NOWHERE);
    for (const [eventId, endpointId] of [
      [await publish(), foreign.id],
      [await publish(), 2 ** 31 - 1],
      ['f'.repeat(24), foreign.id],
    ] as const) {
      const { status, body } = await app.request('GET', pathOf(eventId, endpointId), { key: tenant.read });
      expect([status, body.error?.code]).toEqual([404, 'NOT_FOUND']);
    }
    const { status, body } = await app.request('GET', pathOf('f'.repeat(24), 1).split('?')[0] ?? '', {
      key: tenant.read,
    });
    expect([status, body.error?.details]).toEqual([422, [{ path: 'endpointId', message: 'Is required.' }]]);
  });

  test('of what the subscription leaves out: now, then, and by the filter', async () => {
    const endpoint = await createEndpoint(app, tenant, { ...NOWHERE, events: ['outcome.marked'] });
    const filtered = await createEndpoint(app, tenant, {
      ...NOWHERE,
      events: ['conversion.recorded'],
      filter: { 'data.value': { $gte: 100 } },
    });
    const eventId = await publish({ value: 7 });
    expect(await explain(eventId, endpoint)).toMatchObject({
      reason: 'not_subscribed',
      message: 'The events of the endpoint do not include conversion.recorded.',
      event: 'conversion.recorded',
      deliveryId: null,
    });
    expect(await explain(eventId, filtered)).toMatchObject({
      reason: 'filtered_out',
      message: 'The event does not fulfil the clause data.value $gte 100; its value is 7.',
      clause: 'data.value $gte 100',
      value: '7',
    });
    await app.request('PATCH', endpoint.path, { key: tenant.write, body: { events: null } });
    await app.request('PATCH', filtered.path, { key: tenant.write, body: { filter: null } });
    expect(await explain(eventId, endpoint)).toMatchObject({
      reason: 'not_subscribed',
      message: expect.stringContaining('it is now'),
    });
    expect(await explain(eventId, filtered)).toMatchObject({ reason: 'filtered_out' });
  });

  test('of an endpoint that did not exist yet, or does not any more', async () => {
    const deleted = await createEndpoint(app, tenant, NOWHERE);
    const eventId = await publish();
    app.clock.advance(1_000);
    const later = await createEndpoint(app, tenant, NOWHERE);
    expect(await explain(eventId, later)).toMatchObject({ reason: 'endpoint_created_later' });
    await app.request('DELETE', deleted.path, { key: tenant.write });
    expect(await explain(eventId, deleted)).toMatchObject({
      reason: 'endpoint_deleted',
      status: 'cancelled',
    });
  });

  test('says that an event was for other endpoints', async () => {
    const endpoint = await createEndpoint(app, tenant, NOWHERE);
    const tested = await createEndpoint(app, tenant, NOWHERE);
    const test = await app.request('POST', `${tested.path}/test`, {
      key: tenant.write,
      body: { event: 'outcome.marked' },
    });
    expect(await explain(String(test.body.eventId), endpoint)).toMatchObject({ reason: 'other_recipient' });
    expect(await explain(String(test.body.eventId), tested)).toMatchObject({ reason: 'paused' });

    const about = await createEndpoint(app, tenant, { ...NOWHERE, events: ['endpoint.disabled'] });
    const eventId = newObjectId(app.clock.now());
    const event = 'endpoint.disabled';
    await app.models.Event.create({
      ...{ _id: eventId, customerId: tenant.customerId, event, createdAt: app.clock.now() },
      payload: JSON.stringify({ event, data: { endpointId: about.id }, ts: 0 }),
    });
    expect(await explain(eventId.toHexString(), about)).toMatchObject({ reason: 'about_this_endpoint' });
  });

  test('of an endpoint that was disabled then, and of what was cancelled later', async () => {
    const endpoint = await createEndpoint(app, tenant, NOWHERE);
    const open = await publish();
    app.clock.advance(1_000);
    await setEnabled(app, tenant, endpoint, false);
    const missed = await publish();
    await setEnabled(app, tenant, endpoint, true);
    expect(await explain(missed, endpoint)).toMatchObject({
      reason: 'disabled',
      status: 'cancelled',
      attempt: 0,
    });
    expect(await explain(open, endpoint)).toMatchObject({ reason: 'cancelled', status: 'cancelled' });
  });

  test('of a delivery: when, by which attempt and how long, also after a failed resend', async () => {
    const endpoint = await createEndpoint(app, tenant, { url: receiver.url });
    const eventId = await publish();
    const { id: deliveryId } = await deliveryLike(app, tenant, endpoint, { eventId, status: 'succeeded' });
    const explanation = await explain(eventId, endpoint);
    expect(explanation).toMatchObject({
      reason: 'delivered',
      deliveryId,
      status: 'succeeded',
      attempt: 1,
      responseStatus: 200,
      error: null,
      durationMs: expect.any(Number),
    });
    expect(String(explanation.message)).toMatch(/^Attempt 1 at \S+ received HTTP 200 after \d+ ms\.$/);
    receiver.behave(500);
    await app.request('POST', `${endpoint.path}/deliveries/${deliveryId}/resend`, { key: tenant.write });
    await deliveryLike(app, tenant, endpoint, { id: deliveryId, error: 'http_500' });
    expect(await explain(eventId, endpoint)).toEqual(explanation);
    const failing = await publish();
    await scheduled(app, tenant, endpoint, 2);
    receiver.behave(200);
    expect(await explain(failing, endpoint)).toMatchObject({
      reason: 'retrying',
      status: 'retrying',
      attempt: 2,
      error: 'http_500',
      nextRetryAt: expect.any(String),
    });
  });

  test('of a delivery that succeeded again: by its last success', async () => {
    const again = await startReceiver();
    onTestFinished(() => again.stop());
    const endpoint = await createEndpoint(app, tenant, { url: again.url });
    const eventId = await publish();
    const { id: deliveryId } = await deliveryLike(app, tenant, endpoint, { eventId, status: 'succeeded' });
    const first = await explain(eventId, endpoint);
    again.behave(202);
    await app.request('POST', `${endpoint.path}/deliveries/${deliveryId}/resend`, { key: tenant.write });
    const { lastAttemptAt } = await deliveryLike(app, tenant, endpoint, {
      ...{ id: deliveryId, responseStatus: 202 },
    });
    expect(lastAttemptAt).not.toBe(first.lastAttemptAt);
    expect(await explain(eventId, endpoint)).toMatchObject({
      ...{ reason: 'delivered', lastAttemptAt, responseStatus: 202 },
      message: expect.stringMatching(/^Attempt 2 at \S+ received HTTP 202 after \d+ ms\.$/),
    });
  });

  test.each<[ExplanationReason, Partial<DeliveryDoc>]>([
    ['exhausted', { status: 'failed', attempt: 5, error: 'http_503', responseStatus: 503 }],
    ['stopped_by_receiver', { status: 'failed', attempt: 2, error: 'http_410', responseStatus: 410 }],
    ['address_refused', { status: 'failed', attempt: 5, error: 'blocked_address' }],
    ['address_refused', { error: 'blocked_port', nextRetryAt: new Date('2999-01-01') }],
    ['proxy_failed', { error: 'proxy_refused', nextRetryAt: new Date('2999-01-01') }],
    ['token_failed', { status: 'failed', attempt: 5, error: 'oauth_refused' }],
    ['certificate_failed', { status: 'failed', attempt: 5, error: 'mtls_unreadable' }],
    ['retrying', { error: 'timeout', lease: 'other process', nextRetryAt: new Date('2999-01-01') }],
    ['pending', { status: 'pending', attempt: 1, lease: 'other process' }],
    ['paused', { status: 'pending', attempt: 0, dueAt: new Date() }],
  ])('%s, of %j', async (reason, state) => {
    const endpoint = await createEndpoint(app, tenant, NOWHERE);
    const explanation = await explain(await store(endpoint, state), endpoint);
    const { status = 'retrying', attempt = 2, error = null } = state;
    expect(explanation).toMatchObject({ reason, status, attempt, error });
    if (error) expect(explanation.message).toContain(error);
  });

  test('of a delivery that waits for a slot or for the rate limit', async () => {
    const endpoint = await createEndpoint(app, tenant, NOWHERE);
    const eventId = await store(endpoint, { error: 'timeout', dueAt: new Date(), lane: 'inline' });
    expect(await explain(eventId, endpoint)).toMatchObject({ reason: 'paused', error: 'timeout' });
    // Unknown to the queue, which asks for the lanes that there are.
    const { customerId } = tenant;
    await app.models.Delivery.collection.updateMany(
      { customerId, eventId: new Types.ObjectId(eventId) },
      { $set: { lane: 'none' } },
    );
    await app.request('PATCH', endpoint.path, { key: tenant.write, body: { paused: false } });
    expect(await explain(eventId, endpoint)).toMatchObject({ reason: 'waiting_for_slot' });

    const rateLimit = { count: 1, perSeconds: 3_600 };
    const limited = await createEndpoint(app, tenant, { url: receiver.url, rateLimit });
    await publish();
    await deliveryLike(app, tenant, limited, { status: 'succeeded' });
    expect(await explain(await publish(), limited)).toMatchObject({
      reason: 'waiting_for_rate_limit',
      status: 'pending',
      nextRetryAt: expect.any(String),
    });
  });

  test('says that a delivery which a crash left out is pending', async () => {
    const endpoint = await createEndpoint(app, tenant, NOWHERE);
    const eventId = await publish();
    const { customerId } = tenant;
    await app.models.Delivery.deleteOne({ customerId, eventId, endpointId: endpoint.id });
    expect(await explain(eventId, endpoint)).toMatchObject({ reason: 'pending', deliveryId: null });
  });

  test('is printed by the command, as text and as the JSON of the API', async () => {
    const endpoint = await createEndpoint(app, tenant, { ...NOWHERE, filter: { 'data.value': 1 } });
    const eventId = await publish();
    const env = { MONGODB_URI: mongodbUri };
    const args = ['explain', '--customer', String(tenant.customerId), '--event', eventId, '--endpoint'];
    const json = await runCommand([...args, String(endpoint.id), '--json'], env);
    expect(JSON.parse(json.stdout)).toEqual(await explain(eventId, endpoint));
    const text = await runCommand([...args, String(endpoint.id)], env);
    expect(text.stdout).toMatch(/^Reason +filtered_out$/m);
    expect((await runCommand([...args, '2147483647'], env)).code).not.toBe(0);
  });
});
