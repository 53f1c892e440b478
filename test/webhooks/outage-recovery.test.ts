import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { startProfile } from '../support/profile.ts';
import { deliveriesOf, deliveryLike, listening, postConversion, setEnabled, storeDue } from './support.ts';

const UPDATE = `mutation ($id: Int!, $input: UpdateWebhookEndpointInput!) {
  updateWebhookEndpoint(id: $id, input: $input) { autoRecover }
}`;
const MINUTE = 60_000;
/** Longer than each of the three delays, in their order. */
const DELAYS = [6 * MINUTE, 35 * MINUTE, 140 * MINUTE];
/** So few that the circuit stays closed, and every attempt is made. */
const EVENTS = 9;
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const countOf = (endpointId: number, filter: object) =>
  app.models.Delivery.countDocuments({ endpointId, ...filter });

/** Accepts events at once. */
async function accept(tenant: TestTenant, events: number): Promise<void> {
  for (let sent = 0; sent < events; sent += 50)
    await Promise.all(Array.from({ length: Math.min(50, events - sent) }, () => postConversion(app, tenant)));
}

/** Waits until the deliveries of an endpoint have failed twice, and makes their other attempts. */
async function failAttempts(
  endpointId: number,
  events: number,
  { beforeLast = () => {} }: { beforeLast?: () => void } = {},
): Promise<void> {
  const allAt = (attempt: number, status: string) =>
    eventually(
      async () => (await countOf(endpointId, { attempt, status, lease: { $exists: false } })) === events,
    );
  await allAt(2, 'retrying');
  for (const [index, delay] of DELAYS.entries()) {
    if (index === 2) beforeLast();
    app.clock.advance(delay);
    await allAt(3 + index, index === 2 ? 'failed' : 'retrying');
  }
  await eventually(async () => (await app.models.Endpoint.findOne({ id: endpointId }).lean())?.exhausted);
}

/** Accepts events and makes their five attempts fail. */
async function exhaust(tenant: TestTenant, endpointId: number, events: number): Promise<void> {
  await accept(tenant, events);
  await failAttempts(endpointId, events);
}

describe('an endpoint with autoRecover', () => {
  test('is set over REST and GraphQL, and false by default', async () => {
    const { tenant, endpoint } = await listening(app);
    const patch = async (autoRecover: unknown) =>
      (await app.request('PATCH', endpoint.path, { key: tenant.write, body: { autoRecover } })).body
        .autoRecover;
    expect((await app.request('GET', endpoint.path, { key: tenant.read })).body.autoRecover).toBe(false);
    const { body } = await app.graphql(
      UPDATE,
      { id: endpoint.id, input: { autoRecover: true } },
      tenant.write,
    );
    expect(body).toEqual({ data: { updateWebhookEndpoint: { autoRecover: true } } });
    expect(await patch(null)).toBe(false);
  });

  test('receives what failed in eight hours without an API call, oldest first and within its slots', {
    timeout: 120_000,
  }, async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500, { autoRecover: true });
    await exhaust(tenant, endpoint.id, EVENTS);
    app.clock.advance(5 * 60 * MINUTE);
    const failed = (await app.models.Delivery.find({ endpointId: endpoint.id }).sort({ _id: 1 }).lean()).map(
      ({ _id }) => _id.toHexString(),
    );
    const before = receiver.received.length;
    receiver.behave({ status: 200, delayMs: 20 });
    await postConversion(app, tenant);
    await eventually(async () => (await countOf(endpoint.id, { status: 'succeeded' })) === EVENTS + 1);
    const ids = receiver.received.slice(before).map(({ headers }) => String(headers['x-svc-delivery-id']));
    expect([ids.length, new Set(ids).size]).toEqual([EVENTS + 1, EVENTS + 1]);
    const recovered = ids.filter((id) => failed.includes(id));
    // Within the slots, the requests overtake each other.
    for (const [position, id] of recovered.entries())
      expect(Math.abs(failed.indexOf(id) - position)).toBeLessThan(64);
    expect(receiver.peak()).toBeLessThanOrEqual(16);
  });

  test.each([
    ['new headers', 'PATCH', '', { headers: { 'X-Key': 'renewed' } }],
    ['a new secret', 'POST', '/rotate-secret', {}],
    ['being enabled again', 'PATCH', '', { enabled: true }],
  ])('receives what failed if the outage ends by %s', async (_change, method, route, body) => {
    const { tenant, endpoint, receiver } = await listening(app, 401, { autoRecover: true });
    await exhaust(tenant, endpoint.id, 2);
    const changed = await app.request(method, `${endpoint.path}${route}`, { key: tenant.write, body });
    expect(changed.status).toBe(200);
    receiver.behave(200);
    await postConversion(app, tenant);
    await eventually(async () => (await countOf(endpoint.id, { status: 'succeeded' })) === 3);
  });

  test('receives deliveries that were accepted long before they failed', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500, { autoRecover: true, paused: true });
    const pause = (paused: boolean) =>
      app.request('PATCH', endpoint.path, { key: tenant.write, body: { paused } });
    await accept(tenant, 2);
    app.clock.advance(48 * 60 * MINUTE);
    await pause(false);
    await failAttempts(endpoint.id, 2);
    receiver.behave(200);
    await postConversion(app, tenant);
    await eventually(async () => (await countOf(endpoint.id, { status: 'succeeded' })) === 3);
  });

  test('recovers after another recovery, and begins with one delivery read however many have failed', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500, { autoRecover: true });
    await exhaust(tenant, endpoint.id, 3);
    const { models } = app;
    const { customerId } = tenant;
    const [since, createdAt] = [new Date(0), app.clock.now()];
    await models.Recovery.create({ customerId, endpointId: endpoint.id, since, until: since, createdAt });
    const profile = await startProfile(models.Delivery.db.db);
    receiver.behave(200);
    await postConversion(app, tenant);
    await eventually(async () => (await countOf(endpoint.id, { status: 'succeeded' })) === 4);
    const commands = await profile.end();
    const reads = await commands.find({ ns: /webhookDeliveries$/ }).toArray();
    const matched = reads.map(({ command }) => command.pipeline?.[0]?.$match ?? {});
    expect(matched.filter(({ finishedAt }) => finishedAt)).toEqual([]);
    const found = reads.filter(({ command }) => command.filter?.finishedAt && command.limit === 1);
    expect(found.map(({ docsExamined }) => docsExamined)).toEqual([1]);
  });

  test('receives the rest of a recovery that ended when it was disabled', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500, { autoRecover: true });
    const { Endpoint, Recovery } = app.models;
    await exhaust(tenant, endpoint.id, 2);
    await setEnabled(app, tenant, endpoint, false);
    const { customerId } = tenant;
    const { exhausted } = (await Endpoint.findOne({ id: endpoint.id }).lean()) ?? {};
    const { createdSince: since = new Date(), finishedSince = new Date() } = exhausted ?? {};
    // As a success before the disabling has begun it.
    await Endpoint.updateOne({ id: endpoint.id }, { $unset: { exhausted: 1 } });
    const now = app.clock.now();
    await Recovery.create({
      ...{ customerId, endpointId: endpoint.id, since, until: now, statuses: ['failed'], createdAt: now },
      outage: { finishedSince, attempt: 5 },
    });
    await eventually(async () => (await Recovery.countDocuments({ endpointId: endpoint.id })) === 0);
    await setEnabled(app, tenant, endpoint, true);
    receiver.behave(200);
    await postConversion(app, tenant);
    await eventually(async () => (await countOf(endpoint.id, { status: 'succeeded' })) === 3);
  });

  test('receives deliveries that failed just before their process died', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500, { autoRecover: true });
    const { Endpoint } = app.models;
    await exhaust(tenant, endpoint.id, 2);
    await eventually(async () => Endpoint.exists({ id: endpoint.id, 'exhausted.count': 2 }));
    // As the process would have left the endpoint.
    await Endpoint.updateOne({ id: endpoint.id }, { $unset: { exhausted: 1 } });
    receiver.behave(200);
    await postConversion(app, tenant);
    await eventually(async () => (await countOf(endpoint.id, { status: 'succeeded' })) === 3);
    await eventually(async () => Endpoint.exists({ id: endpoint.id, exhausted: { $exists: false } }));
  });

  test('receives a delivery whose last attempt was interrupted by a crash', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500, { autoRecover: true });
    await accept(tenant, 1);
    await eventually(async () => (await countOf(endpoint.id, { attempt: 2, status: 'retrying' })) === 1);
    await app.models.Delivery.updateOne(
      { endpointId: endpoint.id },
      { $set: { attempt: 5, dueAt: app.clock.now(), lease: 'of a process that has died' } },
    );
    await eventually(async () => (await countOf(endpoint.id, { status: 'failed' })) === 1);
    receiver.behave(200);
    await postConversion(app, tenant);
    await eventually(async () => (await countOf(endpoint.id, { status: 'succeeded' })) === 2);
  });

  test('notes deliveries that one claim ends after a crash by one update', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 200, { autoRecover: true });
    const state = { status: 'retrying', attempt: 5, lane: 'scheduled' } as const;
    const { Delivery, Endpoint } = app.models;
    const profile = await startProfile(Delivery.db.db);
    await storeDue(app, tenant, endpoint, state, 3);
    await eventually(async () => Endpoint.exists({ id: endpoint.id, 'exhausted.count': 3 }));
    const commands = await profile.end();
    const updates = await commands
      .find({ ns: /webhookEndpoints$/, op: 'update', 'command.q.id': endpoint.id })
      .toArray();
    const counts = updates.map(({ command }) => command.u?.$inc?.['exhausted.count']);
    expect(counts.filter((count) => count !== undefined)).toEqual([3]);
    await postConversion(app, tenant);
    await eventually(async () => (await countOf(endpoint.id, { status: 'succeeded' })) === 4);
    expect(receiver.received).toHaveLength(4);
  });

  test('does not receive again what it has stopped at the last attempt', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500, { autoRecover: true });
    await accept(tenant, 2);
    await failAttempts(endpoint.id, 2, {
      beforeLast() {
        let isFirst = true;
        receiver.behave(() => {
          const headers: Record<string, string> = isFirst ? { 'webhook-delivery': 'stop' } : {};
          isFirst = false;
          return { status: 500, headers };
        });
      },
    });
    receiver.behave(200);
    await postConversion(app, tenant);
    await eventually(async () => (await countOf(endpoint.id, { status: 'succeeded' })) === 2);
    await eventually(
      async () => (await app.models.Recovery.countDocuments({ endpointId: endpoint.id })) === 0,
    );
    expect(await countOf(endpoint.id, { status: 'failed', attempt: 5, endedByReceiver: true })).toBe(1);
  });

  test('recovers nothing without the setting', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500);
    await exhaust(tenant, endpoint.id, 2);
    receiver.behave(200);
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    await sleep(8_000);
    expect((await deliveriesOf(app, tenant, endpoint)).map(({ status }) => status)).toEqual([
      'succeeded',
      'failed',
      'failed',
    ]);
  });

  test('does not recover a delivery that a healthy receiver refuses for ever', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500, { autoRecover: true });
    await exhaust(tenant, endpoint.id, 1);
    await app.models.Delivery.updateOne({ endpointId: endpoint.id }, { $set: { outageRecoveries: 10 } });
    receiver.behave(200);
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    await eventually(
      async () => (await app.models.Endpoint.findOne({ id: endpoint.id }).lean())?.failures === 0,
    );
    expect(await countOf(endpoint.id, { status: 'failed' })).toBe(1);
    expect(await app.models.Recovery.countDocuments({ endpointId: endpoint.id })).toBe(0);
  });
});
