import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { createEndpoint } from '../webhooks/support.ts';
import { type ScoredSidecar, type Scores, startScoredSidecar } from './support.ts';

const DAY_MS = 24 * 60 * 60_000;
/** Time in which an event that must not be sent would arrive. */
const QUIET_MS = 300;

let sidecar: ScoredSidecar;
let app: TestApp;
let receiver: Receiver;
let tenant: TestTenant;

beforeAll(async () => {
  sidecar = await startScoredSidecar();
  receiver = await startReceiver();
});
afterAll(async () => {
  await sidecar.stop();
  await receiver.stop();
});
beforeEach(async () => {
  app = await startApp({
    MONGODB_URI: freshDatabase(),
    ML_SIDECAR_URL: sidecar.url,
    DRIFT_CHECK_SCHEDULE: 'off',
    CONNECTOR_ENCRYPTION_KEY: 'ab'.repeat(32),
  });
  tenant = await app.newTenant();
  await createEndpoint(app, tenant, { url: receiver.url, events: ['drift.detected', 'drift.cleared'] });
  receiver.received.length = 0;
});
afterEach(() => app.stop());

type Json = Record<string, unknown>;

/** Calls a procedure with an admin key. */
async function procedure(name: string, body?: object): Promise<Json> {
  const answer = await app.request(body ? 'POST' : 'GET', `/api/drift.${name}`, { key: app.admin, body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body as Json;
}

const alerts = async (query = '') => (await procedure(`getAlerts${query}`)) as unknown as Json[];

/** Checks twice, which detects or clears drift. */
async function checkTwice(scores: Scores, stage?: string): Promise<void> {
  sidecar.report(scores);
  for (let i = 0; i < 2; i += 1) await procedure('triggerCheck', { stage });
}

async function expectEvents(count: number): Promise<void> {
  await receiver.waitFor(count);
  await sleep(QUIET_MS);
  expect(receiver.received).toHaveLength(count);
}

const lastData = () => receiver.received.at(-1)?.envelope.data;

const largestBin = {
  ...{ lower: 3, upper: 7, category: null, missing: false, contribution: 0.2 },
  reference: { count: 10, share: 0.1 },
  current: { count: 40, share: 0.4 },
};
const age = { feature: 'age', score: 0.5, largestBin, exampleIds: ['row-1', 'row-2'] };

test('a read key sees since when a feature drifts, until the drift is cleared', async () => {
  const since = async () => {
    const document = '{ driftFeature(feature: "visits") { driftedSince } }';
    return (await app.graphql(document, {}, tenant.read)).body.data?.driftFeature;
  };
  expect(await since()).toEqual({ driftedSince: null });
  await checkTwice({ features: [{ feature: 'visits', score: 0.3 }, age] });
  expect(await since()).toEqual({ driftedSince: '2026-11-20T12:00:00.000Z' });
  await checkTwice({ features: [{ feature: 'visits', score: 0 }, age] });
  expect(await since()).toEqual({ driftedSince: null });
});

test('an alert names the features with the range that drifted and example rows, and lists its history', async () => {
  await checkTwice({ overall: 0.4, features: [{ feature: 'plan', score: 0.3 }, age] });
  await expectEvents(3);
  const features = [
    { feature: 'age', score: 0.5, threshold: 0.2, bin: largestBin, exampleIds: ['row-1', 'row-2'] },
    { feature: 'plan', score: 0.3, threshold: 0.2, bin: null, exampleIds: [] },
  ];
  const overall = receiver.received.find(({ envelope }) => envelope.data.scope === 'overall');
  // Without the ids of rows, which only admins may read.
  const published = features.map((feature) => ({ ...feature, exampleIds: [] }));
  expect(overall?.envelope.data).toMatchObject({ features: published, reminder: false, model: 'default' });
  const ofAge = receiver.received.find(({ envelope }) => envelope.data.feature === 'age');
  expect(ofAge?.envelope.data.features).toEqual(published.slice(0, 1));

  const active = await alerts('?status=active');
  expect(active.map(({ scope }) => scope).toSorted()).toEqual(['feature', 'feature', 'overall']);
  expect(active.find(({ scope }) => scope === 'overall')).toEqual({
    id: overall?.envelope.data.alertId,
    model: 'default',
    scope: 'overall',
    stage: null,
    feature: null,
    status: 'active',
    since: '2026-11-20T12:00:00.000Z',
    clearedAt: null,
    score: 0.4,
    threshold: 0.2,
    features,
    acknowledgement: null,
    remindedAt: null,
  });

  await checkTwice({
    overall: 0,
    features: [
      { feature: 'plan', score: 0 },
      { ...age, score: 0 },
    ],
  });
  await expectEvents(6);
  expect(lastData()).toMatchObject({ features: [], since: '2026-11-20T12:00:00.000Z' });
  expect(await alerts('?status=active')).toEqual([]);
  expect(await alerts('?status=cleared&limit=2')).toMatchObject([
    { status: 'cleared', clearedAt: expect.any(String) },
    { status: 'cleared' },
  ]);
});

describe('reminders', () => {
  test('are sent once a week while the drift lasts, and not after', async () => {
    await checkTwice({ overall: 0.4 });
    await expectEvents(1);
    const { alertId } = lastData() ?? {};
    for (let day = 1; day <= 15; day += 1) {
      app.clock.advance(DAY_MS);
      await procedure('triggerCheck', {});
    }
    await expectEvents(3);
    expect(lastData()).toMatchObject({ reminder: true, alertId, since: '2026-11-20T12:00:00.000Z' });
    const [alert] = await alerts();
    const remindedAt = Date.parse(String(alert?.remindedAt));
    expect(app.clock.now().getTime() - remindedAt).toBeGreaterThanOrEqual(DAY_MS);
    expect(app.clock.now().getTime() - remindedAt).toBeLessThan(2 * DAY_MS);
    await checkTwice({ overall: 0 });
    app.clock.advance(8 * DAY_MS);
    await procedure('triggerCheck', {});
    await expectEvents(4);
  });

  test('are not sent while the alert is acknowledged, and are again after its end', async () => {
    await checkTwice({ overall: 0.4 });
    await expectEvents(1);
    const [{ id } = {}] = await alerts();
    const until = new Date(app.clock.now().getTime() + 10 * DAY_MS).toISOString();
    const known = { note: 'Known:\nretraining is planned.', until };
    expect(await procedure('acknowledgeAlert', { id, ...known })).toMatchObject({
      status: 'acknowledged',
      acknowledgement: { ...known, at: expect.any(String) },
    });
    expect(await alerts('?status=active')).toEqual([]);
    expect(await alerts('?status=acknowledged')).toMatchObject([{ id }]);
    app.clock.advance(9 * DAY_MS);
    await procedure('triggerCheck', {});
    await expectEvents(1);
    app.clock.advance(2 * DAY_MS);
    expect(await alerts('?status=active')).toMatchObject([{ id, acknowledgement: known }]);
    await procedure('triggerCheck', {});
    await expectEvents(2);
    expect(lastData()).toMatchObject({ reminder: true });

    await procedure('acknowledgeAlert', { id, note: 'Until it is cleared', until: null });
    app.clock.advance(100 * DAY_MS);
    await procedure('triggerCheck', {});
    await expectEvents(2);
    expect(await procedure('withdrawAcknowledgement', { id })).toMatchObject({
      status: 'active',
      acknowledgement: null,
    });
    await procedure('triggerCheck', {});
    await expectEvents(3);
    // A drift that comes back is a new alert, which is not acknowledged.
    await procedure('acknowledgeAlert', { id, note: 'Until it is cleared', until: null });
    await checkTwice({ overall: 0 });
    await checkTwice({ overall: 0.4 });
    await expectEvents(5);
    expect(await alerts()).toMatchObject([{ status: 'active' }, { id, status: 'cleared' }]);
  });

  test('by two processes at the same time are sent once', async () => {
    await checkTwice({ overall: 0.4 });
    await expectEvents(1);
    app.clock.advance(8 * DAY_MS);
    await Promise.all(Array.from({ length: 8 }, () => procedure('triggerCheck', {})));
    await expectEvents(2);
  });
});

describe('a muted feature', () => {
  const features = [
    { feature: 'age', score: 0.9, weight: 3 },
    { feature: 'plan', score: 0.1, weight: 1 },
  ];
  // The weighted mean of both features.
  const scores = { overall: 0.7, features };

  test('raises no alert and adds nothing to the score of the alerts, while its scores stay', async () => {
    await procedure('muteFeature', { feature: 'age', note: 'New form' });
    await checkTwice(scores);
    await expectEvents(0);
    expect((await procedure('triggerCheck', {})).driftScore).toBe(0.7);
    await procedure('unmuteFeature', { feature: 'age' });
    await checkTwice(scores);
    await expectEvents(2);
    expect((await alerts()).map(({ feature, score }) => [feature, score])).toEqual(
      expect.arrayContaining([
        [null, 0.7],
        ['age', 0.9],
      ]),
    );
  });

  test('is not named by alerts, and its own alert ends without a reminder', async () => {
    await checkTwice(scores);
    await expectEvents(2);
    await procedure('muteFeature', { feature: 'age' });
    app.clock.advance(8 * DAY_MS);
    // Without the muted feature, the score is 0.5.
    await checkTwice({ overall: 1, features: [{ feature: 'age', score: 0.5, weight: 1 }] });
    await receiver.waitFor(3);
    // Without the muted feature, the score is 0.1: calm, so that no further reminder is due.
    app.clock.advance(8 * DAY_MS);
    await checkTwice({ overall: 1, features: [{ feature: 'age', score: 0.9, weight: 1 }] });
    await checkTwice({ overall: 0, features: [{ feature: 'age', score: 0.1 }] });
    await expectEvents(5);
    expect(await alerts('?status=active')).toEqual([]);
    const reminders = receiver.received.filter(({ envelope }) => envelope.data.reminder);
    expect(reminders.map(({ envelope: { data } }) => [data.feature, data.score, data.features])).toEqual([
      [null, 0.5, []],
    ]);
  });

  test('of a stage is muted in its checks only, until its end', async () => {
    const until = new Date(app.clock.now().getTime() + DAY_MS).toISOString();
    const mute = { feature: 'age', stage: 'trial', until };
    expect(await procedure('muteFeature', mute)).toMatchObject({ ...mute, model: 'default', note: null });
    // A second mute of the same feature replaces the first one.
    await procedure('muteFeature', { ...mute, note: 'Trial form' });
    expect(await procedure('getMutes?stage=trial')).toMatchObject([{ ...mute, note: 'Trial form' }]);
    const inTrial = { ...scores, stages: { trial: 0.7 } };
    await checkTwice(inTrial, 'trial');
    await expectEvents(0);
    app.clock.advance(2 * DAY_MS);
    expect(await procedure('getMutes')).toEqual([]);
    await checkTwice(inTrial, 'trial');
    await expectEvents(1);
    expect(lastData()).toMatchObject({ scope: 'stage', stage: 'trial', score: 0.7 });
  });
});

test('planned changes are listed by the time range that they overlap', async () => {
  const day = (date: number) => new Date(Date.UTC(2026, 2, date)).toISOString();
  const campaign = { type: 'campaign', title: 'Spring', startsAt: day(1), endsAt: day(10) };
  const release = { type: 'release', title: 'v2', startsAt: day(20), stage: 'trial', note: 'New form' };
  await procedure('createPlannedChange', campaign);
  expect(await procedure('createPlannedChange', release)).toMatchObject({ ...release, endsAt: day(20) });
  const titles = async (query: string) =>
    ((await procedure(`getPlannedChanges?${query}`)) as unknown as Json[]).map(({ title }) => title);
  expect(await titles('')).toEqual(['v2', 'Spring']);
  expect(await titles(`since=${day(10)}&until=${day(20)}`)).toEqual(['Spring']);
  expect(await titles(`since=${day(11)}&until=${day(20)}`)).toEqual([]);
  expect(await titles(`since=${day(20)}`)).toEqual(['v2']);
  expect(await titles('stage=lead')).toEqual(['Spring']);
  expect(await titles('stage=trial&limit=1')).toEqual(['v2']);
  const invalid = { ...campaign, endsAt: day(0) };
  const { status, body } = await app.request('POST', '/api/drift.createPlannedChange', {
    key: app.admin,
    body: invalid,
  });
  expect([status, body.error?.details]).toMatchObject([422, [{ path: 'endsAt' }]]);
});

test.each([
  ['GET', 'getAlerts'],
  ['GET', 'getMutes'],
  ['GET', 'getPlannedChanges'],
  ['POST', 'acknowledgeAlert'],
  ['POST', 'withdrawAcknowledgement'],
  ['POST', 'muteFeature'],
  ['POST', 'unmuteFeature'],
  ['POST', 'createPlannedChange'],
  ['POST', 'deletePlannedChange'],
])('%s %s requires an admin key', async (method, name) => {
  const statusFor = async (key: string | null) =>
    (await app.request(method, `/api/drift.${name}`, { key })).status;
  expect(await statusFor(null)).toBe(401);
  expect(await statusFor(tenant.write)).toBe(403);
});

test('a drift that an earlier version detected is listed from the next check on', async () => {
  await checkTwice({ overall: 0.4 });
  await app.models.DriftAlert.deleteMany({});
  await procedure('triggerCheck', {});
  expect(await alerts('?status=active')).toMatchObject([{ scope: 'overall', score: 0.4 }]);
  await expectEvents(1);
});
