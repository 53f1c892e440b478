import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import type { Receiver } from '../support/receiver.ts';
import {
  BEFORE_LAST_ATTEMPT,
  createEndpoint,
  deliveryLike,
  listening,
  postConversion,
  receiving,
  setEnabled,
  storeDue,
  type TestEndpoint,
} from './support.ts';

const EVENTS = ['endpoint.failing', 'endpoint.disabled', 'endpoint.recovered', 'delivery.exhausted'];
const MINUTE = 60_000;
let app: TestApp;

beforeAll(async () => {
  app = await startApp({ WEBHOOK_RETRY_DELAYS: '100ms,100ms,100ms' });
});
afterAll(() => app.stop());

/** A tenant with an endpoint, and another one that receives the operational events about it. */
async function watched(behaviour: Parameters<typeof receiving>[0]) {
  const { tenant, endpoint, receiver } = await listening(app, behaviour);
  const watcher = await receiving();
  await createEndpoint(app, tenant, { url: watcher.url, events: EVENTS });
  return { tenant, endpoint, receiver, watcher };
}

/** The operational events of a type that a receiver has got. */
const got = ({ received }: Receiver, event: string) =>
  received.map(({ envelope }) => envelope).filter((envelope) => envelope.event === event);

const about = ({ customerId, tenant: { orgId } }: TestTenant, { id }: TestEndpoint, data: object) => ({
  customerId,
  orgId,
  endpointId: id,
  ...data,
});

describe('operational events about endpoints', () => {
  test('report a failing endpoint once, its exhausted deliveries, and its recovery', async () => {
    const { tenant, endpoint, receiver, watcher } = await watched(500);
    await Promise.all([1, 2, 3].map(() => postConversion(app, tenant)));
    await eventually(() => got(watcher, 'endpoint.failing').length === 1, 30_000);
    const [failing] = got(watcher, 'endpoint.failing');
    expect(failing?.data).toEqual(
      about(tenant, endpoint, { failures: expect.any(Number), since: expect.any(String) }),
    );
    expect(Number(failing?.data.failures)).toBeGreaterThanOrEqual(10);
    await eventually(() => got(watcher, 'delivery.exhausted').length >= 1, 30_000);
    receiver.behave(200);
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    await eventually(() => got(watcher, 'endpoint.recovered').length === 1, 30_000);
    expect(got(watcher, 'endpoint.recovered')[0]?.data).toEqual(
      about(tenant, endpoint, { recoveredAt: expect.any(String) }),
    );
    expect(got(watcher, 'endpoint.failing')).toHaveLength(1);
    expect(receiver.received.every(({ envelope }) => envelope.event === 'conversion.recorded')).toBe(true);
  });

  test('count exhausted deliveries, at most once a minute', async () => {
    const { tenant, endpoint, watcher } = await watched(500);
    await storeDue(app, tenant, endpoint, BEFORE_LAST_ATTEMPT, 3);
    const counts = () => got(watcher, 'delivery.exhausted').map(({ data }) => Number(data.count));
    // It counts the deliveries of the first write, which need not be all three.
    const [first = 0] = await eventually(() => counts().length === 1 && counts(), 30_000);
    await storeDue(app, tenant, endpoint, BEFORE_LAST_ATTEMPT, 2);
    await eventually(
      async () =>
        (await app.models.Delivery.countDocuments({ endpointId: endpoint.id, status: 'failed' })) === 5,
      30_000,
    );
    expect(counts()).toHaveLength(1);
    await eventually(async () => {
      const queued = (await app.models.Endpoint.findOne({ id: endpoint.id }).lean())?.unpublished ?? [];
      return queued.length > 0;
    }, 30_000);
    // What is counted later, by any process, is added to the count that waits.
    await storeDue(app, tenant, endpoint, BEFORE_LAST_ATTEMPT, 1);
    const waiting = await eventually(async () => {
      const { unpublished = [] } = (await app.models.Endpoint.findOne({ id: endpoint.id }).lean()) ?? {};
      const sum = unpublished.reduce((total, { data }) => total + Number(data.count), 0);
      return first + sum === 6 ? unpublished : null;
    }, 30_000);
    expect(waiting).toHaveLength(1);
    app.clock.advance(MINUTE);
    await eventually(() => counts().reduce((sum, count) => sum + count, 0) === 6, 30_000);
    expect(counts()).toHaveLength(2);
  });

  test.each([
    ['gone', 410],
    ['manual', 200],
  ])('report once that an endpoint was disabled: %s', async (reason, behaviour) => {
    const { tenant, endpoint, watcher } = await watched(behaviour);
    if (reason === 'gone') await Promise.all([1, 2, 3].map(() => postConversion(app, tenant)));
    else await Promise.all([1, 2, 3].map(() => setEnabled(app, tenant, endpoint, false)));
    await eventually(() => got(watcher, 'endpoint.disabled').length > 0, 30_000);
    expect(got(watcher, 'endpoint.disabled').map(({ data }) => data)).toEqual([
      about(tenant, endpoint, { reason, disabledAt: expect.any(String) }),
    ]);
    const stored = await app.models.Endpoint.findOne({ id: endpoint.id }).lean();
    expect(stored?.unpublished).toEqual([]);
    const [event] = await app.models.Event.find({
      customerId: tenant.customerId,
      event: 'endpoint.disabled',
    });
    expect(event?.deliveries).toHaveLength(1);
  });

  test('are sent neither to the endpoint itself, nor without its name, nor to another customer', async () => {
    const tenant = await app.newTenant();
    const [itself, unnamed, foreign] = [await receiving(410), await receiving(), await receiving()];
    const endpoint = await createEndpoint(app, tenant, {
      url: itself.url,
      events: ['conversion.recorded', ...EVENTS],
    });
    await createEndpoint(app, tenant, { url: unnamed.url });
    await createEndpoint(app, await app.newTenant(), { url: foreign.url, events: EVENTS });
    await postConversion(app, tenant);
    await eventually(async () => {
      const stored = await app.models.Endpoint.findOne({ id: endpoint.id }).lean();
      return stored?.enabled === false && stored.unpublished?.length === 0;
    }, 30_000);
    expect(itself.received).toHaveLength(1);
    expect(unnamed.received).toHaveLength(1);
    expect(foreign.received).toHaveLength(0);
    expect(
      await app.models.Event.countDocuments({ event: 'endpoint.disabled', customerId: tenant.customerId }),
    ).toBe(0);
  });
});
