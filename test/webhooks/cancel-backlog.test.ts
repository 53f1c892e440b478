import { expect, test } from 'vitest';
import { startAppWithFailpoints } from '../support/app-with-failpoints.ts';
import {
  BEFORE_LAST_ATTEMPT,
  deliveriesOf,
  deliveryLike,
  listening,
  missEvents,
  postConversion,
  setEnabled,
  storeDue,
} from './support.ts';

/** More than two batches. */
const BACKLOG = 1_200;
const STALL_MS = 4_000;
const HOUR_MS = 60 * 60_000;

const { app, mongo } = await startAppWithFailpoints();

/** An endpoint with retries that are due in an hour. */
async function withBacklog() {
  const customer = await listening(app, 500);
  const dueAt = new Date(app.clock.now().getTime() + HOUR_MS);
  await storeDue(app, customer.tenant, customer.endpoint, { ...BEFORE_LAST_ATTEMPT, dueAt }, BACKLOG);
  const cancelled = () =>
    app.models.Delivery.countDocuments({ endpointId: customer.endpoint.id, status: 'cancelled' });
  return { ...customer, cancelled };
}

test('a backlog of several batches is cancelled before the response', async () => {
  const { tenant, endpoint, cancelled } = await withBacklog();
  await setEnabled(app, tenant, endpoint, false);
  expect(await cancelled()).toBe(BACKLOG);
});

test('deliveries accepted once the endpoint is enabled again are not cancelled by a slow disabling', async () => {
  const { tenant, endpoint, cancelled } = await withBacklog();
  await mongo.failCommands({
    commands: ['update'],
    collection: 'webhookDeliveries',
    failure: { blockConnection: true, blockTimeMS: STALL_MS },
    times: 1,
  });
  // As a client that does not wait for the response.
  const disabling = setEnabled(app, tenant, endpoint, false);
  await mongo.commandFailing();
  await setEnabled(app, tenant, endpoint, true);
  await postConversion(app, tenant);
  const { id } = await deliveryLike(app, tenant, endpoint, { event: 'conversion.recorded', attempt: 2 });
  await disabling;
  expect(await deliveryLike(app, tenant, endpoint, { id })).toMatchObject({ status: 'retrying' });
  // The batch that was being written; the others are sent.
  expect(await cancelled()).toBe(500);
});

test('a batch that a replay is requeueing is cancelled with the backlog', async () => {
  const { tenant, endpoint } = await listening(app);
  await missEvents(app, tenant, endpoint, 3);
  await app.request('PATCH', endpoint.path, { key: tenant.write, body: { paused: true } });
  await mongo.failCommands({
    commands: ['update'],
    collection: 'webhookDeliveries',
    failure: { blockConnection: true, blockTimeMS: STALL_MS },
    times: 1,
  });
  const since = new Date(app.clock.now().getTime() - HOUR_MS).toISOString();
  const replayed = app.request('POST', `${endpoint.path}/replay`, { key: tenant.write, body: { since } });
  await mongo.commandFailing();
  const { body } = await app.request('POST', `${endpoint.path}/cancel-backlog`, { key: tenant.write });
  expect((await replayed).body).toEqual({ count: 3 });
  expect(body).toEqual({ cancelled: 3 });
  const statuses = (await deliveriesOf(app, tenant, endpoint)).map(({ status }) => status);
  expect(statuses).toEqual(['cancelled', 'cancelled', 'cancelled']);
});
