import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { startProfile } from '../support/profile.ts';
import { subscribe } from '../support/subscription.ts';
import { deliveryLike, listening, postConversion } from './support.ts';

const SUBSCRIBERS = 40;
const QUERY = `subscription {
  webhookDeliveryUpdated { id status payload attempts { number responseStatus } }
}`;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

interface Update {
  id: string;
  status: string;
  payload: string;
  attempts: { number: number; responseStatus: number | null }[];
  endpoint?: { id: number };
  sourceEvent?: { event: string; deliveries: { id: string; endpoint: { id: number } }[] };
}

test('the database is read at most once per change, whatever the number of subscribers', async () => {
  const { tenant, endpoint } = await listening(app);
  const subscriptions = await Promise.all(
    Array.from({ length: SUBSCRIBERS }, () => subscribe<Update>(app, tenant.read, QUERY)),
  );

  const profile = await startProfile(app.models.Event.db.db);
  await postConversion(app, tenant);
  await eventually(async () =>
    subscriptions.every(({ updates }) => updates.some(({ status }) => status === 'succeeded')),
  );
  const commands = await profile.end();
  const reads = await commands.countDocuments({
    op: 'query',
    ns: { $in: [`${commands.dbName}.webhookEvents`, `${commands.dbName}.webhookDeliveries`] },
    'command.filter._id': { $exists: true },
    // The repair of fan-outs reads a range of events.
    'command.filter._id.$lt': { $exists: false },
  });
  console.info(`reads for ${SUBSCRIBERS} subscribers and one event: ${reads}`);
  // Two changes of the delivery: accepted and succeeded.
  expect(reads).toBeLessThanOrEqual(2);

  const delivered = await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
  for (const { updates } of subscriptions) {
    const last = updates.findLast((update) => update.id === delivered.id);
    expect(last).toMatchObject({ status: 'succeeded', attempts: [{ number: 1, responseStatus: 200 }] });
    expect(JSON.parse(last?.payload ?? '{}')).toMatchObject({ event: 'conversion.recorded' });
  }
  for (const { leave } of subscriptions) leave();
});

test('the edges of a delivery are read at most once per change, whatever the number of subscribers', async () => {
  const { tenant, endpoint } = await listening(app);
  const query = `subscription {
    webhookDeliveryUpdated {
      id status endpoint { id } sourceEvent { event deliveries { id endpoint { id } } }
    }
  }`;
  const subscriptions = await Promise.all(
    Array.from({ length: SUBSCRIBERS }, () => subscribe<Update>(app, tenant.read, query)),
  );
  const profile = await startProfile(app.models.Event.db.db);
  await postConversion(app, tenant);
  await eventually(async () =>
    subscriptions.every(({ updates }) => updates.some(({ status }) => status === 'succeeded')),
  );
  const commands = await profile.end();
  const readsOf = (collection: string, filter: Record<string, unknown>) =>
    commands.countDocuments({
      op: 'query',
      ns: `${commands.dbName}.${collection}`,
      'command.filter.customerId': tenant.customerId,
      ...filter,
    });
  const reads = {
    events: await readsOf('webhookEvents', { 'command.filter._id.$in': { $exists: true } }),
    deliveries: await readsOf('webhookDeliveries', { 'command.filter.eventId': { $exists: true } }),
    endpoints: await readsOf('webhookEndpoints', { 'command.filter.id': { $exists: true } }),
  };
  expect(Object.values(reads).every((count) => count > 0)).toBe(true);
  // Two changes of the delivery: accepted and succeeded.
  expect(reads.events).toBeLessThanOrEqual(2);
  expect(reads.deliveries).toBeLessThanOrEqual(2);
  // That of the delivery, and that of the event's deliveries.
  expect(reads.endpoints).toBeLessThanOrEqual(4);

  for (const { updates, leave } of subscriptions) {
    expect(updates.at(-1)).toMatchObject({
      endpoint: { id: endpoint.id },
      sourceEvent: { event: 'conversion.recorded', deliveries: [{ endpoint: { id: endpoint.id } }] },
    });
    leave();
  }
});
