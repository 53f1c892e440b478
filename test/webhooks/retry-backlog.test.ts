import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import {
  createEndpoint,
  deliveriesOf,
  endpointsPath,
  listening,
  postConversion,
  scheduled,
  setEnabled,
} from './support.ts';

const RETRY = `mutation ($endpointId: Int!, $event: String, $dryRun: Boolean) {
  retryWebhookBacklog(endpointId: $endpointId, event: $event, dryRun: $dryRun) { count }
}`;
const HOUR = 60 * 60_000;
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** A time so far from now, by the service's clock. */
const at = (offsetMs: number): string => new Date(app.clock.now().getTime() + offsetMs).toISOString();

const retry = (tenant: TestTenant, { path }: { path: string }, body: Record<string, unknown> = {}) =>
  app.request('POST', `${path}/retry-backlog`, { key: tenant.write, body });

/** An endpoint with deliveries whose third attempt is scheduled. */
async function failing(count: number, status = 500) {
  const customer = await listening(app, status);
  await Promise.all(Array.from({ length: count }, () => postConversion(app, customer.tenant)));
  await customer.receiver.waitFor(2 * count);
  await eventually(async () => {
    const deliveries = await deliveriesOf(app, customer.tenant, customer.endpoint, '?limit=200');
    const waiting = deliveries.filter(
      ({ attempt, error, nextRetryAt }) =>
        attempt === 2 && error && Date.parse(nextRetryAt ?? '') > app.clock.now().getTime() + 60_000,
    );
    return waiting.length === count;
  });
  return customer;
}

describe('retrying a backlog', () => {
  test('requires authentication', async () => {
    const { tenant, endpoint, receiver } = await failing(1);
    const path = `${endpoint.path}/retry-backlog`;
    await expectProtected(app, { method: 'POST', path, body: {}, scope: 'write' }, tenant);
    await expectProtectedGraphQL(app, RETRY, { endpointId: endpoint.id }, [tenant.read]);
    expect(receiver.received).toHaveLength(2);
  });

  test('counts first, then makes the scheduled retries now, each as the next of the five attempts', async () => {
    const { tenant, endpoint, receiver } = await failing(3);
    const dry = await retry(tenant, endpoint, { dryRun: true });
    expect([dry.status, dry.body]).toEqual([202, { count: 3 }]);
    expect(receiver.received).toHaveLength(6);
    receiver.behave(200);
    const { status, body } = await retry(tenant, endpoint);
    expect([status, body]).toEqual([202, { count: 3 }]);
    await receiver.waitFor(9);
    await eventually(async () => {
      const deliveries = await deliveriesOf(app, tenant, endpoint);
      return deliveries.every((each) => each.status === 'succeeded' && each.attempt === 3);
    });
    expect((await retry(tenant, endpoint)).body).toEqual({ count: 0 });
  });

  test('leaves the schedule after a further failure as it is', async () => {
    const { tenant, endpoint, receiver } = await failing(1);
    await retry(tenant, endpoint);
    await receiver.waitFor(3);
    const delivery = await scheduled(app, tenant, endpoint, 3);
    expect(delivery.error).toBe('http_500');
  });

  test('applies every condition that is given', async () => {
    const { tenant, endpoint, receiver } = await failing(2, 503);
    const count = async (body: Record<string, unknown>) =>
      (await retry(tenant, endpoint, { ...body, dryRun: true })).body.count;
    expect(await count({ since: at(-HOUR), until: at(HOUR), error: 'http_503' })).toBe(2);
    expect(await count({ event: 'conversion.recorded' })).toBe(2);
    expect(await count({ event: 'outcome.marked' })).toBe(0);
    expect(await count({ error: 'timeout' })).toBe(0);
    expect(await count({ until: at(-HOUR) })).toBe(0);
    expect(await count({ since: at(HOUR) })).toBe(0);
    const variables = { endpointId: endpoint.id, event: 'conversion.recorded', dryRun: true };
    const { body } = await app.graphql(RETRY, variables, tenant.write);
    expect(body).toEqual({ data: { retryWebhookBacklog: { count: 2 } } });
    expect(receiver.received).toHaveLength(4);
  });

  test('is made once under concurrent requests', async () => {
    const { tenant, endpoint, receiver } = await failing(5);
    receiver.behave(200);
    const answers = await Promise.all(Array.from({ length: 4 }, () => retry(tenant, endpoint)));
    const counts = answers.map(({ body }) => Number(body.count));
    expect(counts.reduce((sum, count) => sum + count)).toBe(5);
    await eventually(async () =>
      (await deliveriesOf(app, tenant, endpoint)).every(({ status }) => status === 'succeeded'),
    );
    expect(receiver.received).toHaveLength(15);
  });

  test('waits while the endpoint is paused', async () => {
    const { tenant, endpoint, receiver } = await failing(1);
    await app.request('PATCH', endpoint.path, { key: tenant.write, body: { paused: true } });
    expect((await retry(tenant, endpoint)).body).toEqual({ count: 1 });
    const [delivery] = await deliveriesOf(app, tenant, endpoint);
    expect(delivery).toMatchObject({ status: 'retrying', waitingFor: 'paused' });
    expect(receiver.received).toHaveLength(2);
  });

  test('is a 422 for an empty range, an unknown event and an unknown field', async () => {
    const { tenant, endpoint } = await failing(1);
    for (const [body, path] of [
      [{ since: at(0), until: at(-HOUR) }, 'since'],
      [{ event: 'conversation.paused' }, 'event'],
      [{ error: 'x'.repeat(101) }, 'error'],
      [{ status: 'retrying' }, 'status'],
    ] as const) {
      const answer = await retry(tenant, endpoint, body);
      expect(answer).toMatchObject({ status: 422, body: { error: { details: [{ path }] } } });
    }
    expect((await deliveriesOf(app, tenant, endpoint))[0]).toMatchObject({ attempt: 2, status: 'retrying' });
  });

  test('is a 409 while the endpoint is disabled; the dry run is not', async () => {
    const { tenant, endpoint } = await failing(1);
    await setEnabled(app, tenant, endpoint, false);
    expect((await retry(tenant, endpoint)).status).toBe(409);
    expect((await retry(tenant, endpoint, { dryRun: true })).body).toEqual({ count: 0 });
  });

  test("returns 404 for another tenant's endpoint and an unknown one", async () => {
    const [tenant, other] = [await app.newTenant(), await app.newTenant()];
    const { id } = await createEndpoint(app, other, { url: 'https://receiver.example.com' });
    const path = endpointsPath(tenant.customerId);
    for (const body of [{}, { dryRun: true }]) {
      expect((await retry(tenant, { path: `${path}/${id}` }, body)).status).toBe(404);
      expect((await retry(tenant, { path: `${path}/2147483647` }, body)).status).toBe(404);
    }
  });
});
