import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { reprojectionStore } from '../../src/features/meetings/reprojection/reprojection.store.ts';
import { eventually, type TestTenant } from '../support/app.ts';
import { plainRows } from '../support/decrypted.ts';
import { expectProtectedGraphQL } from '../support/protection.ts';
import { fathomApi, meetingJson, withMeetings } from '../support/provider.ts';
import {
  activitiesOf,
  type Connector,
  connectedTenant,
  connector,
  ended,
  startConnector,
  startSync,
  syncOf,
} from './support.ts';

const REPROJECTION = `{ activityReprojection {
  mappingVersion status total done withoutRecord skipped startedAt finishedAt
  activitiesPerMinute estimatedRemainingSeconds
} }`;
const UPDATE = `mutation ($mappings: [FieldMappingInput!]!) {
  updateRecorderFieldMapping(mappings: $mappings) { sourceField }
}`;

interface Reprojection {
  mappingVersion: number;
  status: string;
  total: number | null;
  done: number;
  withoutRecord: number;
  skipped: number;
  finishedAt: string | null;
}

const mappingTo = (target: string, source: string) => [
  { sourceField: 'id', targetField: 'externalId' },
  { sourceField: 'created_at', targetField: 'occurredAt' },
  { sourceField: source, targetField: `properties.${target}` },
];

const reprojectionOf = async ({ app }: Connector, tenant: TestTenant) =>
  (await app.graphql(REPROJECTION, {}, tenant.read)).body.data
    ?.activityReprojection as unknown as Reprojection | null;

async function update({ app }: Connector, tenant: TestTenant, mappings: unknown): Promise<void> {
  const { body } = await app.graphql(UPDATE, { mappings }, tenant.write);
  expect(body.errors).toBeUndefined();
}

const finished = (on: Connector, tenant: TestTenant) =>
  eventually(async () => {
    const found = await reprojectionOf(on, tenant);
    return found?.status !== 'running' && found;
  }, 30_000);

/** A tenant whose activities have been re-projected by a mapping of the title to the property `name`. */
async function reprojectedTenant(on: Connector): Promise<TestTenant> {
  const tenant = await connectedTenant(on.app);
  await syncOf(on.app, tenant);
  await update(on, tenant, mappingTo('name', 'title'));
  await finished(on, tenant);
  return tenant;
}

/** Makes the next check or attempt due, unless it is; returns the number of changed mappings. */
async function makeDue({ app }: Connector, { customerId }: TestTenant, changes = {}): Promise<number> {
  const { modifiedCount } = await app.models.FieldMappings.updateOne(
    { _id: customerId, 'reprojection.dueAt': { $gt: new Date() } },
    { $set: { 'reprojection.dueAt': new Date(0), ...changes } },
  );
  return modifiedCount;
}

/** A property of all activities, by the id of the meeting. */
async function propertiesOf({ app }: Connector, tenant: TestTenant, name: string) {
  const { edges } = await activitiesOf(app, tenant, { first: 100 });
  return Object.fromEntries(
    edges.map(({ node }) => [node.properties.recorderMeetingId, node.properties[name]]),
  );
}

let on: Connector;
beforeAll(async () => {
  on = await startConnector();
});
afterAll(() => on.stop());
afterEach(() => on.provider.behave('well'));

describe('a change of the mapping', () => {
  test('re-projects all activities without a request to the provider, for its tenant only', async () => {
    const [tenant, other] = [await connectedTenant(on.app), await connectedTenant(on.app)];
    await syncOf(on.app, tenant);
    await syncOf(on.app, other);
    expect(await reprojectionOf(on, tenant)).toBeNull();
    const requests = on.provider.requests.length;

    await update(on, tenant, mappingTo('link', '/recording_url'));
    expect(await finished(on, tenant)).toMatchObject({
      mappingVersion: 1,
      status: 'succeeded',
      total: 3,
      done: 3,
      withoutRecord: 0,
      skipped: 0,
      finishedAt: expect.any(String),
      activitiesPerMinute: expect.any(Number),
      estimatedRemainingSeconds: null,
    });
    expect(await propertiesOf(on, tenant, 'link')).toEqual(
      Object.fromEntries([0, 1, 2].map((n) => [`m${n}`, `https://recordings.example.com/m${n}`])),
    );
    expect(await propertiesOf(on, tenant, 'title')).toEqual({ m0: undefined, m1: undefined, m2: undefined });
    expect(await propertiesOf(on, other, 'title')).toMatchObject({ m1: 'Meeting 1' });
    expect(await reprojectionOf(on, other)).toBeNull();
    expect(on.provider.requests).toHaveLength(requests);
  });

  test('equals what a sync with that mapping stores', async () => {
    const tenant = await connectedTenant(on.app);
    const source = {
      ...meetingJson(1),
      title: '',
      started_at: '2026-10-01T09:05:00.000Z',
      odd: { list: [1, 'a', null], '~/': false, big: 1.5e300 },
    };
    on.provider.behave(withMeetings(source));
    await syncOf(on.app, tenant);
    const mapping = [
      ...mappingTo('list', '/odd/list'),
      { sourceField: '/odd/~0~1', targetField: 'properties.flag' },
      { sourceField: '/odd/big', targetField: 'properties.big' },
      { sourceField: 'started_at', targetField: 'properties.start' },
      { sourceField: 'title', targetField: 'properties.title' },
      { sourceField: 'participants[0].email', targetField: 'personExternalId' },
    ];
    await update(on, tenant, mapping);
    await finished(on, tenant);
    const read = async () => (await activitiesOf(on.app, tenant)).edges.map(({ node }) => node);
    const projected = await read();
    expect(projected[0]?.properties).toMatchObject({ list: '[1,"a",null]', flag: false, big: 1.5e300 });
    await syncOf(on.app, tenant);
    expect(await read()).toEqual(projected);
  });

  test('supersedes the re-projection by an earlier one', async () => {
    const tenant = await connectedTenant(on.app);
    await syncOf(on.app, tenant);
    await Promise.all([1, 2, 3].map((n) => update(on, tenant, mappingTo(`name${n}`, 'title'))));
    await update(on, tenant, mappingTo('last', 'title'));
    expect(await finished(on, tenant)).toMatchObject({ mappingVersion: 4, status: 'succeeded', done: 3 });
    expect(await propertiesOf(on, tenant, 'last')).toMatchObject({ m0: 'Meeting 0', m2: 'Meeting 2' });
    for (const n of [1, 2, 3])
      expect(await propertiesOf(on, tenant, `name${n}`)).toMatchObject({ m0: undefined });
  });

  test('counts meetings whose record is not stored, and gives their known fields', async () => {
    const tenant = await connectedTenant(on.app);
    await syncOf(on.app, tenant);
    const { MeetingProviderRecord, Meeting } = on.app.models;
    const { customerId } = tenant;
    await MeetingProviderRecord.deleteOne({ customerId, _id: `${customerId}:m1` });
    await Meeting.deleteOne({ customerId, _id: `${customerId}:m2` });
    await update(on, tenant, [
      ...mappingTo('link', '/recording_url'),
      { sourceField: 'title', targetField: 'properties.name' },
    ]);
    expect(await finished(on, tenant)).toMatchObject({
      status: 'succeeded',
      total: 3,
      done: 3,
      withoutRecord: 1,
      skipped: 1,
    });
    expect(await propertiesOf(on, tenant, 'link')).toMatchObject({ m1: null });
    expect(await propertiesOf(on, tenant, 'name')).toMatchObject({ m0: 'Meeting 0', m1: 'Meeting 1' });
  });

  test('during a sync leaves no activity of the previous mapping', async () => {
    const many = await connector({ count: 300 });
    const tenant = await connectedTenant(many.app);
    many.provider.behave({ delayMs: 150 });
    const { id } = await startSync(many.app, tenant);
    let changes = 0;
    const run = ended(many.app, tenant, id, 60_000);
    let isOver = false;
    void run.then(() => {
      isOver = true;
    });
    while (!isOver) {
      changes += 1;
      await sleep(150);
      await update(many, tenant, mappingTo(`v${changes}`, 'title'));
    }
    expect(await run).toMatchObject({ status: 'succeeded', stored: 300 });
    await finished(many, tenant);
    const { customerId } = tenant;
    const { MeetingActivity } = many.app.models;
    expect(await MeetingActivity.countDocuments({ customerId })).toBe(300);
    const current = () => MeetingActivity.countDocuments({ customerId, mappingVersion: changes });
    expect(await eventually(async () => (await current()) === 300, 70_000)).toBe(true);
    const [newest] = await plainRows(many.app, MeetingActivity.find({ customerId }).limit(1));
    expect(Object.keys(newest?.properties ?? {})).toContain(`v${changes}`);
  });

  test('is repaired for an activity that a killed process left behind', async () => {
    const tenant = await reprojectedTenant(on);
    const { MeetingActivity } = on.app.models;
    const { customerId } = tenant;
    await MeetingActivity.updateOne(
      { customerId, _id: `${customerId}:m1` },
      { $set: { mappingVersion: 0, properties: { recorderMeetingId: 'm1' } } },
    );
    expect(await makeDue(on, tenant)).toBe(1);
    await eventually(async () => (await propertiesOf(on, tenant, 'name')).m1 === 'Meeting 1', 20_000);
  });

  test('is attempted again after it failed, until it succeeds', async () => {
    const tenant = await connectedTenant(on.app);
    await syncOf(on.app, tenant);
    const { MeetingActivity, FieldMappings } = on.app.models;
    const { customerId: _id } = tenant;
    const setValidator = (validator: object) =>
      MeetingActivity.db.db?.command({ collMod: MeetingActivity.collection.collectionName, validator });
    const nextAttemptIn = async () => {
      const { reprojection } = (await FieldMappings.findOne({ _id }).lean()) ?? {};
      return (reprojection?.dueAt?.getTime() ?? 0) - Date.now();
    };
    /** Waits for the end of a failed attempt that the next one follows after more than an interval. */
    const failedAgain = (intervalMs: number) =>
      eventually(
        async () =>
          (await nextAttemptIn()) > intervalMs &&
          FieldMappings.exists({ _id, 'reprojection.token': { $exists: false } }),
        20_000,
      );
    await setValidator({ $nor: [{ customerId: _id, mappingVersion: 1 }] });
    onTestFinished(async () => {
      await setValidator({});
    });
    await update(on, tenant, mappingTo('refused', 'title'));
    await eventually(async () => (await makeDue(on, tenant, { 'reprojection.claims': 4 })) === 1);
    const failed = await finished(on, tenant);
    expect(failed).toMatchObject({ status: 'failed', done: 0, finishedAt: expect.any(String) });

    const firstIntervalMs = await nextAttemptIn();
    expect(firstIntervalMs).toBeGreaterThan(40_000);
    expect(firstIntervalMs).toBeLessThanOrEqual(60_000);
    expect(await makeDue(on, tenant)).toBe(1);
    // The intervals grow.
    await failedAgain(60_000);
    expect(await reprojectionOf(on, tenant)).toEqual(failed);
    expect(await makeDue(on, tenant, { 'reprojection.claims': 50 })).toBe(1);
    await failedAgain(59 * 60_000);
    expect(await nextAttemptIn()).toBeLessThanOrEqual(60 * 60_000);

    await setValidator({});
    expect(await makeDue(on, tenant)).toBe(1);
    const succeeded = await eventually(async () => {
      const found = await reprojectionOf(on, tenant);
      return found?.status === 'succeeded' && found;
    }, 20_000);
    expect(succeeded).toMatchObject({ total: 3, done: 3 });
    expect(Date.parse(String(succeeded.finishedAt))).toBeGreaterThan(Date.parse(String(failed.finishedAt)));
    expect(await propertiesOf(on, tenant, 'refused')).toMatchObject({ m0: 'Meeting 0', m2: 'Meeting 2' });
  });

  test('fails without a further attempt if its processes were killed, and is attempted again', async () => {
    const tenant = await reprojectedTenant(on);
    const { MeetingActivity } = on.app.models;
    const { customerId } = tenant;
    await MeetingActivity.updateMany({ customerId }, { $set: { mappingVersion: 0 } });
    expect(await makeDue(on, tenant, { 'reprojection.status': 'running', 'reprojection.claims': 5 })).toBe(1);
    expect(await finished(on, tenant)).toMatchObject({ status: 'failed' });
    expect(await MeetingActivity.countDocuments({ customerId, mappingVersion: 0 })).toBe(3);
    expect(await makeDue(on, tenant)).toBe(1);
    await eventually(async () => (await reprojectionOf(on, tenant))?.status === 'succeeded', 20_000);
    expect(await MeetingActivity.countDocuments({ customerId, mappingVersion: 0 })).toBe(0);
  });

  test('that failed under an earlier version of the service is attempted again after a start', async () => {
    const service = await connector();
    const tenant = await reprojectedTenant(service);
    const { customerId } = tenant;
    const { FieldMappings } = service.app.models;
    await FieldMappings.updateOne(
      { _id: customerId },
      { $set: { 'reprojection.status': 'failed', 'reprojection.dueAt': null } },
    );
    const { requeueFailed } = reprojectionStore(service.app.models, service.app.clock);
    expect((await requeueFailed()).modifiedCount).toBe(1);
    expect((await requeueFailed()).modifiedCount).toBe(0);
    await eventually(async () => (await reprojectionOf(service, tenant))?.status === 'succeeded', 20_000);
  });

  test('is published, and requires authentication', async () => {
    await expectProtectedGraphQL(on.app, REPROJECTION, {}, []);
    const tenant = await connectedTenant(on.app);
    await syncOf(on.app, tenant);
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const response = await fetch(`${on.app.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tenant.read}`,
        accept: 'text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        query: 'subscription { activityReprojectionProgress { mappingVersion status done total } }',
      }),
      signal: AbortSignal.any([stop.signal, AbortSignal.timeout(90_000)]),
    });
    await update(on, tenant, mappingTo('name', 'title'));
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes('"succeeded"')) break;
    }
    expect(text).toContain('"mappingVersion":1,"status":"running","done":0,"total":null');
    expect(text).toContain('"mappingVersion":1,"status":"succeeded","done":3,"total":3');
  });
});

test('activities of Fathom are re-projected as well', async () => {
  const api = fathomApi({ limits: { light: 1_000, heavy: 1_000 } });
  const fathom = await connector({ count: 3, api }, { RECORDER_PROVIDER: 'fathom' });
  const tenant = await connectedTenant(fathom.app);
  await syncOf(fathom.app, tenant);
  const requests = fathom.provider.requests.length;
  await update(fathom, tenant, mappingTo('firstInvitee', '/calendar_invitees/0/is_external'));
  expect(await finished(fathom, tenant)).toMatchObject({ status: 'succeeded', done: 3, withoutRecord: 0 });
  expect(Object.values(await propertiesOf(fathom, tenant, 'firstInvitee'))).toEqual(
    Array(3).fill(expect.any(Boolean)),
  );
  expect(fathom.provider.requests).toHaveLength(requests);
});
