import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import {
  BEFORE_LAST_ATTEMPT,
  createEndpoint,
  deliveriesOf,
  deliveryLike,
  endpointsPath,
  listening,
  missEvents,
  postConversion,
  scheduled,
  setEnabled,
  storeDue,
} from './support.ts';

const RECOVER = `mutation ($endpointId: Int!, $since: DateTime!, $until: DateTime) {
  recoverWebhookDeliveries(endpointId: $endpointId, since: $since, until: $until) { queued }
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

const recover = (tenant: TestTenant, { path }: { path: string }, body: Record<string, unknown>) =>
  app.request('POST', `${path}/recover`, { key: tenant.write, body });

const statuses = async (tenant: TestTenant, endpoint: { path: string }) =>
  (await deliveriesOf(app, tenant, endpoint, '?limit=200')).map(({ status }) => status);

describe('recovering deliveries', () => {
  test('requires authentication', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    await missEvents(app, tenant, endpoint, 1);
    const body = { since: at(-HOUR) };
    const path = `${endpoint.path}/recover`;
    await expectProtected(app, { method: 'POST', path, body, scope: 'write' }, tenant);
    await expectProtectedGraphQL(app, RECOVER, { endpointId: endpoint.id, ...body }, [tenant.read]);
    expect(await statuses(tenant, endpoint)).toEqual(['cancelled']);
    expect(receiver.received).toEqual([]);
  });

  test('returns 202 with the number queued, and sends only failed and cancelled ones', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    await postConversion(app, tenant);
    const succeeded = await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    receiver.behave(410);
    await postConversion(app, tenant);
    const failed = await deliveryLike(app, tenant, endpoint, { status: 'failed' });
    await eventually(
      async () => !(await app.request('GET', endpoint.path, { key: tenant.read })).body.enabled,
    );
    await missEvents(app, tenant, endpoint, 3);
    receiver.behave(200);
    const { status, body } = await recover(tenant, endpoint, { since: at(-HOUR) });
    expect([status, body]).toEqual([202, { queued: 4, open: 0 }]);
    await receiver.waitFor(6);
    await eventually(async () => (await statuses(tenant, endpoint)).every((each) => each === 'succeeded'));
    const ids = receiver.received.map(({ headers }) => headers['x-svc-delivery-id']);
    expect(ids.filter((id) => id === succeeded.id)).toHaveLength(1);
    const again = await app.request('GET', `${endpoint.path}/deliveries/${failed.id}`, { key: tenant.read });
    expect(again.body).toMatchObject({
      attempt: 1,
      error: null,
      attempts: [{ error: 'http_410' }, { manual: false, responseStatus: 200 }],
    });
  });

  test('counts first, with the deliveries that are still attempted, which it leaves as they are', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500);
    await missEvents(app, tenant, endpoint, 2);
    await postConversion(app, tenant);
    const retrying = await scheduled(app, tenant, endpoint, 2);
    const dry = await recover(tenant, endpoint, { since: at(-HOUR), dryRun: true });
    expect([dry.status, dry.body]).toEqual([202, { queued: 2, open: 1 }]);
    expect(receiver.received).toHaveLength(2);
    const past = await recover(tenant, endpoint, { since: at(-2 * HOUR), until: at(-HOUR), dryRun: true });
    expect(past.body).toEqual({ queued: 0, open: 0 });
    receiver.behave(200);
    const { body } = await recover(tenant, endpoint, { since: at(-HOUR) });
    expect(body).toEqual({ queued: 2, open: 1 });
    await receiver.waitFor(4);
    expect((await deliveriesOf(app, tenant, endpoint))[0]).toEqual(retrying);
    await setEnabled(app, tenant, endpoint, false);
    expect((await recover(tenant, endpoint, { since: at(-HOUR), dryRun: true })).status).toBe(202);
    expect((await recover(tenant, endpoint, { since: at(-HOUR) })).status).toBe(409);
  });

  test('restarts the count of attempts: five from 0', async () => {
    const { tenant, endpoint } = await listening(app, 500);
    await missEvents(app, tenant, endpoint, 1);
    await recover(tenant, endpoint, { since: at(-HOUR) });
    expect(await scheduled(app, tenant, endpoint, 2)).toMatchObject({ status: 'retrying', attempt: 2 });
  });

  test('applies the time range, both ends included, over GraphQL too', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    await missEvents(app, tenant, endpoint, 1);
    app.clock.advance(2 * DAY);
    await missEvents(app, tenant, endpoint, 2);
    const [middle] = await deliveriesOf(app, tenant, endpoint);
    app.clock.advance(2 * DAY);
    await missEvents(app, tenant, endpoint, 3);
    const variables = { endpointId: endpoint.id, since: at(-3 * DAY), until: at(-DAY) };
    const { body } = await app.graphql(RECOVER, variables, tenant.write);
    expect(body).toEqual({ data: { recoverWebhookDeliveries: { queued: 2 } } });
    await receiver.waitFor(2);
    expect(receiver.received.map(({ headers }) => headers['x-svc-delivery-id'])).toContain(middle?.id);
    await eventually(
      async () => (await deliveriesOf(app, tenant, endpoint, '?status=succeeded')).length === 2,
    );
    expect(await deliveriesOf(app, tenant, endpoint, '?status=cancelled')).toHaveLength(4);
    const rest = await eventually(async () => {
      const answer = await recover(tenant, endpoint, { since: at(-30 * DAY + 5_000), until: at(DAY) });
      return answer.status === 202 ? answer : null;
    });
    expect(rest.body.queued).toBe(4);
  });

  test.each([
    ['no start', () => ({}), 'since'],
    ['a start that is no time', () => ({ since: 'yesterday' }), 'since'],
    ['a start without an offset', () => ({ since: '2026-01-31T09:30:00' }), 'since'],
    ['a start in the future', () => ({ since: at(HOUR) }), 'since'],
    ['an end before the start', () => ({ since: at(-HOUR), until: at(-2 * HOUR) }), 'since'],
    ['a span of more than 30 days', () => ({ since: at(-30 * DAY - 2 * 60_000) }), 'since'],
    ['two times more than 30 days apart', () => ({ since: at(-31 * DAY - 1_000), until: at(-DAY) }), 'since'],
    ['an end that is no time', () => ({ since: at(-HOUR), until: 5 }), 'until'],
  ])('rejects %s with 422', async (_what, body, path) => {
    const { tenant, endpoint } = await listening(app);
    await missEvents(app, tenant, endpoint, 1);
    expect(await recover(tenant, endpoint, body())).toMatchObject({
      status: 422,
      body: { error: { code: 'VALIDATION_FAILED', details: [{ path }] } },
    });
    expect(await statuses(tenant, endpoint)).toEqual(['cancelled']);
  });

  test('names the length of the range and the way to older deliveries when it is too long', async () => {
    const { tenant, endpoint } = await listening(app);
    const { body } = await recover(tenant, endpoint, { since: at(-31 * DAY) });
    expect(body.error?.details?.[0]?.message).toBe(
      'Must be at most 30 days before `until`, which is now by default. Set `until` to recover older deliveries, 30 days at a time.',
    );
  });

  test('accepts 30 days until now of a client whose clock is behind', async () => {
    const { tenant, endpoint } = await listening(app);
    expect((await recover(tenant, endpoint, { since: at(-30 * DAY - 1_000) })).status).toBe(202);
  });

  test('accepts 30 days in the distant past', async () => {
    const { tenant, endpoint } = await listening(app);
    const { status, body } = await recover(tenant, endpoint, {
      since: at(-90 * DAY),
      until: at(-60 * DAY - 1_000),
    });
    expect([status, body]).toEqual([202, { queued: 0, open: 0 }]);
  });

  test('is a 409 while the endpoint is disabled', async () => {
    const { tenant, endpoint } = await listening(app);
    await setEnabled(app, tenant, endpoint, false);
    expect((await recover(tenant, endpoint, { since: at(-HOUR) })).status).toBe(409);
  });

  test('returns 404 for an unknown endpoint, but only if the input is valid', async () => {
    const tenant = await app.newTenant();
    const endpoint = { path: `${endpointsPath(tenant.customerId)}/2147483647` };
    expect((await recover(tenant, endpoint, { since: at(-HOUR) })).status).toBe(404);
    expect((await recover(tenant, endpoint, { since: at(HOUR) })).status).toBe(422);
  });

  test('proceeds beside 500 retries that are due in two hours, and completes', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    const dueAt = new Date(app.clock.now().getTime() + 2 * HOUR);
    await missEvents(app, tenant, endpoint, 20);
    await storeDue(app, tenant, endpoint, { ...BEFORE_LAST_ATTEMPT, dueAt, nextRetryAt: dueAt }, 500);
    const { status, body } = await recover(tenant, endpoint, { since: at(-HOUR) });
    expect([status, body]).toEqual([202, { queued: 20, open: 500 }]);
    await receiver.waitFor(20);
    const next = await eventually(async () => {
      const answer = await recover(tenant, endpoint, { since: at(-HOUR) });
      return answer.status === 202 ? answer : null;
    });
    expect(next.body.queued).toBe(0);
    expect(await app.models.Delivery.countDocuments({ endpointId: endpoint.id, dueAt })).toBe(500);
  });

  test('of 1,200 deliveries proceeds in batches, one recovery at a time, and does not delay new events', async () => {
    const { tenant, endpoint, receiver } = await listening(app, { status: 200, delayMs: 10 });
    const quiet = await createEndpoint(app, tenant, { url: receiver.url, events: ['outcome.marked'] });
    await missEvents(app, tenant, endpoint, 1_200);
    const { status, body } = await recover(tenant, endpoint, { since: at(-HOUR) });
    expect([status, body]).toEqual([202, { queued: 1_200, open: 0 }]);
    expect((await recover(tenant, endpoint, { since: at(-HOUR) })).status).toBe(409);
    expect((await recover(tenant, quiet, { since: at(-HOUR) })).status).toBe(202);

    let most = 0;
    const fresh: { id: string; before: number }[] = [];
    while (receiver.received.length < 1_000) {
      const filter = { endpointId: endpoint.id, status: 'pending' } as const;
      most = Math.max(most, await app.models.Delivery.countDocuments(filter));
      if (fresh.length < 5) {
        const id = String((await postConversion(app, tenant)).id);
        fresh.push({ id, before: receiver.received.length });
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(most).toBeLessThanOrEqual(1_005);
    await receiver.waitFor(1_205);
    const ids = receiver.received.map(({ envelope }) => envelope.data.conversionEventId);
    expect(new Set(ids).size).toBe(1_205);
    for (const { id, before } of fresh) expect(ids.indexOf(id) - before).toBeLessThan(150);
    expect(receiver.peak()).toBeLessThanOrEqual(17);

    const next = await eventually(async () => {
      const answer = await recover(tenant, endpoint, { since: at(-HOUR) });
      return answer.status === 202 ? answer : null;
    });
    expect(next.body.queued).toBe(0);
  });
});
