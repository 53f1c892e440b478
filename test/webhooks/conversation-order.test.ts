import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newObjectId } from '../../src/platform/mongo/object-id.ts';
import { startConversation } from '../conversations/support.ts';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { readMetrics } from '../support/metrics.ts';
import { startProfile } from '../support/profile.ts';
import type { Received } from '../support/receiver.ts';
import {
  advanceTo,
  deliveriesOf,
  deliveryLike,
  endpointsPath,
  listening,
  postConversion,
  storeDue,
  type TestEndpoint,
} from './support.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const ORDERED = { ordering: 'conversation', events: ['conversion.recorded'] };

/** Records conversions with these values in a new conversation, one after the other. */
async function converse(tenant: TestTenant, values: number[], conversation_id?: string): Promise<string> {
  const visitor_id = `v_${newObjectId(new Date()).toHexString()}`;
  const { id, visitorId } = conversation_id
    ? { id: conversation_id, visitorId: await visitorOf(conversation_id) }
    : await startConversation(app, tenant, { visitorId: visitor_id });
  for (const value of values)
    await postConversion(app, tenant, { visitor_id: visitorId, conversation_id: id, value });
  return id;
}

const visitorOf = async (id: string): Promise<string> =>
  String((await app.models.Conversation.findById(id).lean<{ visitorId: string }>())?.visitorId);

const valueIn = ({ envelope }: Received): number => Number(envelope.data.value);

/** Fails every attempt of these values. */
const failing =
  (...values: number[]) =>
  (request: Received): number =>
    values.includes(valueIn(request)) ? 500 : 200;

const valuesOf = (received: Received[]): number[] => received.map(valueIn);

const patch = (tenant: TestTenant, { path }: TestEndpoint, body: object) =>
  app.request('PATCH', path, { key: tenant.write, body: body as Record<string, unknown> });

describe('the ordering of an endpoint', () => {
  test('is none unless it is set, and again after null', async () => {
    const { tenant, endpoint } = await listening(app);
    const { body } = await app.request('GET', endpoint.path, { key: tenant.read });
    expect(body.ordering).toBe('none');
    const update = `mutation ($id: Int!, $input: UpdateWebhookEndpointInput!) {
      updateWebhookEndpoint(id: $id, input: $input) { ordering }
    }`;
    const changed = await app.graphql(
      update,
      { id: endpoint.id, input: { ordering: 'conversation' } },
      tenant.write,
    );
    expect(changed.body).toEqual({ data: { updateWebhookEndpoint: { ordering: 'conversation' } } });
    expect((await patch(tenant, endpoint, { ordering: null })).body.ordering).toBe('none');
  });

  test('accepts no other value, and changes nothing', async () => {
    const { tenant, endpoint } = await listening(app);
    const { status, body } = await patch(tenant, endpoint, { ordering: 'endpoint', description: 'changed' });
    expect([status, body.error]).toEqual([
      422,
      expect.objectContaining({
        code: 'VALIDATION_FAILED',
        details: [{ path: 'ordering', message: expect.stringMatching(/none.*conversation/) }],
      }),
    ]);
    const unchanged = await app.request('GET', endpoint.path, { key: tenant.read });
    expect([unchanged.body.ordering, unchanged.body.description]).toEqual(['none', null]);
    const created = await app.request('POST', endpointsPath(tenant.customerId), {
      key: tenant.write,
      body: { url: 'https://receiver.example.com', ordering: 'fifo' },
    });
    expect(created.status).toBe(422);
  });
});

describe('an endpoint ordered by conversation', () => {
  test('receives a failing delivery before the later ones of its conversation, and others meanwhile', async () => {
    const { tenant, endpoint, receiver } = await listening(app, failing(1), ORDERED);
    const blocked = await converse(tenant, [1]);
    await receiver.waitFor(2);
    await converse(tenant, [2, 3], blocked);
    await converse(tenant, [11, 12]);
    await receiver.waitFor(4);
    const waiting = await eventually(async () => {
      const found = await deliveriesOf(app, tenant, endpoint, '?status=pending');
      return found.length === 2 && found.every(({ waitingFor }) => waitingFor === 'order') ? found : null;
    });
    for (const delivery of waiting) expect(delivery).toMatchObject({ attempt: 0, nextRetryAt: null });
    expect(valuesOf(receiver.received)).toEqual([1, 1, 11, 12]);
    const metric = async () =>
      (await readMetrics(app)).value('engagement_webhook_waiting_deliveries', { reason: 'order' });
    await eventually(async () => (await metric()) === 2);

    receiver.behave(200);
    advanceTo(app, await deliveryLike(app, tenant, endpoint, { status: 'retrying' }));
    await receiver.waitFor(7);
    expect(valuesOf(receiver.received)).toEqual([1, 1, 11, 12, 1, 2, 3]);
    await converse(tenant, [4], blocked);
    await receiver.waitFor(8);
    expect(valuesOf(receiver.received).at(-1)).toBe(4);
  });

  test('goes on with the next delivery when five attempts have failed', async () => {
    const { tenant, endpoint, receiver } = await listening(app, failing(1), ORDERED);
    await converse(tenant, [1, 2]);
    for (const attempt of [2, 3, 4]) {
      const first = await eventually(async () =>
        (await deliveriesOf(app, tenant, endpoint, '?status=retrying')).find(
          (delivery) =>
            delivery.attempt === attempt &&
            Date.parse(delivery.nextRetryAt ?? '') - app.clock.now().getTime() > 30_000,
        ),
      );
      advanceTo(app, first);
    }
    await receiver.waitFor(6);
    expect(valuesOf(receiver.received)).toEqual([1, 1, 1, 1, 1, 2]);
    await deliveryLike(app, tenant, endpoint, { status: 'failed', attempt: 5, waitingFor: null });
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded', attempt: 1 });
  });

  test('receives events without a conversation in any order', async () => {
    const { tenant, receiver } = await listening(app, failing(1), ORDERED);
    await postConversion(app, tenant, { value: 1 });
    await receiver.waitFor(2);
    await postConversion(app, tenant, { value: 2 });
    await receiver.waitFor(3);
    expect(valuesOf(receiver.received)).toEqual([1, 1, 2]);
  });

  test('goes on after the first delivery is cancelled', async () => {
    const { tenant, endpoint, receiver } = await listening(app, failing(1), ORDERED);
    const conversation = await converse(tenant, [1]);
    await receiver.waitFor(2);
    await converse(tenant, [2], conversation);
    await deliveryLike(app, tenant, endpoint, { waitingFor: 'order' });
    const { status } = await app.request('POST', `${endpoint.path}/cancel-backlog`, { key: tenant.write });
    expect(status).toBe(200);
    await converse(tenant, [3], conversation);
    await receiver.waitFor(3);
    expect(valuesOf(receiver.received)).toEqual([1, 1, 3]);
  });

  test('receives a resend by hand at once, and the rest in order', async () => {
    const { tenant, endpoint, receiver } = await listening(app, failing(1), ORDERED);
    const conversation = await converse(tenant, [1]);
    await receiver.waitFor(2);
    await converse(tenant, [2, 3], conversation);
    const last = await eventually(async () => {
      const found = await deliveriesOf(app, tenant, endpoint, '?status=pending');
      return found.length === 2 && found.every(({ waitingFor }) => waitingFor === 'order') ? found[0] : null;
    });
    const resent = await app.request('POST', `${endpoint.path}/deliveries/${last.id}/resend`, {
      key: tenant.write,
    });
    expect(resent.status).toBe(202);
    await receiver.waitFor(3);
    // A resend of the first one that succeeds ends it.
    receiver.behave(200);
    const first = await deliveryLike(app, tenant, endpoint, { status: 'retrying' });
    await app.request('POST', `${endpoint.path}/deliveries/${first.id}/resend`, { key: tenant.write });
    await receiver.waitFor(5);
    expect(valuesOf(receiver.received)).toEqual([1, 1, 3, 1, 2]);
  });

  test('receives recovered deliveries oldest first, before the later ones that are open', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200, ORDERED);
    await patch(tenant, endpoint, { enabled: false });
    const conversation = await converse(tenant, [1, 2]);
    await patch(tenant, endpoint, { enabled: true, paused: true });
    await converse(tenant, [3, 4], conversation);
    const since = new Date(app.clock.now().getTime() - 60_000).toISOString();
    const { body } = await app.request('POST', `${endpoint.path}/recover`, {
      key: tenant.write,
      body: { since },
    });
    expect(body.queued).toBe(2);
    await patch(tenant, endpoint, { paused: false });
    await receiver.waitFor(4);
    expect(valuesOf(receiver.received)).toEqual([1, 2, 3, 4]);
  });

  test('applies a change of the ordering to the events that follow', async () => {
    const { tenant, endpoint, receiver } = await listening(app, failing(1, 3), {
      events: ['conversion.recorded'],
    });
    const conversation = await converse(tenant, [1]);
    await receiver.waitFor(2);
    await patch(tenant, endpoint, { ordering: 'conversation' });
    await converse(tenant, [2, 3, 4], conversation);
    await receiver.waitFor(5);
    await deliveryLike(app, tenant, endpoint, { waitingFor: 'order' });
    await patch(tenant, endpoint, { ordering: 'none' });
    await converse(tenant, [5], conversation);
    await receiver.waitFor(6);
    expect(valuesOf(receiver.received)).toEqual([1, 1, 2, 3, 3, 5]);
    await deliveryLike(app, tenant, endpoint, { waitingFor: 'order' });
  });

  test('reads one delivery of a conversation with 10,000 that wait', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200, ORDERED);
    const state = { conversationId: 'blocked', attempt: 0, status: 'pending', lane: 'held' } as const;
    const later = new Date(app.clock.now().getTime() + 3_600_000);
    await storeDue(app, tenant, endpoint, {
      ...state,
      attempt: 2,
      status: 'retrying',
      lane: 'scheduled',
      dueAt: later,
    });
    await storeDue(app, tenant, endpoint, state, 10_000);
    const profile = await startProfile(app.models.Delivery.db.db);
    await converse(tenant, [1, 2]);
    await receiver.waitFor(2);
    const commands = await profile.end();
    const reads = await commands
      .find({ ns: /webhookDeliveries$/, docsExamined: { $gt: 0 } })
      .project<{ docsExamined: number }>({ docsExamined: 1 })
      .toArray();
    expect(reads.length).toBeGreaterThan(0);
    expect(Math.max(...reads.map(({ docsExamined }) => docsExamined))).toBeLessThan(10);
  });
});
