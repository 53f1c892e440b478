import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually, startApp, type TestApp } from '../support/app.ts';
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

/** Reads a subscription until `leave` is called. */
async function subscribe(key: string, query = QUERY): Promise<{ updates: Update[]; leave(): void }> {
  const controller = new AbortController();
  const response = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query }),
    signal: controller.signal,
  });
  if (response.status !== 200) throw new Error(`refused with ${response.status}`);
  const updates: Update[] = [];
  const read = async () => {
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      const events = text.split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        const data = /^event: next\ndata: (.*)$/m.exec(event)?.[1];
        if (data) updates.push(JSON.parse(data).data.webhookDeliveryUpdated);
      }
    }
  };
  read().catch(() => {});
  return { updates, leave: () => controller.abort() };
}

test('the database is read at most once per change, whatever the number of subscribers', async () => {
  const { tenant, endpoint } = await listening(app);
  const subscriptions = await Promise.all(Array.from({ length: SUBSCRIBERS }, () => subscribe(tenant.read)));

  const db = app.models.Event.db.db;
  if (!db) throw new Error('not connected');
  await db.command({ profile: 2 });
  await postConversion(app, tenant);
  await eventually(async () =>
    subscriptions.every(({ updates }) => updates.some(({ status }) => status === 'succeeded')),
  );
  await db.command({ profile: 0 });
  const reads = await db.collection('system.profile').countDocuments({
    op: 'query',
    ns: { $in: [`${db.databaseName}.webhookEvents`, `${db.databaseName}.webhookDeliveries`] },
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
    Array.from({ length: SUBSCRIBERS }, () => subscribe(tenant.read, query)),
  );
  const db = app.models.Event.db.db;
  if (!db) throw new Error('not connected');
  await db.collection('system.profile').drop();
  await db.command({ profile: 2 });
  await postConversion(app, tenant);
  await eventually(async () =>
    subscriptions.every(({ updates }) => updates.some(({ status }) => status === 'succeeded')),
  );
  await db.command({ profile: 0 });
  const readsOf = (collection: string, filter: Record<string, unknown>) =>
    db.collection('system.profile').countDocuments({
      op: 'query',
      ns: `${db.databaseName}.${collection}`,
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
