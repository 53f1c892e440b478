import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { runJob } from '../support/jobs.ts';
import { readMetrics } from '../support/metrics.ts';
import { appOfTest } from '../support/test-scoped.ts';
import { endpointsPath } from '../webhooks/support.ts';

let app: TestApp;
let tenant: TestTenant;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());
beforeEach(async () => {
  await app.models.AuditIntent.deleteMany();
  await app.models.AuditEntry.deleteMany({ log: { $ne: 0 } });
  await collection('auditEntries').deleteMany({ log: { $not: { $eq: 0 } } });
  await collection('auditHeads').deleteMany({ _id: { $ne: 0 } as never });
  tenant = await app.newTenant();
  for (let i = 0; i < 4; i += 1) await act(tenant);
});

const collection = (name: string) => app.models.AuditEntry.db.collection(name);

const act = (actor: TestTenant) =>
  app.request('POST', endpointsPath(actor.customerId), {
    key: actor.write,
    body: { url: 'https://receiver.example.com/hooks' },
  });

/** Changes an entry without the rules of the model. */
const change = (update: object) =>
  collection('auditEntries').updateOne({ log: tenant.customerId, sequence: 2 }, update);

const idOf = async (sequence: number) =>
  String((await collection('auditEntries').findOne({ log: tenant.customerId, sequence }))?._id);

/** Inserts a copy of an entry with other members. */
async function insert(members: object) {
  const { _id, ...copy } =
    (await collection('auditEntries').findOne({ log: tenant.customerId, sequence: 2 })) ?? expect.fail();
  await collection('auditEntries').insertOne({ ...copy, ...members });
}

const LOG = `{ auditLog(first: 50) { edges { node { id sequence at action outcome count hash before after
  clientAddress requestId actor { type id name } target { type id } } } } }`;

async function expectReadable(): Promise<void> {
  const { body } = await app.graphql(LOG, {}, tenant.read);
  expect(body).not.toHaveProperty('errors');
  for await (const entry of app.services.audit.all(tenant.customerId)) expect(entry.id).toBeTruthy();
}

describe('a verification names an entry', () => {
  test.each<[string, object]>([
    ['whose time is a text', { $set: { at: 'yesterday' } }],
    ['without an actor', { $unset: { actor: 1 } }],
    ['whose actor has a further member', { $set: { 'actor.note': 'x' } }],
    ['with a further member', { $set: { note: 'x' } }],
    ['without a target', { $set: { target: null } }],
    ['whose state is not JSON', { $set: { before: '{', after: 7 } }],
    ['whose hash is a number', { $set: { hash: 7 } }],
  ])('%s, and lists show it', async (_, update) => {
    const entryId = await idOf(2);
    await change(update);
    const { findings } = await app.services.audit.verify(tenant.customerId);
    expect(findings).toEqual([{ customerId: tenant.customerId, problem: 'altered', sequence: 2, entryId }]);
    await expectReadable();
  });

  test.each<[string, object, string]>([
    ['with a text as its id', { _id: 'planted', sequence: 9 }, 'inserted'],
    ['with a text as its position', { _id: 'planted', sequence: 'x' }, 'inserted'],
    ['without a position', { _id: 'planted', sequence: null }, 'inserted'],
    ['with a position between two', { _id: 'planted', sequence: 2.5 }, 'inserted'],
    ['with several positions', { _id: 'planted', sequence: [77, 78] }, 'inserted'],
    ['before the first', { _id: 'planted', sequence: -1 }, 'inserted'],
    ['of a log that is none', { _id: 'planted', log: 'x' }, 'inserted'],
  ])('%s, and lists pass over it', async (_, members, problem) => {
    await insert(members);
    const { findings } = await app.services.audit.verify();
    expect(findings).toContainEqual(expect.objectContaining({ problem, entryId: 'planted' }));
    await expectReadable();
  });
});

describe('a log', () => {
  test.each<[string, object, object]>([
    ['whose key was changed', { $set: { key: 'x' } }, { problem: 'key_unreadable', sequence: null }],
    ['whose key is no text', { $set: { key: 7 } }, { problem: 'key_unreadable', sequence: null }],
    ['whose position is a text', { $set: { sequence: 'x' } }, { problem: 'altered', sequence: 0 }],
    ['whose checkpoint is a text', { $set: { checkpoint: 'x', hash: null } }, { problem: 'altered' }],
  ])('%s is a finding, and another log is verified', async (_, update, finding) => {
    const other = await app.newTenant();
    await act(other);
    await collection('auditHeads').updateOne({ _id: tenant.customerId as never }, update);
    await collection('auditEntries').deleteOne({ log: other.customerId });
    const { findings } = await app.services.audit.verify();
    expect(findings).toContainEqual(expect.objectContaining({ customerId: tenant.customerId, ...finding }));
    expect(findings).toContainEqual(
      expect.objectContaining({ customerId: other.customerId, problem: 'removed', sequence: 1 }),
    );
  });

  test('without its head is a finding, before and after a further act, and the acts of others are recorded', async () => {
    const other = await app.newTenant();
    const { customerId } = tenant;
    const head =
      (await collection('auditHeads').findOneAndDelete({ _id: customerId as never })) ?? expect.fail();
    const removed = [{ customerId, problem: 'head_removed', sequence: null, entryId: null }];
    expect((await app.services.audit.verify(customerId)).findings).toEqual(removed);
    expect((await act(tenant)).status).toBe(201);
    expect((await app.services.audit.verify()).findings).toEqual(removed);

    const { _id, ...intent } =
      (await collection('auditIntents').findOne({ log: customerId })) ?? expect.fail();
    await collection('auditIntents').insertOne({ ...intent, log: other.customerId });
    app.clock.advance(16 * 60_000);
    await runJob(app, 'audit.sweep');
    expect((await app.services.audit.verify(other.customerId)).entries).toBe(1);

    await collection('auditHeads').insertOne(head);
    await runJob(app, 'audit.sweep');
    expect(await app.services.audit.verify(customerId)).toEqual({ entries: 5, findings: [] });
  });

  test('whose last entry and head were changed stays a finding after further acts', async () => {
    const { customerId } = tenant;
    await collection('auditEntries').deleteOne({ log: customerId, sequence: 4 });
    const last = await collection('auditEntries').findOne({ log: customerId, sequence: 3 });
    await collection('auditHeads').updateOne(
      { _id: customerId as never },
      { $set: { sequence: 3, hash: last?.hash } },
    );
    await act(tenant);
    const { entries, findings } = await app.services.audit.verify(customerId);
    expect(entries).toBe(4);
    expect(findings).toEqual([{ customerId, problem: 'altered', sequence: 4, entryId: null }]);
  });
});

describe('a head that was restored from a backup', () => {
  const headOf = async () =>
    (await collection('auditHeads').findOne({ _id: tenant.customerId as never })) ?? expect.fail();
  const restore = (backup: object) =>
    collection('auditHeads').replaceOne({ _id: tenant.customerId as never }, backup);
  const verified = () => app.services.audit.verify(tenant.customerId);

  test('is a finding until the next act, which is recorded after the entries that are chained to it', async () => {
    const { customerId } = tenant;
    const backup = await headOf();
    for (let i = 0; i < 3; i += 1) await act(tenant);
    const entries = await app.models.AuditEntry.find({ log: customerId }).lean();
    await restore(backup);
    const behind = { customerId, problem: 'head_behind', sequence: 4, entryId: null };
    expect(await verified()).toEqual({ entries: 7, findings: [behind] });
    await act(tenant);
    expect(await verified()).toEqual({ entries: 8, findings: [] });
    expect((await headOf()).sequence).toBe(8);
    const anchors = entries.map(({ sequence, hash }) => ({ customerId, sequence, hash, writtenAfter: null }));
    expect(await app.services.audit.compareAnchors(anchors)).toEqual({ findings: [], removed: 0 });
    await Promise.all([act(tenant), act(tenant)]);
    expect(await verified()).toEqual({ entries: 10, findings: [] });
    expect(await app.models.AuditIntent.countDocuments({ log: customerId })).toBe(0);
  });

  test('without its signature stays a finding, and acts are recorded', async () => {
    const second = await collection('auditEntries').findOne({ log: tenant.customerId, sequence: 2 });
    await restore({ ...(await headOf()), sequence: 2, hash: second?.hash });
    expect((await verified()).findings).toMatchObject([
      { problem: 'head_behind', sequence: 2 },
      { problem: 'altered', sequence: 2 },
    ]);
    await act(tenant);
    const { entries, findings } = await verified();
    expect(entries).toBe(5);
    expect(findings).toMatchObject([{ problem: 'altered', sequence: 5 }]);
  });

  test('adopts no entry after one that was removed, and records the acts once that is restored', async () => {
    const { customerId } = tenant;
    const backup = await headOf();
    for (let i = 0; i < 3; i += 1) await act(tenant);
    const removed = await collection('auditEntries').findOneAndDelete({ log: customerId, sequence: 5 });
    await restore(backup);
    const isMissing = { customerId, problem: 'removed', sequence: 5, entryId: null };
    expect(await verified()).toEqual({ entries: 6, findings: [isMissing] });
    await act(tenant);
    expect(await verified()).toEqual({ entries: 6, findings: [isMissing] });
    expect(await app.models.AuditIntent.countDocuments({ log: customerId })).toBe(1);

    await collection('auditEntries').insertOne(removed ?? expect.fail());
    app.clock.advance(16 * 60_000);
    await runJob(app, 'audit.sweep');
    expect(await verified()).toEqual({ entries: 8, findings: [] });
  });

  test('of another state of the log is a finding', async () => {
    const { customerId } = tenant;
    const backup = await headOf();
    await collection('auditEntries').deleteOne({ log: customerId, sequence: 4 });
    const third = await collection('auditEntries').findOne({ log: customerId, sequence: 3 });
    const head = { sequence: 3, hash: third?.hash };
    await collection('auditHeads').updateOne({ _id: customerId as never }, { $set: head });
    await act(tenant);
    await restore(backup);
    expect((await verified()).findings).toMatchObject([{ problem: 'altered', sequence: 4 }]);
  });
});

test('a log whose entries were removed with its head begins again, with a key of its own', async () => {
  const { customerId } = tenant;
  await collection('auditHeads').deleteOne({ _id: customerId as never });
  await act(tenant);
  await collection('auditEntries').deleteMany({ log: customerId });
  app.clock.advance(16 * 60_000);
  await runJob(app, 'audit.sweep');
  await act(tenant);
  expect(await app.services.audit.verify(customerId)).toEqual({ entries: 2, findings: [] });
});

test('the hourly verification reaches the health and the metrics, also with a log that cannot be verified', async () => {
  await collection('auditHeads').updateOne({ _id: tenant.customerId as never }, { $set: { key: 'x' } });
  await runJob(app, 'audit.verify');
  expect((await app.services.audit.lastVerification())?.findings).toBe(1);
  await eventually(async () => (await readMetrics(app)).value('engagement_audit_findings') === 1);
});

test('the metrics of every process show the stored verification, also after a restart', async () => {
  const env = { MONGODB_URI: freshDatabase(), CONNECTOR_ENCRYPTION_KEY: 'ab'.repeat(32) };
  const first = await appOfTest(env);
  const second = await appOfTest(env);
  const { customerId } = await first.newTenant();
  const perform = (log: number | null) =>
    first.services.audit.perform(
      {
        ...{ customerId: log, action: 'updateTenant', clientAddress: null, requestId: null },
        actor: { type: 'cli', id: 'ada', name: null, prefix: null },
        target: { type: 'tenant', id: null },
      },
      async () => {},
      () => ({ target: { type: 'tenant', id: null }, before: null, after: null }),
    );
  await perform(customerId);
  const show = (apps: TestApp[], name: string, value: number) =>
    eventually(async () => {
      for (const each of apps) if ((await readMetrics(each)).value(name) !== value) return false;
      return true;
    }, 30_000);
  const { AuditHead } = first.models;
  const head = (await AuditHead.findById(customerId).lean()) ?? expect.fail();
  await AuditHead.updateOne({ _id: customerId }, { $set: { key: 'x' } });
  await runJob(first, 'audit.verify');
  await show([first, second], 'engagement_audit_findings', 1);
  await AuditHead.updateOne({ _id: customerId }, { $set: { key: head.key } });
  await second.services.audit.verify();
  await show([first, second], 'engagement_audit_findings', 0);

  const third = await appOfTest(env);
  const { verification } = (await AuditHead.findById(0).lean()) ?? expect.fail();
  const { at } = verification ?? expect.fail();
  await show([first, second, third], 'engagement_audit_verified_timestamp_seconds', at.getTime() / 1000);
  // A result that the service has not signed counts as none.
  const forged = new Date('2099-01-31T09:00:00Z');
  await AuditHead.updateOne({ _id: 0 }, { $set: { 'verification.at': forged } });
  await eventually(async () => {
    const shown = (await readMetrics(third)).value('engagement_audit_verified_timestamp_seconds');
    return shown !== at.getTime() / 1000 && Number(shown) < forged.getTime() / 1000;
  }, 30_000);
  await perform(null);
  await AuditHead.deleteOne({ _id: 0 });
  await show([first, third], 'engagement_audit_findings', 1);
});
