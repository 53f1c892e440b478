import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { verifyWebhook } from '../../packages/client/src/index.ts';
import { newObjectId } from '../../src/platform/mongo/object-id.ts';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { appOfTest } from '../support/test-scoped.ts';
import {
  createEndpoint,
  deliveriesOf,
  deliveryLike,
  postConversion,
  setEnabled,
} from '../webhooks/support.ts';
import { type ScoredSidecar, type Scores, startScoredSidecar } from './support.ts';

const NAMES = ['drift.detected', 'drift.cleared'];
/** Time in which an event that must not be sent would arrive. */
const QUIET_MS = 300;

let sidecar: ScoredSidecar;
let mongodbUri: string;
let app: TestApp;
let receiver: Receiver;
let tenant: TestTenant;

const environment = () => ({
  MONGODB_URI: mongodbUri,
  CONNECTOR_ENCRYPTION_KEY: 'ab'.repeat(32),
  ML_SIDECAR_URL: sidecar.url,
  DRIFT_CHECK_SCHEDULE: 'off',
});

beforeAll(async () => {
  sidecar = await startScoredSidecar();
  receiver = await startReceiver();
});
afterAll(async () => {
  await sidecar.stop();
  await receiver.stop();
});
beforeEach(async () => {
  mongodbUri = freshDatabase();
  app = await startApp(environment());
  tenant = await app.newTenant();
  await createEndpoint(app, tenant, { url: receiver.url, events: NAMES });
  receiver.received.length = 0;
});
afterEach(() => app.stop());

/** Checks all samples or a stage, with these scores. */
async function check(scores: Scores, { stage, on = app }: { stage?: string; on?: TestApp } = {}) {
  sidecar.report(scores);
  const { status } = await on.request('POST', '/api/drift.triggerCheck', { key: on.admin, body: { stage } });
  expect(status).toBe(200);
}

const events = () => receiver.received.map(({ envelope }) => [envelope.event, envelope.data.customerId]);
const scopes = () =>
  receiver.received.map(({ envelope: { event, data } }) => [event, data.stage, data.feature]);

/** Expects this number of events, and no more for a while. */
async function expectEvents(count: number): Promise<void> {
  await receiver.waitFor(count);
  await sleep(QUIET_MS);
  expect(receiver.received).toHaveLength(count);
}

describe('events of all samples', () => {
  test('are sent once per change, to the endpoints of all customers that name them', async () => {
    const other = await app.newTenant();
    await createEndpoint(app, other, { url: receiver.url, events: ['drift.cleared', 'outcome.marked'] });
    const silent = await app.newTenant();
    await createEndpoint(app, silent, { url: receiver.url });
    for (const overall of [0.3, 0.1, 0.3]) await check({ overall });
    await expectEvents(0);
    await check({ overall: 0.4 });
    await receiver.waitFor(1);
    for (const overall of [0.4, 0.1, 0.17, 0.1]) await check({ overall });
    await expectEvents(1);
    expect(receiver.received[0]?.envelope).toEqual({
      event: 'drift.detected',
      data: {
        customerId: tenant.customerId,
        orgId: tenant.tenant.orgId,
        scope: 'overall',
        stage: null,
        feature: null,
        score: 0.4,
        threshold: 0.2,
        checkedAt: '2026-11-20T12:00:00.000Z',
        model: 'default',
        alertId: expect.stringMatching(/^[0-9a-f]{24}$/),
        since: '2026-11-20T12:00:00.000Z',
        reminder: false,
        features: [],
      },
      ts: expect.any(Number),
    });
    await check({ overall: 0.05 });
    await expectEvents(3);
    expect(events().slice(1).toSorted()).toEqual(
      [
        ['drift.cleared', tenant.customerId],
        ['drift.cleared', other.customerId],
      ].toSorted(),
    );
    // The endpoint without a filter receives the customer events.
    await postConversion(app, silent);
    await receiver.waitFor(4);
    expect(events()[3]).toEqual(['conversion.recorded', silent.customerId]);
  });

  test('are not sent for too few rows', async () => {
    await check({ overall: 0.9 });
    for (let i = 0; i < 3; i += 1) await check({ overall: 0.9, insufficientData: true });
    await expectEvents(0);
    await check({ overall: 0.9 });
    for (let i = 0; i < 3; i += 1) await check({ overall: 0, insufficientData: true });
    await expectEvents(1);
  });

  test('follow the known components while outcomes are never known', async () => {
    const without = (features: number): Scores => ({
      overall: features,
      insufficientData: features <= 0.2,
      components: { features, prediction: 0, outcome: null },
    });
    for (const features of [0.4, 0.05, 0.4]) await check(without(features));
    await expectEvents(0);
    await check(without(0.4));
    await expectEvents(1);
    for (let i = 0; i < 2; i += 1) await check(without(0.05));
    await expectEvents(2);
    expect(receiver.received[1]?.envelope).toMatchObject({ event: 'drift.cleared', data: { score: 0.05 } });
  });

  test('do not clear a drift of the outcomes while they are not known', async () => {
    const outcomes = (outcome: number | null, features: number): Scores => ({
      overall: Math.max(outcome ?? 0, features),
      components: { features, prediction: 0, outcome },
      features: [{ feature: 'age', score: features }],
    });
    const body = { feature: 'age', stage: null };
    expect((await app.request('POST', '/api/drift.muteFeature', { key: app.admin, body })).status).toBe(200);
    for (let i = 0; i < 2; i += 1) await check(outcomes(0.4, 0));
    await expectEvents(1);
    // The muted feature drifts, so that the sidecar does not report too few rows.
    for (let i = 0; i < 3; i += 1) await check(outcomes(null, 0.9));
    const active = await app.request('GET', '/api/drift.getAlerts?status=active', { key: app.admin });
    expect(active.body).toMatchObject([{ scope: 'overall' }]);
    for (let i = 0; i < 2; i += 1) await check(outcomes(0.1, 0.9));
    await expectEvents(2);
  });

  test('survive a restart between the two checks', async () => {
    await check({ overall: 0.3 });
    const other = await appOfTest(environment());
    await check({ overall: 0.3 }, { on: other });
    await expectEvents(1);
    await check({ overall: 0.01 }, { on: other });
    await check({ overall: 0.01 });
    await expectEvents(2);
  });

  test('are not sent for a scheduled check that another worker repeats', async () => {
    sidecar.report({ overall: 0.3 });
    const tick = new Date();
    await app.services.drift.check({}, tick);
    await app.services.drift.check({}, tick);
    await expectEvents(0);
    await app.services.drift.check({}, new Date(tick.getTime() + 1));
    await expectEvents(1);
  });

  test('are sent once by two processes that check at the same time', async () => {
    const other = await appOfTest(environment());
    await Promise.all(
      Array.from({ length: 12 }, (_, i) => check({ overall: 0.3 }, { on: i % 2 ? app : other })),
    );
    await expectEvents(1);
    await Promise.all(
      Array.from({ length: 12 }, (_, i) => check({ overall: 0 }, { on: i % 2 ? app : other })),
    );
    await expectEvents(2);
  });
});

test('stages and features have events of their own, features with their own thresholds', async () => {
  const features = [
    { feature: 'age', score: 0.3 },
    { feature: 'plan', score: 0.3, threshold: 0.5 },
    { feature: 'residual', score: 0.12, threshold: 0.1 },
    { feature: 'region', score: 3, insufficientData: true },
    { feature: 'device', score: 0.3, noise: 0.35, significant: false },
  ];
  const scores = { overall: 0.1, stages: { lead: 0.1, trial: 0.6 }, features };
  for (let i = 0; i < 2; i += 1) {
    for (const stage of [undefined, 'lead', 'trial']) await check(scores, { stage });
  }
  await expectEvents(3);
  expect(scopes().toSorted()).toEqual(
    [
      ['drift.detected', null, 'age'],
      ['drift.detected', null, 'residual'],
      ['drift.detected', 'trial', null],
    ].toSorted(),
  );
  const residual = receiver.received.find(({ envelope }) => envelope.data.feature === 'residual');
  expect(residual?.envelope.data).toMatchObject({ scope: 'feature', score: 0.12, threshold: 0.1 });

  receiver.received.length = 0;
  for (let i = 0; i < 2; i += 1) await check({ stages: { trial: 0.1 } }, { stage: 'trial' });
  await expectEvents(1);
  expect(scopes()).toEqual([['drift.cleared', 'trial', null]]);
});

test('every customer with such an endpoint has one event, however many there are', async () => {
  const customers = Array.from({ length: 230 }, (_, index) => 50_000 + index);
  const now = new Date();
  await app.models.Tenant.collection.insertMany(
    customers.map((customerId) => ({
      customerId,
      orgId: `org_${customerId}`,
      name: `Customer ${customerId}`,
      createdAt: now,
    })) as never,
  );
  await app.models.Endpoint.collection.insertMany(
    customers.flatMap((customerId) =>
      [0, 1].map((copy) => ({
        _id: newObjectId(now),
        id: customerId * 2 + copy,
        customerId,
        url: receiver.url,
        description: null,
        events: NAMES,
        enabled: false,
        disabledReason: 'manual',
        secret: '',
        failures: 0,
        failingSince: null,
        createdAt: now,
        updatedAt: now,
      })),
    ) as never,
  );
  for (let i = 0; i < 2; i += 1) await check({ overall: 0.3 });
  await eventually(async () => (await app.models.DriftAlertEvent.countDocuments()) === 0, 20_000);
  const stored = await app.models.Event.find({ event: 'drift.detected' }, { customerId: 1 }).lean();
  expect(stored.map(({ customerId }) => customerId).toSorted()).toEqual(
    [...customers, tenant.customerId].toSorted(),
  );
  expect(await app.models.Delivery.countDocuments({ event: 'drift.detected' })).toBe(461);
  await expectEvents(1);
});

test('a feature and a stage without samples are cleared after two checks', async () => {
  const features = [{ feature: 'age', score: 0.3 }];
  for (let i = 0; i < 2; i += 1) {
    await check({ overall: 0.1, features });
    await check({ stages: { trial: 0.6 } }, { stage: 'trial' });
  }
  await expectEvents(2);
  receiver.received.length = 0;
  for (let i = 0; i < 2; i += 1) {
    await check({ overall: 0.1, features: [{ feature: 'plan', score: 0 }] });
    const body = { stage: 'trial' };
    expect((await app.request('POST', '/api/drift.triggerCheck', { key: app.admin, body })).status).toBe(404);
  }
  await expectEvents(2);
  expect(scopes().toSorted()).toEqual(
    [
      ['drift.cleared', null, 'age'],
      ['drift.cleared', 'trial', null],
    ].toSorted(),
  );
  for (const { envelope } of receiver.received)
    expect(envelope.data).toMatchObject({ score: 0, threshold: 0.2 });
  expect(await app.models.DriftAlertState.countDocuments()).toBe(2);
});

test('deliveries of drift events are verified by the client, resent and recovered like others', async () => {
  const customer = await app.newTenant();
  const endpoint = await createEndpoint(app, customer, { url: receiver.url, events: NAMES });
  for (let i = 0; i < 2; i += 1) await check({ overall: 0.3 });
  await expectEvents(2);
  const received = receiver.received.find(({ envelope }) => envelope.data.customerId === customer.customerId);
  const { event, data } = await verifyWebhook({
    payload: received?.body ?? '',
    headers: received?.headers ?? {},
    secret: endpoint.secret,
  });
  if (event !== 'drift.detected') throw new Error(`unexpected event: ${event}`);
  expect([data.scope, data.score]).toEqual(['overall', 0.3]);

  const post = (path: string, body?: unknown) =>
    app.request('POST', `${endpoint.path}${path}`, { key: customer.write, body });
  const { id } = await deliveryLike(app, customer, endpoint, { status: 'succeeded' });
  expect((await post(`/deliveries/${id}/resend`)).status).toBe(202);
  await expectEvents(3);

  await setEnabled(app, customer, endpoint, false);
  for (let i = 0; i < 2; i += 1) await check({ overall: 0 });
  await expectEvents(4);
  const missed = () => deliveriesOf(app, customer, endpoint, '?event=drift.cleared');
  expect(await missed()).toMatchObject([{ status: 'cancelled' }]);
  await setEnabled(app, customer, endpoint, true);
  const since = new Date(app.clock.now().getTime() - 60_000).toISOString();
  expect((await post('/recover', { since })).body).toEqual({ queued: 1, open: 0 });
  await expectEvents(5);
  expect(await missed()).toMatchObject([{ status: 'succeeded' }]);
});

test('a check of a stage that never had samples leaves no state', async () => {
  const body = { stage: 'nope' };
  await app.request('POST', '/api/drift.triggerCheck', { key: app.admin, body });
  expect(await app.models.DriftAlertState.countDocuments()).toBe(0);
});

test('alerts are published in the order of the checks, whatever the clocks of the processes', async () => {
  const of = (event: string, revision: number, at: string) => ({
    _id: newObjectId(new Date(at)),
    event,
    stage: null,
    feature: null,
    score: 0.3,
    threshold: 0.2,
    checkedAt: new Date(at),
    revision,
    publishedUpTo: 0,
  });
  await app.models.DriftAlertEvent.collection.insertMany([
    of('drift.detected', 7, '2026-11-20T12:00:05Z'),
    of('drift.cleared', 9, '2026-11-20T12:00:00Z'),
  ] as never);
  await eventually(async () => (await app.models.DriftAlertEvent.countDocuments()) === 0, 20_000);
  const stored = await app.models.Event.find().sort({ $natural: 1 }).lean();
  expect(stored.map(({ event }) => event)).toEqual(NAMES);
});

test('the state of a check expires by the time when it was recorded, not by the time of the sidecar', async () => {
  sidecar.report({ overall: 0.3 }, { checkedAt: '1971-01-01T00:00:00.000Z' });
  const before = app.clock.now().getTime();
  await app.request('POST', '/api/drift.triggerCheck', { key: app.admin });
  const state = await app.models.DriftAlertState.findById('overall').lean();
  expect(state?.checkedAt.getTime()).toBeGreaterThanOrEqual(before);
});

test('the number of drifted subjects is a metric of all processes', async () => {
  const features = ['age', 'plan'].map((feature) => ({ feature, score: 0.3 }));
  for (let i = 0; i < 2; i += 1) await check({ overall: 0.3, features });
  await eventually(async () => {
    const text = await (await fetch(`${app.url}/metrics`)).text();
    return (
      text.includes('engagement_drift_detected{scope="overall"} 1') &&
      text.includes('engagement_drift_detected{scope="stage"} 0') &&
      text.includes('engagement_drift_detected{scope="feature"} 2')
    );
  }, 10_000);
});
