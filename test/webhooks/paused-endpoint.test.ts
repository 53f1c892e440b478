import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { readMetrics } from '../support/metrics.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import {
  createEndpoint,
  deliveriesOf,
  deliveryLike,
  endpointsPath,
  listening,
  postConversion,
  receiving,
  scheduled,
  setEnabled,
  storeDue,
} from './support.ts';

const UPDATE = `mutation ($id: Int!, $input: UpdateWebhookEndpointInput!) {
  updateWebhookEndpoint(id: $id, input: $input) { paused enabled }
}`;
const DELIVERIES = '{ webhookDeliveries(first: 10) { edges { node { status waitingFor nextRetryAt } } } }';
const CANCEL = 'mutation ($endpointId: Int!) { cancelWebhookBacklog(endpointId: $endpointId) { cancelled } }';
/** Longer than two intervals of claims. */
const CLAIMED_MS = 2_500;
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

async function setPaused(tenant: TestTenant, { path }: { path: string }, paused: boolean | null) {
  const { status, body } = await app.request('PATCH', path, { key: tenant.write, body: { paused } });
  expect([status, body.paused, body.enabled]).toEqual([200, paused ?? false, true]);
}

describe('a paused endpoint', () => {
  test('receives nothing until the pause ends, and then everything in order', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200, { paused: true });
    const goals = Array.from({ length: 12 }, (_, index) => `goal_${index}`);
    for (const goal of goals) await postConversion(app, tenant, { goal });
    await sleep(CLAIMED_MS);
    expect(receiver.received).toEqual([]);
    const waiting = await deliveriesOf(app, tenant, endpoint);
    expect(waiting).toHaveLength(12);
    for (const delivery of waiting)
      expect(delivery).toMatchObject({
        status: 'pending',
        attempt: 0,
        waitingFor: 'paused',
        nextRetryAt: null,
      });
    const { body } = await app.graphql(DELIVERIES, {}, tenant.read);
    expect(body.data?.webhookDeliveries?.edges?.[0]).toEqual({
      node: { status: 'pending', waitingFor: 'paused', nextRetryAt: null },
    });
    await setPaused(tenant, endpoint, false);
    await receiver.waitFor(12);
    const received = receiver.received.map(({ envelope }) => String(envelope.data.conversionType));
    expect(received.toSorted()).toEqual(goals.toSorted());
    // Within the slots, which a new endpoint has four of.
    for (const [position, goal] of received.entries())
      expect(Math.abs(goals.indexOf(goal) - position)).toBeLessThan(8);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded', waitingFor: null });
  });

  test('is written nothing while its deliveries wait', async () => {
    const { tenant, endpoint } = await listening(app, 200, { paused: true });
    await postConversion(app, tenant);
    const read = () => app.models.Delivery.findOne({ endpointId: endpoint.id }).lean();
    const before = await read();
    expect(before).not.toHaveProperty('lease');
    await sleep(CLAIMED_MS);
    expect(await read()).toEqual(before);
  });

  test('loses no attempt: retries, resends and test events wait as well', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500);
    await postConversion(app, tenant);
    const { id } = await scheduled(app, tenant, endpoint, 2);
    await setPaused(tenant, endpoint, true);
    app.clock.advance(6 * 60_000);
    const sent = await app.request('POST', `${endpoint.path}/test`, {
      key: tenant.write,
      body: { event: 'outcome.marked' },
    });
    expect(sent.status).toBe(202);
    const resend = await app.request('POST', `${endpoint.path}/deliveries/${id}/resend`, {
      key: tenant.write,
    });
    expect([resend.status, resend.body.waitingFor]).toEqual([202, 'paused']);
    await sleep(CLAIMED_MS);
    expect(receiver.received).toHaveLength(2);
    expect(await deliveryLike(app, tenant, endpoint, { id })).toMatchObject({
      attempt: 2,
      waitingFor: 'paused',
    });
    receiver.behave(200);
    await setPaused(tenant, endpoint, null);
    await receiver.waitFor(4);
    await deliveryLike(app, tenant, endpoint, { id, status: 'succeeded' });
  });

  test('ends a series of attempts when it is paused in between', async () => {
    const paused = Promise.withResolvers<void>();
    const { tenant, endpoint, receiver } = await listening(
      app,
      { status: 500, until: paused.promise },
      { timeoutSeconds: 30 },
    );
    await postConversion(app, tenant);
    await receiver.waitFor(1);
    await setPaused(tenant, endpoint, true);
    paused.resolve();
    await deliveryLike(app, tenant, endpoint, { status: 'retrying', attempt: 1, waitingFor: 'paused' });
    expect(receiver.received).toHaveLength(1);
    await setPaused(tenant, endpoint, false);
    await receiver.waitFor(2);
    expect(await scheduled(app, tenant, endpoint, 2)).toMatchObject({ waitingFor: null });
  });

  test('takes a lease that a crash has left for none once it has expired', async () => {
    const { tenant, endpoint } = await listening(app, 200, { paused: true });
    const interrupted = { status: 'pending', attempt: 1, lane: 'inline', lease: 'crashed' } as const;
    const [id = ''] = await storeDue(app, tenant, endpoint, interrupted, 2);
    const { eventId } = await deliveryLike(app, tenant, endpoint, { id });
    expect(await deliveriesOf(app, tenant, endpoint)).toMatchObject([
      { waitingFor: 'paused', nextRetryAt: null },
      { waitingFor: 'paused', nextRetryAt: null },
    ]);
    const explain = `/api/v1/customers/${tenant.customerId}/events/${eventId}/explain?endpointId=${endpoint.id}`;
    expect((await app.request('GET', explain, { key: tenant.read })).body.reason).toBe('paused');
    const resend = await app.request('POST', `${endpoint.path}/deliveries/${id}/resend`, {
      key: tenant.write,
    });
    expect(resend.status).toBe(202);
    const cancel = await app.request('POST', `${endpoint.path}/cancel-backlog`, { key: tenant.write });
    expect(cancel.body).toEqual({ cancelled: 2 });
  });

  test('delays no other endpoint, and has a metric of its own', async () => {
    const { tenant, endpoint } = await listening(app, 200, { paused: true });
    const other = await receiving();
    const { path } = await createEndpoint(app, tenant, { url: other.url });
    await Promise.all(Array.from({ length: 100 }, () => postConversion(app, tenant)));
    // Deliveries without a stored result would be a minute old once the clock has advanced.
    await eventually(
      async () => (await deliveriesOf(app, tenant, { path }, '?status=succeeded&limit=200')).length === 100,
    );
    const waiting = async () =>
      (await readMetrics(app)).value('engagement_webhook_waiting_deliveries', { reason: 'paused' }) ?? 0;
    app.clock.advance(60_000);
    await eventually(async () => (await waiting()) >= 100);
    const age = (await readMetrics(app)).value('engagement_webhook_oldest_due_age_seconds', {
      lane: 'inline',
    });
    expect(age).toBeLessThan(60);
    await setEnabled(app, tenant, endpoint, false);
    expect(
      (await deliveriesOf(app, tenant, endpoint, '?limit=200')).every(({ status }) => status === 'cancelled'),
    ).toBe(true);
  });

  test('changes over GraphQL, with its revision', async () => {
    const { tenant, endpoint } = await listening(app);
    const before = await app.request('GET', endpoint.path, { key: tenant.read });
    const variables = { id: endpoint.id, input: { paused: true } };
    const { body } = await app.graphql(UPDATE, variables, tenant.write);
    expect(body).toEqual({ data: { updateWebhookEndpoint: { paused: true, enabled: true } } });
    const after = await app.request('GET', endpoint.path, { key: tenant.read });
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'));
  });
});

describe('cancelling a backlog', () => {
  test('requires authentication', async () => {
    const { tenant, endpoint } = await listening(app, 200, { paused: true });
    await postConversion(app, tenant);
    const path = `${endpoint.path}/cancel-backlog`;
    await expectProtected(app, { method: 'POST', path, scope: 'write' }, tenant);
    await expectProtectedGraphQL(app, CANCEL, { endpointId: endpoint.id }, [tenant.read]);
    expect(await deliveriesOf(app, tenant, endpoint)).toMatchObject([{ status: 'pending' }]);
  });

  test('cancels what waits, retries included, and nothing that is accepted later', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500);
    await postConversion(app, tenant);
    await scheduled(app, tenant, endpoint, 2);
    await setPaused(tenant, endpoint, true);
    await postConversion(app, tenant);
    await postConversion(app, tenant);
    const path = `${endpoint.path}/cancel-backlog`;
    const { status, body } = await app.request('POST', path, { key: tenant.write });
    expect([status, body]).toEqual([200, { cancelled: 3 }]);
    receiver.behave(200);
    const { event_id } = await postConversion(app, tenant);
    await setPaused(tenant, endpoint, false);
    await receiver.waitFor(3);
    expect(receiver.received[2]?.headers['webhook-id']).toBe(event_id);
    await eventually(async () => {
      const statuses = (await deliveriesOf(app, tenant, endpoint)).map((each) => each.status);
      return statuses.join() === 'succeeded,cancelled,cancelled,cancelled';
    });
    const again = await app.graphql(CANCEL, { endpointId: endpoint.id }, tenant.write);
    expect(again.body).toEqual({ data: { cancelWebhookBacklog: { cancelled: 0 } } });
  });

  test.each([
    ['cancels the resend of a terminal delivery, which keeps its status', false],
    ['is what disabling an endpoint does to a resend as well', true],
  ])('%s', async (_what, isDisabled) => {
    const { tenant, endpoint, receiver } = await listening(app);
    await postConversion(app, tenant);
    const { id } = await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    await setPaused(tenant, endpoint, true);
    const key = tenant.write;
    await app.request('POST', `${endpoint.path}/deliveries/${id}/resend`, { key });
    await deliveryLike(app, tenant, endpoint, { id, waitingFor: 'paused' });
    if (isDisabled) {
      await setEnabled(app, tenant, endpoint, false);
      await setEnabled(app, tenant, endpoint, true);
    } else {
      const { body } = await app.request('POST', `${endpoint.path}/cancel-backlog`, { key });
      expect(body).toEqual({ cancelled: 1 });
    }
    await deliveryLike(app, tenant, endpoint, { id, status: 'succeeded', waitingFor: null });
    await setPaused(tenant, endpoint, false);
    const { event_id } = await postConversion(app, tenant);
    await receiver.waitFor(2);
    expect(receiver.received[1]?.headers['webhook-id']).toBe(event_id);
  });

  test('is completed by the dispatcher if an event was being accepted while its paused endpoint was disabled', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200, { paused: true });
    await setEnabled(app, tenant, endpoint, false);
    await storeDue(app, tenant, endpoint, { status: 'pending', attempt: 0, lane: 'inline' });
    await deliveryLike(app, tenant, endpoint, { status: 'cancelled' });
    expect(receiver.received).toEqual([]);
  });

  test('returns 404 for an unknown endpoint', async () => {
    const tenant = await app.newTenant();
    const path = `${endpointsPath(tenant.customerId)}/999999/cancel-backlog`;
    expect((await app.request('POST', path, { key: tenant.write })).status).toBe(404);
  });
});
