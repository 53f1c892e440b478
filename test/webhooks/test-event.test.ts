import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CATALOG, EVENT_NAMES } from '../../src/features/outbox/event-catalog.ts';
import { exampleNameOf } from '../../src/features/outbox/event-type.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import {
  createEndpoint,
  deliveriesOf,
  deliveryLike,
  endpointsPath,
  listening,
  setEnabled,
} from './support.ts';

const SEND = `mutation ($endpointId: Int!, $event: String!, $data: JSON) {
  sendTestWebhook(endpointId: $endpointId, event: $event, data: $data) { id event status }
}`;
const MINUTE = 60_000;
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const send = (
  tenant: TestTenant,
  { path }: { path: string },
  event: unknown = 'outcome.marked',
  data?: unknown,
) => app.request('POST', `${path}/test`, { key: tenant.write, body: { event, data } });

/** Puts the clock to the beginning of a minute: that is what the limit counts in. */
const startMinute = () => app.clock.advance(MINUTE - (app.clock.now().getTime() % MINUTE) + 1_000);

describe('sending a test event', () => {
  test('requires authentication', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    const body = { event: 'outcome.marked' };
    await expectProtected(
      app,
      { method: 'POST', path: `${endpoint.path}/test`, body, scope: 'write' },
      tenant,
    );
    await expectProtectedGraphQL(app, SEND, { endpointId: endpoint.id, ...body }, [tenant.read]);
    expect(receiver.received).toEqual([]);
  });

  test.each(EVENT_NAMES)('of %s delivers its example, signed and marked as a test', async (name) => {
    const { tenant, endpoint, receiver } = await listening(app);
    const { status, body } = await send(tenant, endpoint, name);
    const event = exampleNameOf(name);
    expect(status).toBe(202);
    expect(body).toMatchObject({ event, endpointId: endpoint.id, status: 'pending' });
    const [request] = await receiver.waitFor(1);
    const { example } = CATALOG[name];
    expect(request?.envelope).toMatchObject({
      event,
      data: { ...example, customerId: tenant.customerId, orgId: tenant.tenant.orgId, test: true },
    });
    const now = Number(request?.headers['x-svc-timestamp']);
    expect(request && receiver.verifies(request, endpoint.secret, now)).toBe(true);
    expect((await deliveryLike(app, tenant, endpoint, { status: 'succeeded' })).id).toBe(body.id);
  });

  test('ignores the filter, and reaches no other endpoint', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200, { events: ['conversation.ended'] });
    const sibling = await createEndpoint(app, tenant, { url: receiver.url });
    expect((await send(tenant, endpoint, 'outcome.marked')).status).toBe(202);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded', event: 'outcome.marked' });
    expect(await deliveriesOf(app, tenant, sibling)).toEqual([]);
  });

  test('works over GraphQL', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    const variables = { endpointId: endpoint.id, event: 'handoff.requested' };
    const { body } = await app.graphql(SEND, variables, tenant.write);
    expect(body.data?.sendTestWebhook).toMatchObject({ event: 'handoff.requested', status: 'pending' });
    expect((await receiver.waitFor(1))[0]?.envelope.data.test).toBe(true);
  });

  test('sends own data with the keys of the tenant, whatever the data says of them', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    const { customerId, orgId, ...example } = CATALOG['outcome.marked'].example;
    const data = { ...example, category: 'won', customerId: 1, orgId: 'org_other', test: false };
    expect((await send(tenant, endpoint, 'outcome.marked', data)).status).toBe(202);
    const [request] = await receiver.waitFor(1);
    expect(request?.envelope.data).toEqual({
      ...example,
      category: 'won',
      customerId: tenant.customerId,
      orgId: tenant.tenant.orgId,
      test: true,
    });
    const variables = { endpointId: endpoint.id, event: 'outcome.marked', data };
    const { body } = await app.graphql(SEND, variables, tenant.write);
    expect(body.data?.sendTestWebhook).toMatchObject({ event: 'outcome.marked' });
    expect((await send(tenant, endpoint, 'outcome.marked', null)).status).toBe(202);
    expect((await receiver.waitFor(3))[2]?.envelope.data).toMatchObject(example);
  });

  test('is a 422 that names each field of data that the event type cannot have', async () => {
    const { tenant, endpoint } = await listening(app);
    const { customerId, orgId, ...example } = CATALOG['outcome.marked'].example;
    const paths = async (data: unknown) => {
      const { status, body } = await send(tenant, endpoint, 'outcome.marked', data);
      expect(status).toBe(422);
      return ((body.error?.details ?? []) as unknown as { path: string }[]).map(({ path }) => path);
    };
    expect(await paths({ ...example, category: 7, colour: 'red' })).toEqual(['data.category', 'data.colour']);
    expect(await paths({})).toContain('data.conversationId');
    expect(await paths([])).toEqual(['data']);
    expect(await paths('text')).toEqual(['data']);
    expect(await paths({ ...example, category: 'x'.repeat(501) })).toEqual(['data.category']);
    expect(await deliveriesOf(app, tenant, endpoint)).toEqual([]);
  });

  test('is a 422 for custom properties beyond the bounds of `POST /v1/events`', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200, { events: ['custom.*'] });
    const { customerId, orgId, ...example } = CATALOG['custom.*'].example;
    const nested = (levels: number): Record<string, unknown> =>
      levels === 1 ? {} : { a: nested(levels - 1) };
    const sendProperties = (properties: unknown) =>
      send(tenant, endpoint, 'custom.page.viewed', { ...example, properties });
    for (const properties of [
      { a: 'x'.repeat(16_384) },
      { a: 'x'.repeat(900_000) },
      JSON.parse(`{"__proto__":"${'x'.repeat(16_384)}"}`),
      nested(6),
      nested(90),
      [],
    ])
      expect(await sendProperties(properties)).toMatchObject({
        status: 422,
        body: { error: { code: 'VALIDATION_FAILED', details: [{ path: 'data.properties' }] } },
      });
    const data = { ...example, properties: { a: 'x'.repeat(16_384) } };
    const variables = { endpointId: endpoint.id, event: 'custom.page.viewed', data };
    const { body } = await app.graphql(SEND, variables, tenant.write);
    expect(body.errors?.[0]?.extensions?.code).toBe('VALIDATION_FAILED');
    expect(await deliveriesOf(app, tenant, endpoint)).toEqual([]);
    expect((await sendProperties({ a: 'x'.repeat(16_376) })).status).toBe(202);
    expect((await sendProperties(nested(5))).status).toBe(202);
    expect((await sendProperties(null)).status).toBe(202);
    expect((await receiver.waitFor(3))[2]?.envelope.data.properties).toBeNull();
  });

  test('is limited to ten per minute for an endpoint, also under concurrent requests', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    startMinute();
    const answers = await Promise.all(Array.from({ length: 15 }, () => send(tenant, endpoint)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(10);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(5);
    for (const { headers, body } of refused) {
      expect(body.error?.code).toBe('RATE_LIMITED');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    }
    const sibling = await createEndpoint(app, tenant, { url: receiver.url });
    expect((await send(tenant, sibling)).status).toBe(202);
    app.clock.advance(MINUTE);
    expect((await send(tenant, endpoint)).status).toBe(202);
  });

  test('is a 409 while the endpoint is disabled', async () => {
    const { tenant, endpoint } = await listening(app);
    await setEnabled(app, tenant, endpoint, false);
    expect(await send(tenant, endpoint)).toMatchObject({
      status: 409,
      body: { error: { code: 'CONFLICT' } },
    });
    expect(await deliveriesOf(app, tenant, endpoint)).toEqual([]);
  });

  test('is a 422 that lists the valid events when it names an unknown one', async () => {
    const { tenant, endpoint } = await listening(app);
    const { status, body } = await send(tenant, endpoint, 'conversation.paused');
    expect(status).toBe(422);
    expect(body.error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ path: 'event' }] });
    for (const name of EVENT_NAMES) expect(JSON.stringify(body.error?.details)).toContain(name);
  });

  test("returns 404 for another tenant's endpoint and an unknown one", async () => {
    const [tenant, other] = [await app.newTenant(), await app.newTenant()];
    const { id } = await createEndpoint(app, other, { url: 'https://receiver.example.com' });
    const path = endpointsPath(tenant.customerId);
    expect((await send(tenant, { path: `${path}/${id}` })).status).toBe(404);
    expect((await send(tenant, { path: `${path}/2147483647` })).status).toBe(404);
  });
});
