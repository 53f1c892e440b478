import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Json, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { readMetrics } from '../support/metrics.ts';
import { sharedDataDir } from '../support/process.ts';
import type { Behaviour } from '../support/receiver.ts';
import { deliveriesOf, deliveryLike, listening, postConversion, type TestEndpoint } from './support.ts';

const CIRCUIT = `query ($id: Int!) { webhookEndpoint(id: $id) { circuit { state since reason } } }`;
const CLOSED = { state: 'closed', since: null, reason: null };
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Events of the night outage: a thousand in the suite, 5,000 for a proof (`OUTAGE_EVENTS=5000`). */
const OUTAGE_EVENTS = Number(process.env.OUTAGE_EVENTS ?? 1_000);
/** Steps of the clock in its eight hours. */
const STEPS = 16;
/** Longest time between two probes. */
const PROBE = 67 * SECOND;
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const endpointOf = async (of: TestApp, tenant: TestTenant, { path }: TestEndpoint): Promise<Json> =>
  (await of.request('GET', path, { key: tenant.read })).body;

const isOpen = async (of: TestApp, tenant: TestTenant, endpoint: TestEndpoint): Promise<boolean> =>
  ((await endpointOf(of, tenant, endpoint)).circuit as unknown as { state: string }).state !== 'closed';

async function post(of: TestApp, tenant: TestTenant, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 50)
    await Promise.all(Array.from({ length: Math.min(50, count - sent) }, () => postConversion(of, tenant)));
}

const failuresOf = async (of: TestApp, { id }: TestEndpoint): Promise<number> =>
  (await of.models.Endpoint.findOne({ id }).lean())?.failures ?? 0;

/** A tenant with an endpoint whose circuit has opened after the failures of 12 deliveries and 13 s. */
async function opened(of: TestApp, behaviour: Behaviour = 500, input: object = {}) {
  const found = await listening(of, behaviour, { ...input });
  const { tenant, endpoint } = found;
  const setFailingSince = (failingSince: Date) =>
    of.models.Endpoint.updateOne({ id: endpoint.id }, { $set: { failingSince } });
  // On a slow machine these attempts last longer than the ten seconds after which the circuit opens.
  await setFailingSince(new Date(of.clock.now().getTime() + DAY));
  await post(of, tenant, 11);
  await eventually(async () => (await failuresOf(of, endpoint)) === 22);
  expect(await isOpen(of, tenant, endpoint)).toBe(false);
  await setFailingSince(of.clock.now());
  of.clock.advance(11 * SECOND);
  await post(of, tenant, 1);
  await eventually(() => isOpen(of, tenant, endpoint));
  return found;
}

/** Deliveries with a probe among their attempts. */
const probed = (of: TestApp, { id }: TestEndpoint) =>
  of.models.Delivery.find({ endpointId: id, 'attempts.probe': true }).lean();

describe('the circuit of an endpoint', () => {
  test('is closed while its receiver responds, over REST and GraphQL', async () => {
    const { tenant, endpoint } = await listening(app);
    await postConversion(app, tenant);
    expect((await endpointOf(app, tenant, endpoint)).circuit).toEqual(CLOSED);
    const { body } = await app.graphql(CIRCUIT, { id: endpoint.id }, tenant.read);
    expect(body).toEqual({ data: { webhookEndpoint: { circuit: CLOSED } } });
  });

  test('opens after 20 failures in a row of 10 deliveries in 10 seconds, and says why', async () => {
    const { tenant, endpoint } = await opened(app, 503);
    const { circuit } = await endpointOf(app, tenant, endpoint);
    expect(circuit).toEqual({
      state: expect.stringMatching(/^(open|half_open)$/),
      since: expect.any(String),
      reason: 'http_503',
    });
    const { body } = await app.graphql(CIRCUIT, { id: endpoint.id }, tenant.read);
    expect(body.data?.webhookEndpoint).toMatchObject({ circuit: { since: (circuit as Json).since } });
    await eventually(
      async () => ((await readMetrics(app)).value('engagement_webhook_open_circuits', {}) ?? 0) >= 1,
    );
  });

  test('stays closed while fewer than ten deliveries fail: each has its five attempts', async () => {
    const { tenant, endpoint } = await listening(app, 500);
    await post(app, tenant, 9);
    const allAt = (attempt: number) =>
      eventually(async () =>
        (await deliveriesOf(app, tenant, endpoint)).every((each) => each.attempt === attempt),
      );
    await allAt(2);
    for (const [index, delay] of [6 * MINUTE, 35 * MINUTE, 140 * MINUTE].entries()) {
      await eventually(async () => (await failuresOf(app, endpoint)) === 9 * (2 + index));
      app.clock.advance(delay);
      await allAt(3 + index);
    }
    await eventually(async () =>
      (await deliveriesOf(app, tenant, endpoint)).every(({ status }) => status === 'failed'),
    );
    expect(await isOpen(app, tenant, endpoint)).toBe(false);
  });

  test('holds deliveries back without an attempt, with the time of the next probe', async () => {
    const { tenant, endpoint, receiver } = await opened(app);
    const before = receiver.received.length;
    await post(app, tenant, 20);
    const waiting = await eventually(async () => {
      const found = await deliveriesOf(app, tenant, endpoint, '?status=pending&limit=50');
      return found.length === 20 && found.every(({ waitingFor }) => waitingFor === 'circuit') ? found : null;
    });
    for (const { attempt, nextRetryAt } of waiting) {
      expect(attempt).toBe(0);
      expect(Math.abs(Date.parse(String(nextRetryAt)) - app.clock.now().getTime())).toBeLessThan(PROBE);
    }
    const metric = async () =>
      (await readMetrics(app)).value('engagement_webhook_waiting_deliveries', { reason: 'circuit' }) ?? 0;
    await eventually(async () => (await metric()) >= 20);
    // Probes at 1, 3 and 7 seconds.
    expect(receiver.received.length - before).toBeLessThanOrEqual(4);
  });

  test('is probed with the oldest due deliveries in turn, which takes none of their attempts', async () => {
    const { tenant, endpoint } = await opened(app);
    await post(app, tenant, 3);
    for (let round = 0; round < 4; round += 1) {
      const count = async () =>
        (await probed(app, endpoint)).flatMap(({ attempts }) => attempts.filter(({ probe }) => probe)).length;
      const before = await count();
      app.clock.advance(PROBE);
      await eventually(async () => (await count()) > before);
    }
    const deliveries = await probed(app, endpoint);
    expect(deliveries.length).toBeGreaterThan(1);
    for (const { attempt, attempts, status, dueAt, createdAt } of deliveries) {
      expect(attempts.filter(({ probe }) => !probe)).toHaveLength(attempt);
      expect(['pending', 'retrying']).toContain(status);
      if (attempt === 0) expect(dueAt).toEqual(createdAt);
    }
    const { body } = await app.request('GET', `${endpoint.path}/deliveries/${deliveries[0]?._id}`, {
      key: tenant.read,
    });
    expect(body.attempts).toContainEqual(
      expect.objectContaining({ probe: true, manual: false, error: 'http_500' }),
    );
  });

  test('closes with a success; what waits is sent within the slots, and the failures begin at zero again', async () => {
    const { tenant, endpoint, receiver } = await opened(app);
    await post(app, tenant, 200);
    receiver.behave({ status: 200, delayMs: 20 });
    app.clock.advance(PROBE);
    await eventually(
      async () =>
        (await app.models.Delivery.countDocuments({ endpointId: endpoint.id, status: 'succeeded' })) >= 200,
    );
    expect(receiver.peak()).toBeLessThanOrEqual(16);
    expect((await endpointOf(app, tenant, endpoint)).circuit).toEqual(CLOSED);
    const stored = await app.models.Endpoint.findOne({ id: endpoint.id }).lean();
    expect(stored).toMatchObject({ failures: 0, failingSince: null, failedDeliveries: [] });
    const [succeeded] = await app.models.Delivery.find({
      endpointId: endpoint.id,
      attempts: { $elemMatch: { probe: true, error: null } },
    }).lean();
    expect(succeeded?.attempt).toBe(succeeded?.attempts.filter((each) => !each.probe || !each.error).length);
  });

  test('is not kept open by a delivery that the receiver refuses for its content', async () => {
    const { tenant, endpoint, receiver } = await opened(app);
    const [oldest] = await app.models.Delivery.find({ endpointId: endpoint.id })
      .sort({ dueAt: 1 })
      .limit(1)
      .lean();
    receiver.behave(({ headers }) => (headers['x-svc-delivery-id'] === String(oldest?._id) ? 400 : 200));
    await eventually(async () => {
      app.clock.advance(PROBE);
      return !(await isOpen(app, tenant, endpoint));
    });
  });

  test('lets a resend and a test event pass, and a success of one closes it', async () => {
    const { tenant, endpoint, receiver } = await opened(app);
    const [delivery] = await deliveriesOf(app, tenant, endpoint);
    const asked = async (path: string, body?: object) => {
      const { status } = await app.request('POST', `${endpoint.path}${path}`, {
        key: tenant.write,
        ...(body && { body }),
      });
      expect(status).toBe(202);
    };
    // Far from the next probe.
    await app.models.Endpoint.updateOne(
      { id: endpoint.id },
      { $set: { 'circuit.state': 'open', 'circuit.probeAt': new Date(app.clock.now().getTime() + DAY) } },
    );
    await sleep(10_500);
    const before = receiver.received.length;
    await asked(`/deliveries/${delivery?.id}/resend`);
    await receiver.waitFor(before + 1);
    expect(await isOpen(app, tenant, endpoint)).toBe(true);
    receiver.behave(200);
    await asked('/test', { event: 'conversation.started' });
    await receiver.waitFor(before + 2);
    await eventually(async () => !(await isOpen(app, tenant, endpoint)));
  });

  test.each([
    [
      'a new URL',
      async (path: string) => ({
        method: 'PATCH',
        path,
        body: { url: `${(await listening(app)).receiver.url}` },
      }),
    ],
    ['new headers', async (path: string) => ({ method: 'PATCH', path, body: { headers: { 'X-Key': 'a' } } })],
    ['enabling it', async (path: string) => ({ method: 'PATCH', path, body: { enabled: true } })],
    [
      'a rotation of its secret',
      async (path: string) => ({ method: 'POST', path: `${path}/rotate-secret`, body: {} }),
    ],
  ] as const)('closes with %s', async (_name, requestOf) => {
    const { tenant, endpoint } = await opened(app);
    const { method, path, body } = await requestOf(endpoint.path);
    const { status } = await app.request(method, path, { key: tenant.write, body });
    expect(status).toBeLessThan(300);
    expect((await endpointOf(app, tenant, endpoint)).circuit).toEqual(CLOSED);
  });

  test('a probe that is answered with 410 disables the endpoint', async () => {
    const { tenant, endpoint, receiver } = await opened(app);
    receiver.behave(410);
    await post(app, tenant, 1);
    app.clock.advance(PROBE);
    await eventually(async () => !(await endpointOf(app, tenant, endpoint)).enabled);
    expect(await endpointOf(app, tenant, endpoint)).toMatchObject({
      disabledReason: 'gone',
      circuit: CLOSED,
    });
    await deliveryLike(app, tenant, endpoint, { status: 'failed' });
  });

  test('probes count toward the five days after which an endpoint is disabled', async () => {
    const { tenant, endpoint } = await opened(app);
    await app.models.Endpoint.updateOne({ id: endpoint.id }, { $inc: { failures: 100 } });
    app.clock.advance(5 * DAY + MINUTE);
    await eventually(async () => !(await endpointOf(app, tenant, endpoint)).enabled);
    expect((await endpointOf(app, tenant, endpoint)).disabledReason).toBe('failing');
  });
});

describe('two processes', () => {
  async function starting() {
    const mongodbUri = freshDatabase();
    const dataDir = await sharedDataDir();
    const settings = { MONGODB_URI: mongodbUri, DATA_DIR: dataDir.path };
    const [first, second] = [await startApp(settings), await startApp(settings)];
    const advance = (ms: number): void => {
      for (const each of [first, second]) each.clock.advance(ms);
    };
    return {
      first,
      second,
      advance,
      [Symbol.asyncDispose]: async () => {
        await Promise.all([first.stop(), second.stop()]);
        await dataDir[Symbol.asyncDispose]();
      },
    };
  }

  test('probe an endpoint with one delivery at a time, and end a night outage without an API call', {
    timeout: 240_000,
  }, async () => {
    await using service = await starting();
    const { first, second, advance } = service;
    const before = 300;
    const perStep = Math.ceil((OUTAGE_EVENTS - before) / STEPS);
    const events = before + STEPS * perStep;
    const { tenant, endpoint, receiver } = await listening(first, 500, { autoRecover: true });
    await post(first, tenant, 150);
    // On a slow machine it opens by itself.
    await eventually(
      async () => (await failuresOf(first, endpoint)) >= 200 || isOpen(first, tenant, endpoint),
    );
    advance(11 * SECOND);
    await post(first, tenant, 50);
    await eventually(() => isOpen(second, tenant, endpoint));
    await eventually(
      async () =>
        (await first.models.Delivery.countDocuments({ endpointId: endpoint.id, lease: { $ne: null } })) <= 1,
    );
    await post(first, tenant, 100);
    const probed = Promise.withResolvers<void>();
    receiver.behave({ status: 500, until: probed.promise });
    const probes = receiver.received.length;
    advance(PROBE);
    await receiver.waitFor(probes + 1);
    await sleep(1_000);
    expect(receiver.received.length - probes).toBe(1);
    receiver.behave(500);
    probed.resolve();
    const duringOutage = receiver.received.length;
    for (let step = 0; step < STEPS; step += 1) {
      advance((8 * HOUR) / STEPS);
      await post(step % 2 === 0 ? first : second, tenant, perStep);
    }
    expect(receiver.received.length - duringOutage).toBeLessThan(100);
    const counts = (status: string) =>
      first.models.Delivery.countDocuments({ endpointId: endpoint.id, status: status as never });
    expect(await counts('failed')).toBe(0);

    const returned = receiver.received.length;
    const slots = { atOnce: 0, most: 0 };
    receiver.behave(() => {
      slots.atOnce += 1;
      slots.most = Math.max(slots.most, slots.atOnce);
      setTimeout(() => {
        slots.atOnce -= 1;
      }, 10);
      return { status: 200, delayMs: 10 };
    });
    advance(PROBE);
    await eventually(async () => (await counts('succeeded')) === events, 90_000);
    // 16 slots in each process.
    expect(slots.most).toBeLessThanOrEqual(32);
    const ids = new Set(
      receiver.received.slice(returned).map(({ headers }) => String(headers['x-svc-delivery-id'])),
    );
    expect(ids.size).toBe(events);
    expect((await endpointOf(second, tenant, endpoint)).circuit).toEqual(CLOSED);
  });
});
