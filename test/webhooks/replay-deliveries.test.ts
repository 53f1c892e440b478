import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import {
  createEndpoint,
  deliveriesOf,
  deliveryLike,
  endpointsPath,
  listening,
  missEvents,
  postConversion,
  receiving,
  setEnabled,
  storeDue,
} from './support.ts';

const REPLAY = `mutation ($endpointId: Int!, $eventIds: [ID!], $since: DateTime, $dryRun: Boolean) {
  replayWebhookDeliveries(endpointId: $endpointId, eventIds: $eventIds, since: $since, dryRun: $dryRun) { count }
}`;
const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** A time so far from now, by the service's clock. */
const at = (offsetMs: number): string => new Date(app.clock.now().getTime() + offsetMs).toISOString();

const replay = (tenant: TestTenant, { path }: { path: string }, body: Record<string, unknown>) =>
  app.request('POST', `${path}/replay`, { key: tenant.write, body });

/** An endpoint with deliveries that have succeeded. */
async function delivered(count: number, input: Record<string, unknown> = {}) {
  const customer = await listening(app, 200, input);
  await Promise.all(Array.from({ length: count }, () => postConversion(app, customer.tenant)));
  await customer.receiver.waitFor(count);
  await eventually(
    async () =>
      (await deliveriesOf(app, customer.tenant, customer.endpoint, '?status=succeeded&limit=200')).length ===
      count,
  );
  return customer;
}

describe('replaying deliveries', () => {
  test('requires authentication', async () => {
    const { tenant, endpoint, receiver } = await delivered(1);
    const body = { since: at(-HOUR) };
    const path = `${endpoint.path}/replay`;
    await expectProtected(app, { method: 'POST', path, body, scope: 'write' }, tenant);
    await expectProtectedGraphQL(app, REPLAY, { endpointId: endpoint.id, ...body }, [tenant.read]);
    expect(receiver.received).toHaveLength(1);
  });

  test('counts first, then sends succeeded, failed and cancelled deliveries again', async () => {
    const { tenant, endpoint, receiver } = await delivered(3);
    await missEvents(app, tenant, endpoint, 2);
    const dry = await replay(tenant, endpoint, { since: at(-HOUR), dryRun: true });
    expect([dry.status, dry.body]).toEqual([202, { count: 5 }]);
    expect(receiver.received).toHaveLength(3);
    const { status, body } = await replay(tenant, endpoint, { since: at(-HOUR) });
    expect([status, body]).toEqual([202, { count: 5 }]);
    await receiver.waitFor(8);
    await eventually(
      async () => (await deliveriesOf(app, tenant, endpoint, '?status=succeeded')).length === 5,
    );
    const ids = receiver.received.map(({ headers }) => headers['x-svc-delivery-id']);
    expect([ids.length, new Set(ids).size]).toEqual([8, 5]);
  });

  test('keeps the attempts made before, and makes up to five further ones', async () => {
    const { tenant, endpoint, receiver } = await delivered(1);
    receiver.behave(500);
    await replay(tenant, endpoint, { since: at(-HOUR), status: 'succeeded' });
    const { id } = await deliveryLike(app, tenant, endpoint, { status: 'retrying', attempt: 2 });
    const detail = await app.request('GET', `${endpoint.path}/deliveries/${id}`, { key: tenant.read });
    expect(detail.body.attempts).toMatchObject([
      { number: 1, responseStatus: 200 },
      { number: 2, responseStatus: 500, manual: false },
      { number: 3, responseStatus: 500, manual: false },
    ]);
  });

  test('applies every condition that is given', async () => {
    const { tenant, endpoint, receiver } = await delivered(4);
    const other = await createEndpoint(app, tenant, { url: (await receiving()).url });
    const [first, second, third] = await deliveriesOf(app, tenant, endpoint);
    const count = async (body: Record<string, unknown>, of = endpoint) =>
      (await replay(tenant, of, { ...body, dryRun: true })).body.count;
    const deliveryIds = [first?.id, second?.id];
    expect(await count({ deliveryIds })).toBe(2);
    expect(await count({ deliveryIds, eventIds: [second?.eventId, third?.eventId] })).toBe(1);
    expect(await count({ deliveryIds, status: 'failed' })).toBe(0);
    expect(await count({ deliveryIds, since: at(-HOUR), until: at(-HOUR / 2) })).toBe(0);
    expect(await count({ deliveryIds }, other)).toBe(0);
    expect(await count({ deliveryIds: ['f'.repeat(24)] })).toBe(0);
    const variables = { endpointId: endpoint.id, eventIds: [third?.eventId] };
    const { body } = await app.graphql(REPLAY, variables, tenant.write);
    expect(body).toEqual({ data: { replayWebhookDeliveries: { count: 1 } } });
    await receiver.waitFor(5);
    expect(receiver.received[4]?.headers['x-svc-delivery-id']).toBe(third?.id);
  });

  test('leaves out deliveries that are still attempted', async () => {
    const { tenant, endpoint } = await listening(app, 200, { paused: true });
    await postConversion(app, tenant);
    const { body } = await replay(tenant, endpoint, { since: at(-HOUR) });
    expect(body).toEqual({ count: 0 });
  });

  test('includes a delivery whose resend a crash has interrupted, but none in flight', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200, { paused: true });
    const now = app.clock.now();
    const resent = {
      status: 'failed',
      attempt: 5,
      lane: 'inline',
      finishedAt: now,
      manual: { resumeAt: null },
      lease: 'of another process',
    } as const;
    const [interrupted] = await storeDue(app, tenant, endpoint, resent);
    const [inFlight] = await storeDue(app, tenant, endpoint, {
      ...resent,
      dueAt: new Date(now.getTime() + HOUR),
    });
    const body = { since: at(-HOUR), dryRun: true };
    const recovery = await app.request('POST', `${endpoint.path}/recover`, { key: tenant.write, body });
    expect(recovery.body).toEqual({ queued: 1, open: 0 });
    expect((await replay(tenant, endpoint, { since: at(-HOUR) })).body).toEqual({ count: 1 });
    await app.request('PATCH', endpoint.path, { key: tenant.write, body: { paused: false } });
    await deliveryLike(app, tenant, endpoint, { id: interrupted, status: 'succeeded', attempt: 1 });
    expect(receiver.received).toHaveLength(1);
    await deliveryLike(app, tenant, endpoint, { id: inFlight, status: 'failed' });
  });

  test('leaves out deliveries that end once it is requested', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200, { paused: true });
    // As many due deliveries as a replay waits for.
    await storeDue(app, tenant, endpoint, { status: 'pending', attempt: 0, lane: 'inline' }, 500);
    expect((await replay(tenant, endpoint, { since: at(-HOUR) })).body).toEqual({ count: 0 });
    await app.request('PATCH', endpoint.path, { key: tenant.write, body: { paused: false } });
    await receiver.waitFor(500, 30_000);
    await eventually(
      async () => (await app.models.Recovery.exists({ endpointId: endpoint.id })) === null,
      30_000,
    );
    const succeeded = { endpointId: endpoint.id, status: 'succeeded', attempts: { $size: 1 } } as const;
    await eventually(async () => (await app.models.Delivery.countDocuments(succeeded)) === 500);
    expect(receiver.received).toHaveLength(500);
  });

  test('takes turns with new deliveries', async () => {
    const { tenant, endpoint, receiver } = await delivered(150, { timeoutSeconds: 30 });
    // The replay must not end before the new event is accepted.
    const accepted = Promise.withResolvers<void>();
    receiver.behave({ status: 200, until: accepted.promise, delayMs: 30 });
    await replay(tenant, endpoint, { since: at(-HOUR) });
    await receiver.waitFor(151);
    const { event_id } = await postConversion(app, tenant);
    accepted.resolve();
    await receiver.waitFor(301);
    const position = receiver.received.findIndex(({ headers }) => headers['webhook-id'] === event_id);
    expect(position).toBeLessThan(299);
  });

  test.each([
    ['nothing', () => ({}), 'since'],
    ['a status alone', () => ({ status: 'failed' }), 'since'],
    ['a start in the future', () => ({ since: at(HOUR) }), 'since'],
    ['more than 30 days', () => ({ since: at(-31 * DAY) }), 'since'],
    ['a status that is not terminal', () => ({ since: at(-HOUR), status: 'retrying' }), 'status'],
    ['an id that is none', () => ({ deliveryIds: ['unknown'] }), 'deliveryIds.0'],
    ['no ids', () => ({ deliveryIds: [] }), 'deliveryIds'],
    ['too many ids', () => ({ eventIds: Array(501).fill('f'.repeat(24)) }), 'eventIds'],
  ])('rejects %s with 422', async (_what, body, path) => {
    const { tenant, endpoint } = await listening(app);
    expect(await replay(tenant, endpoint, body())).toMatchObject({
      status: 422,
      body: { error: { code: 'VALIDATION_FAILED', details: [{ path }] } },
    });
  });

  test('is a 409 while the endpoint is disabled, and a 404 without the endpoint', async () => {
    const { tenant, endpoint } = await listening(app);
    await setEnabled(app, tenant, endpoint, false);
    expect((await replay(tenant, endpoint, { since: at(-HOUR) })).status).toBe(409);
    expect((await replay(tenant, endpoint, { since: at(-HOUR), dryRun: true })).status).toBe(202);
    const unknown = { path: `${endpointsPath(tenant.customerId)}/999999` };
    expect((await replay(tenant, unknown, { since: at(-HOUR) })).status).toBe(404);
  });
});
