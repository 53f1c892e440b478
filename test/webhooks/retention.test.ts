import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { runJob } from '../support/jobs.ts';
import {
  createEndpoint,
  deliveriesOf,
  deliveryLike,
  listening,
  postConversion,
  receiving,
  scheduled,
  setEnabled,
} from './support.ts';

const MINUTE = 60_000;
let app: TestApp;

beforeAll(async () => {
  app = await startApp({ DELIVERY_RETENTION: '1h', WEBHOOK_RETRY_DELAYS: '10d,10d,10d' });
});
afterAll(() => app.stop());

const runRetention = () => runJob(app, 'webhooks.retention');
const exists = async (eventId: string) => (await app.models.Event.exists({ _id: eventId })) !== null;

describe('retention', () => {
  test('removes an event and its deliveries once all are terminal for the retention time', async () => {
    const { tenant, endpoint } = await listening(app);
    await postConversion(app, tenant);
    const { id, eventId } = await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    app.clock.advance(59 * MINUTE);
    await runRetention();
    expect(await exists(eventId)).toBe(true);
    expect(await deliveriesOf(app, tenant, endpoint)).toHaveLength(1);
    app.clock.advance(2 * MINUTE);
    await runRetention();
    expect(await exists(eventId)).toBe(false);
    expect(await deliveriesOf(app, tenant, endpoint)).toEqual([]);
    const path = `${endpoint.path}/deliveries/${id}`;
    expect((await app.request('GET', path, { key: tenant.read })).status).toBe(404);
  });

  test('never removes an event with a pending delivery, whatever its age', async () => {
    const { tenant, endpoint } = await listening(app);
    const failing = await createEndpoint(app, tenant, { url: (await receiving(500)).url });
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    const { eventId } = await scheduled(app, tenant, failing, 2);
    app.clock.advance(9 * 24 * 60 * MINUTE);
    await runRetention();
    expect(await exists(eventId)).toBe(true);
    expect(await deliveriesOf(app, tenant, endpoint)).toHaveLength(1);
    expect(await deliveriesOf(app, tenant, failing)).toMatchObject([{ status: 'retrying' }]);

    await setEnabled(app, tenant, failing, false);
    await runRetention();
    expect(await deliveriesOf(app, tenant, failing)).toMatchObject([{ status: 'cancelled' }]);
    app.clock.advance(61 * MINUTE);
    await runRetention();
    expect(await exists(eventId)).toBe(false);
  });

  test('starts when a delivery became terminal, not at its event', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500);
    await postConversion(app, tenant);
    const { id, eventId } = await scheduled(app, tenant, endpoint, 2);
    app.clock.advance(50 * MINUTE);
    receiver.behave(200);
    await app.request('POST', `${endpoint.path}/deliveries/${id}/resend`, { key: tenant.write });
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    app.clock.advance(50 * MINUTE);
    await runRetention();
    expect(await exists(eventId)).toBe(true);
    app.clock.advance(11 * MINUTE);
    await runRetention();
    expect(await exists(eventId)).toBe(false);
  });

  test('inserts deliveries that a crash has left out instead of removing their event', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    await postConversion(app, tenant);
    const { id, eventId } = await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    await app.models.Delivery.deleteOne({ _id: id });
    app.clock.advance(61 * MINUTE);
    await runRetention();
    expect(await exists(eventId)).toBe(true);
    await runJob(app, 'webhooks.claim');
    await receiver.waitFor(2);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    expect((await deliveriesOf(app, tenant, endpoint)).map((delivery) => delivery.id)).toEqual([id]);
  });

  test('removes events without endpoints', async () => {
    const tenant = await app.newTenant();
    await postConversion(app, tenant);
    const { customerId } = tenant;
    expect(await app.models.Event.countDocuments({ customerId })).toBe(1);
    app.clock.advance(61 * MINUTE);
    await runRetention();
    await eventually(async () => (await app.models.Event.countDocuments({ customerId })) === 0);
  });
});
