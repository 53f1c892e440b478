import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AuditDeps, auditService } from '../../src/features/audit/audit.service.ts';
import { auditStore } from '../../src/features/audit/audit.store.ts';
import { conversationErasure } from '../../src/features/conversations/conversation-erasure.store.ts';
import { conversationRetention } from '../../src/features/conversations/conversation-retention.store.ts';
import { importStore } from '../../src/features/conversations/import/import.store.ts';
import { outboxEventStore } from '../../src/features/outbox/outbox-event.store.ts';
import { NO_ENCRYPTION } from '../../src/features/privacy/field-encryption.ts';
import {
  RETENTION_KINDS,
  type RetentionKind,
  type RetentionStep,
} from '../../src/features/privacy/retention-step.ts';
import type { ClaimedPolicy } from '../../src/features/retention/retention-policy.model.ts';
import { retentionPolicyStore } from '../../src/features/retention/retention-policy.store.ts';
import { createRetentionWork } from '../../src/features/retention/retention-work.ts';
import { queueStore } from '../../src/features/webhooks/delivery/queue.store.ts';
import { createEventRetention } from '../../src/features/webhooks/delivery/sweep/retention.ts';
import { createCipher } from '../../src/platform/cipher.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { ENCRYPTION_KEY } from '../privacy/privacy-support.ts';
import { eventually, type Json, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { plainRows } from '../support/decrypted.ts';
import { runJob } from '../support/jobs.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import { deliveriesOf, deliveryLike, listening, postConversion } from '../webhooks/support.ts';

const DAY = 24 * 60 * 60_000;
let app: TestApp;

beforeAll(async () => {
  app = await startApp({ DELIVERY_RETENTION: '400d', CONNECTOR_ENCRYPTION_KEY: ENCRYPTION_KEY });
});
afterAll(() => app.stop());

const FIELDS = `${RETENTION_KINDS.join(' ')} updatedAt lastRunAt removed { ${RETENTION_KINDS.join(' ')} }`;
const READ = `{ retention { ${FIELDS} } }`;
const UPDATE = `mutation ($input: UpdateRetentionInput!) { updateRetention(input: $input) { ${FIELDS} } }`;
const START = 'mutation { startConversation(input: { visitorId: "v_kept" }) { id } }';
const APPEND =
  'mutation ($id: ID!) { appendMessages(conversationId: $id, messages: [{ role: visitor, text: "planted words" }]) { id } }';
const TIMELINE = 'query ($id: ID!) { conversation(id: $id) { id events { id event payload } } }';

type Times = Partial<Record<RetentionKind, number | null>>;

const pathOf = ({ customerId }: TestTenant) => `/api/v1/customers/${customerId}/retention`;
const adminHeaders = ({ customerId }: TestTenant) => ({ 'x-customer-id': String(customerId) });
const codeOf = ({ body }: { body: Json }) =>
  (body.errors as unknown as { extensions: { code: string; details?: { path: string }[] } }[])?.[0]
    ?.extensions;

const update = (tenant: TestTenant, input: Times) =>
  app.request('PATCH', pathOf(tenant), { key: tenant.write, body: input });

async function start(tenant: TestTenant): Promise<string> {
  const { body } = await app.graphql(START, {}, tenant.write);
  return String(body.data?.startConversation?.id);
}

/** Waits for the end of a run that began after now, and returns what it removed. */
async function removedBy(tenant: TestTenant): Promise<Record<RetentionKind, number>> {
  app.clock.advance(1_000);
  const since = app.clock.now();
  await app.models.RetentionPolicy.updateOne(
    { customerId: tenant.customerId },
    { $set: { 'lease.expiresAt': new Date(0) } },
  );
  await runJob(app, 'privacy.retain');
  const { removed } = await eventually(async () => {
    const policy = await app.models.RetentionPolicy.findOne({ customerId: tenant.customerId }).lean();
    return policy?.lastRunAt && policy.lastRunAt >= since ? policy : null;
  });
  return removed as Record<RetentionKind, number>;
}

const countOf = (name: 'Conversation' | 'Message' | 'Event' | 'ArchivedEvent', { customerId }: TestTenant) =>
  (app.models[name].countDocuments as (filter: object) => Promise<number>)({ customerId });

describe('retention times', () => {
  test('are protected', async () => {
    const tenant = await app.newTenant();
    await expectProtectedGraphQL(app, READ, {}, []);
    await expectProtectedGraphQL(app, UPDATE, { input: { conversations: 9 } }, [tenant.read]);
    const path = pathOf(tenant);
    await expectProtected(app, { method: 'GET', path, scope: 'read' }, tenant);
    await expectProtected(app, { method: 'PATCH', path, scope: 'write', body: { conversations: 9 } }, tenant);
  });

  test('are none until they are set, and then those that are named change', async () => {
    const tenant = await app.newTenant();
    const { body: none } = await app.request('GET', pathOf(tenant), { key: tenant.read });
    expect(none).toMatchObject({ conversations: null, auditLog: null, updatedAt: null, lastRunAt: null });
    await update(tenant, { conversations: 365, transcripts: 30 });
    const { body } = await app.graphql(UPDATE, { input: { transcripts: null, meetings: 2 } }, tenant.write);
    expect(body.data?.updateRetention).toMatchObject({ conversations: 365, transcripts: null, meetings: 2 });
    const other = await app.newTenant();
    expect((await app.graphql(READ, {}, other.read)).body.data?.retention).toMatchObject({ meetings: null });
  });

  test.each([
    [{ conversations: 0 }, 'conversations'],
    [{ conversations: 36_501 }, 'conversations'],
    [{ meetings: 1.5, transcripts: 9 }, 'meetings'],
    [{ conversations: 30, eventsAndDeliveries: 401 }, 'eventsAndDeliveries'],
  ])('%j is a 422, and nothing changes', async (input, path) => {
    const tenant = await app.newTenant();
    const answer = await update(tenant, input);
    expect(answer.status).toBe(422);
    const error = answer.body.error as unknown as { details: { path: string }[] };
    expect(error.details.map((detail) => detail.path)).toEqual([expect.stringContaining(path)]);
    const { body } = await app.graphql(UPDATE, { input }, tenant.write);
    if (path === 'eventsAndDeliveries')
      expect(codeOf({ body })?.details).toMatchObject([{ path: `input.${path}` }]);
    expect(await app.models.RetentionPolicy.exists({ customerId: tenant.customerId })).toBeNull();
  });

  test('stay as they are without a member, as in every PATCH, and no run is due', async () => {
    const tenant = await app.newTenant();
    const none = await app.request('GET', pathOf(tenant), { key: tenant.read });
    expect(await update(tenant, {})).toMatchObject({ status: 200, body: none.body });
    expect(await app.models.RetentionPolicy.exists({ customerId: tenant.customerId })).toBeNull();
    const { body: set } = await update(tenant, { conversations: 365 });
    app.clock.advance(1_000);
    expect(await update(tenant, {})).toMatchObject({ status: 200, body: set });
  });

  test('of the audit log are changed by an admin key only', async () => {
    const tenant = await app.newTenant();
    expect((await update(tenant, { auditLog: 30 })).status).toBe(403);
    expect(codeOf(await app.graphql(UPDATE, { input: { auditLog: null } }, tenant.write))?.code).toBe(
      'FORBIDDEN',
    );
    const input = { auditLog: 30 };
    const { body } = await app.graphql(UPDATE, { input }, app.admin, adminHeaders(tenant));
    expect(body.data?.updateRetention).toMatchObject({ auditLog: 30 });
  });

  test('that change are an act of the audit log', async () => {
    const tenant = await app.newTenant();
    await update(tenant, { conversations: 365 });
    await update(tenant, { conversations: 30, meetings: 60 });
    const entries = await app.models.AuditEntry.find({ log: tenant.customerId }).sort({ sequence: 1 }).lean();
    expect(entries).toMatchObject([{ action: 'updateRetention' }, { action: 'updateRetention' }]);
    expect(JSON.parse(String(entries[1]?.before))).toEqual({ conversations: 365, meetings: null });
    expect(JSON.parse(String(entries[1]?.after))).toEqual({ conversations: 30, meetings: 60 });
  });
});

describe('a preview', () => {
  const PREVIEW = `query ($days: Int, $events: Int) {
    retentionPreview(conversations: $days, eventsAndDeliveries: $events) { ${RETENTION_KINDS.join(' ')} } }`;

  test('is protected', async () => {
    const tenant = await app.newTenant();
    await expectProtectedGraphQL(app, PREVIEW, {}, []);
    await expectProtected(app, { method: 'GET', path: `${pathOf(tenant)}/preview`, scope: 'read' }, tenant);
  });

  test('counts what the times would remove, and removes nothing', async () => {
    const tenant = await app.newTenant();
    await start(tenant);
    app.clock.advance(20 * DAY);
    await start(tenant);
    app.clock.advance(11 * DAY);
    const counts = async (query: string) =>
      (await app.request('GET', `${pathOf(tenant)}/preview${query}`, { key: tenant.read })).body;
    expect(await counts('')).toMatchObject({ conversations: 0, meetings: 0 });
    expect(await counts('?conversations=30')).toMatchObject({ conversations: 1 });
    expect(await counts('?conversations=10')).toMatchObject({ conversations: 2 });
    await update(tenant, { conversations: 40 });
    expect(await counts('')).toMatchObject({ conversations: 0 });
    const { body } = await app.graphql(PREVIEW, { days: 30 }, tenant.read);
    expect(body.data?.retentionPreview).toMatchObject({ conversations: 1, eventsAndDeliveries: 0 });
    expect(await countOf('Conversation', tenant)).toBe(2);
    expect((await app.graphql(PREVIEW, { days: 1 }, (await app.newTenant()).read)).body.data).toMatchObject({
      retentionPreview: { conversations: 0 },
    });
  });

  test('refuses times that could not be set', async () => {
    const tenant = await app.newTenant();
    for (const query of ['conversations=0', 'eventsAndDeliveries=401', 'meetings=x', 'unknown=1'])
      expect(
        (await app.request('GET', `${pathOf(tenant)}/preview?${query}`, { key: tenant.read })).status,
      ).toBe(422);
  });
});

describe('a run', () => {
  test('removes conversations without activity, with all that belongs to them', async () => {
    const tenant = await app.newTenant();
    const old = await start(tenant);
    await app.graphql(APPEND, { id: old }, tenant.write);
    const active = await start(tenant);
    app.clock.advance(31 * DAY);
    await app.graphql(APPEND, { id: active }, tenant.write);
    const fresh = await start(tenant);
    await update(tenant, { conversations: 30 });
    expect(await removedBy(tenant)).toEqual({ conversations: 1 });
    const left = await app.models.Conversation.find({ customerId: tenant.customerId }).lean();
    expect(left.map(({ _id }) => _id.toHexString()).toSorted()).toEqual([active, fresh].toSorted());
    expect(await countOf('Message', tenant)).toBe(1);
    expect(await countOf('Event', tenant)).toBe(2);
    const { body } = await app.graphql(READ, {}, tenant.read);
    expect(body.data?.retention).toMatchObject({
      lastRunAt: expect.any(String),
      removed: { conversations: 1, meetings: 0 },
    });
  });

  test('leaves the data of other customers, and what has no retention time', async () => {
    const [tenant, other] = [await app.newTenant(), await app.newTenant()];
    await start(tenant);
    await start(other);
    app.clock.advance(31 * DAY);
    await update(tenant, { meetings: 30 });
    await update(other, { conversations: 32 });
    expect(await removedBy(tenant)).toEqual({});
    expect(await removedBy(other)).toEqual({});
    expect(await countOf('Conversation', tenant)).toBe(1);
    expect(await countOf('Conversation', other)).toBe(1);
  });

  test('removes events with their deliveries, and keeps the timeline of the conversation', async () => {
    const { tenant, endpoint } = await listening(app);
    const id = await start(tenant);
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    const { body: before } = await app.graphql(TIMELINE, { id }, tenant.read);
    expect(before.data?.conversation?.events).toHaveLength(1);
    app.clock.advance(15 * DAY);
    await update(tenant, { eventsAndDeliveries: 14 });
    expect((await removedBy(tenant)).eventsAndDeliveries).toBe(2);
    expect(await countOf('Event', tenant)).toBe(0);
    expect(await deliveriesOf(app, tenant, endpoint)).toEqual([]);
    const { body: after } = await app.graphql(TIMELINE, { id }, tenant.read);
    expect(after.data?.conversation).toEqual(before.data?.conversation);

    await app.graphql('mutation ($id: ID!) { deleteConversation(id: $id) { id } }', { id }, tenant.write);
    expect(await countOf('ArchivedEvent', tenant)).toBe(0);
  });

  test('keeps nothing of a conversation that is removed while its events are archived', async () => {
    const tenant = await app.newTenant();
    await start(tenant);
    await app.models.Conversation.deleteMany({ customerId: tenant.customerId });
    app.clock.advance(15 * DAY);
    await update(tenant, { eventsAndDeliveries: 14 });
    expect(await removedBy(tenant)).toEqual({ eventsAndDeliveries: 1 });
    expect(await countOf('ArchivedEvent', tenant)).toBe(0);
  });

  test('keeps an event whose delivery ended within the time', async () => {
    const { tenant, endpoint } = await listening(app);
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    app.clock.advance(13 * DAY);
    await update(tenant, { eventsAndDeliveries: 14 });
    expect(await removedBy(tenant)).toEqual({});
    expect(await deliveriesOf(app, tenant, endpoint)).toHaveLength(1);
  });

  test('keeps an event whose delivery is open again after it was found', async () => {
    const { tenant, endpoint } = await listening(app);
    await postConversion(app, tenant);
    const { eventId } = await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    app.clock.advance(15 * DAY);
    const events = outboxEventStore(app.models, NO_ENCRYPTION);
    const { ofTenant } = createEventRetention({
      events,
      queue: queueStore({ Delivery: app.models.Delivery, events, encryption: NO_ENCRYPTION }),
      keepInTimelines: async () => new Set(),
      removeFromLog: async () => {},
      repair: async () => {},
      clock: app.clock,
      log: createLogger('silent'),
      retentionMs: 400 * DAY,
    });
    const before = new Date(app.clock.now().getTime() - 14 * DAY);
    const { ids } = await ofTenant.find(tenant, before, null);
    expect(ids).toContain(eventId);
    const { customerId } = tenant;
    await app.models.Delivery.updateMany({ customerId }, { $set: { status: 'retrying' } });
    expect(await ofTenant.remove(tenant, [eventId], before)).toBe(0);
    expect(await app.models.Event.exists({ customerId, _id: eventId })).not.toBeNull();
  });

  test('removes events of custom types', async () => {
    const tenant = await app.newTenant();
    const send = () =>
      app.request('POST', '/v1/events', {
        key: tenant.write,
        body: { type: 'page_view', visitor_id: 'v_1' },
      });
    await send();
    app.clock.advance(31 * DAY);
    await send();
    await update(tenant, { previewEvents: 30 });
    expect(await removedBy(tenant)).toEqual({ previewEvents: 1 });
    expect(await app.models.PreviewEvent.countDocuments({ customerId: tenant.customerId })).toBe(1);
  });

  test('leaves a conversation that became active after it was found', async () => {
    const tenant = await app.newTenant();
    const ids = [await start(tenant), await start(tenant), await start(tenant)];
    const [written = '', ended = '', idle = ''] = ids;
    app.clock.advance(31 * DAY);
    const step = conversationRetention({
      models: app.models,
      ...conversationErasure(app.models, {
        ...{ dependants: [], encryption: NO_ENCRYPTION },
        imports: { ...importStore(app.models, NO_ENCRYPTION), isRunning: async () => false },
      }),
    });
    const before = new Date(app.clock.now().getTime() - 30 * DAY);
    expect((await step.find(tenant, before, null)).ids.toSorted()).toEqual(ids.toSorted());
    await app.graphql(APPEND, { id: written }, tenant.write);
    await app.graphql(
      'mutation ($id: ID!) { endConversation(conversationId: $id) { id } }',
      { id: ended },
      tenant.write,
    );
    expect(await step.remove(tenant, ids, before)).toBe(1);
    const left = await app.models.Conversation.find({ customerId: tenant.customerId }).lean();
    expect(left.map(({ _id }) => _id.toHexString())).not.toContain(idle);
    expect(left).toHaveLength(2);
    expect(await countOf('Message', tenant)).toBe(1);
  });

  test.each([
    ['this version', (ids: string[]) => ({ conversations: ids })],
    ['an earlier version', (ids: string[]) => ({ kind: 'conversations', ids })],
  ])(
    'completes the removal of %s that a crash has interrupted, and counts what the run had removed before',
    async (_name, removing) => {
      const tenant = await app.newTenant();
      const [gone, stored] = [await start(tenant), await start(tenant)];
      for (const id of [gone, stored]) await app.graphql(APPEND, { id }, tenant.write);
      await update(tenant, { conversations: 30 });
      await removedBy(tenant);
      const { customerId } = tenant;
      await app.models.Conversation.deleteOne({ customerId, _id: gone });
      const run = { removed: { meetings: 3 }, removing: removing([gone, stored]) };
      await app.models.RetentionPolicy.updateOne({ customerId }, { $set: { run } });
      expect(await removedBy(tenant)).toEqual({ meetings: 3 });
      const left = await app.models.Message.find({ customerId }).lean();
      expect(left.map(({ conversationId }) => String(conversationId))).toEqual([stored]);
      expect(await countOf('Event', tenant)).toBe(1);
      expect(await removedBy(tenant)).toEqual({});
    },
  );

  test('continues a run of an earlier version that was between two removals', async () => {
    const tenant = await app.newTenant();
    await update(tenant, { conversations: 30 });
    await removedBy(tenant);
    const run = { removed: { meetings: 3 }, removing: null };
    const { customerId } = tenant;
    await app.models.RetentionPolicy.updateOne({ customerId }, { $set: { run } });
    expect(await removedBy(tenant)).toEqual({ meetings: 3 });
  });

  test('removes nothing after the times have changed', async () => {
    const tenant = await app.newTenant();
    await update(tenant, { previewEvents: 30 });
    await removedBy(tenant);
    const policies = retentionPolicyStore(app.models, app.clock);
    const { customerId } = tenant;
    const token = 'held-by-this-test';
    await app.models.RetentionPolicy.updateOne({ customerId }, { $set: { 'lease.token': token } });
    const removed: string[] = [];
    const work = createRetentionWork({
      policies,
      steps: [
        {
          kind: 'previewEvents',
          async find() {
            await policies.update(tenant, { previewEvents: null });
            return { ids: ['1'], next: null };
          },
          async remove(_tenant, ids) {
            return removed.push(...ids);
          },
        },
      ],
      onRemoved() {},
      onFailed() {},
      clock: app.clock,
      log: createLogger('silent'),
    });
    const policy = await app.models.RetentionPolicy.findOne({ customerId }).lean();
    await work(policy as ClaimedPolicy, new AbortController().signal);
    expect(removed).toEqual([]);
  });

  test('removes the other kinds although one fails, names that one, and completes it later', async () => {
    const tenant = await app.newTenant();
    const { customerId } = tenant;
    await update(tenant, { conversations: 30, previewEvents: 30 });
    await removedBy(tenant);
    const calls: unknown[] = [];
    const failed: string[] = [];
    let isBroken = true;
    const failing: RetentionStep = {
      kind: 'conversations',
      find: async () => ({ ids: isBroken ? ['1'] : [], next: null }),
      async remove() {
        throw new Error('broken');
      },
      async removeRest(_tenant, ids) {
        calls.push(['rest', ids]);
      },
    };
    const other: RetentionStep = {
      kind: 'previewEvents',
      find: async () => ({ ids: ['2'], next: null }),
      async remove(_tenant, ids) {
        calls.push(['removed', ids]);
        return ids.length;
      },
    };
    const work = createRetentionWork({
      policies: retentionPolicyStore(app.models, app.clock),
      steps: [failing, other],
      onRemoved() {},
      onFailed: (kind) => failed.push(kind),
      clock: app.clock,
      log: createLogger('silent'),
    });
    const run = async () => {
      await app.models.RetentionPolicy.updateOne({ customerId }, { $set: { 'lease.token': 'this-test' } });
      const policy = await app.models.RetentionPolicy.findOne({ customerId }).lean();
      await work(policy as ClaimedPolicy, new AbortController().signal);
      return (await app.request('GET', pathOf(tenant), { key: tenant.read })).body;
    };
    expect(await run()).toMatchObject({
      failed: ['conversations'],
      removed: { conversations: 0, previewEvents: 1 },
      lastRunAt: expect.any(String),
    });
    expect(failed).toEqual(['conversations']);
    isBroken = false;
    expect(await run()).toMatchObject({ failed: [], removed: { previewEvents: 1 } });
    expect(calls).toEqual([
      ['removed', ['2']],
      ['rest', ['1']],
      ['removed', ['2']],
    ]);
  });

  test('of several processes at a time is one', async () => {
    const tenant = await app.newTenant();
    for (let n = 0; n < 3; n += 1) await start(tenant);
    app.clock.advance(31 * DAY);
    await update(tenant, { conversations: 30 });
    await Promise.all([removedBy(tenant), removedBy(tenant), runJob(app, 'privacy.retain')]);
    expect(await countOf('Conversation', tenant)).toBe(0);
  });
});

describe('retention of the audit log', () => {
  /** A log with three old entries and two recent ones. */
  async function filled(): Promise<TestTenant> {
    const tenant = await app.newTenant();
    for (const days of [300, 301, 302]) await update(tenant, { conversations: days });
    app.clock.advance(31 * DAY);
    for (const days of [303, 304]) await update(tenant, { conversations: days });
    return tenant;
  }
  const limit = (tenant: TestTenant) =>
    app.graphql(UPDATE, { input: { auditLog: 30 } }, app.admin, adminHeaders(tenant));
  const sequences = async ({ customerId }: TestTenant) =>
    (await app.models.AuditEntry.find({ log: customerId }).sort({ sequence: 1 }).lean()).map(
      ({ sequence }) => sequence,
    );
  const verified = ({ customerId }: TestTenant) => app.services.audit.verify(customerId);

  test('removes old entries behind a checkpoint, and the rest is still verified', async () => {
    const tenant = await filled();
    await limit(tenant);
    expect((await removedBy(tenant)).auditLog).toBe(3);
    expect(await sequences(tenant)).toEqual([4, 5, 6, 7]);
    expect(await verified(tenant)).toEqual({ entries: 4, findings: [] });
    const last = await app.models.AuditEntry.findOne({ log: tenant.customerId, sequence: 7 }).lean();
    expect(last).toMatchObject({
      action: 'removeExpiredAuditEntries',
      actor: { type: 'job', id: 'privacy.retain' },
    });
    expect(JSON.parse(String(last?.after))).toMatchObject({ upTo: 3 });
    app.clock.advance(31 * DAY);
    expect((await removedBy(tenant)).auditLog).toBe(4);
    expect(await verified(tenant)).toEqual({ entries: 1, findings: [] });
  });

  test('does not remove the records of its removals alone, which would add another one each time', async () => {
    const tenant = await filled();
    await limit(tenant);
    await removedBy(tenant);
    app.clock.advance(31 * DAY);
    await removedBy(tenant);
    const left = await sequences(tenant);
    app.clock.advance(31 * DAY);
    expect(await removedBy(tenant)).toEqual({});
    expect(await sequences(tenant)).toEqual(left);
  });

  test('at the same time as a verification is no finding of it', async () => {
    const tenant = await filled();
    const store = auditStore(app.models);
    /** Has retention remove entries after the head was read. */
    async function majorityHead(log: number) {
      const found = await store.majorityHead(log);
      await limit(tenant);
      await removedBy(tenant);
      return found;
    }
    const cipher = createCipher([ENCRYPTION_KEY]);
    const deps = { store: { ...store, majorityHead }, cipher, clock: app.clock };
    const { service } = auditService(deps as unknown as AuditDeps);
    expect(await service.verify(tenant.customerId)).toEqual({ entries: 4, findings: [] });
  });

  test('completes a removal that a crash has interrupted after its checkpoint', async () => {
    const tenant = await filled();
    const { customerId } = tenant;
    const expired = await app.models.AuditEntry.find({ log: customerId, sequence: { $lte: 3 } }).lean();
    await limit(tenant);
    await removedBy(tenant);
    await app.models.AuditEntry.insertMany(expired);
    const run = { removed: {}, removing: { auditLog: ['1', '2', '3'] } };
    await app.models.RetentionPolicy.updateOne({ customerId }, { $set: { run } });
    await removedBy(tenant);
    expect(await sequences(tenant)).toEqual([4, 5, 6, 7]);
  });

  test('goes on after the head was restored from a backup, with the checkpoint that the log records', async () => {
    const tenant = await filled();
    const { customerId } = tenant;
    await limit(tenant);
    const backup = await app.models.AuditHead.findById(customerId).lean();
    await removedBy(tenant);
    await app.models.AuditHead.replaceOne({ _id: customerId }, backup ?? expect.fail());
    const behind = { problem: 'head_behind', sequence: 6 };
    const missing = [1, 2, 3].map((sequence) => ({ problem: 'removed', sequence }));
    expect((await verified(tenant)).findings).toMatchObject([behind, ...missing]);
    await update(tenant, { conversations: 305 });
    expect(await verified(tenant)).toEqual({ entries: 5, findings: [] });
    app.clock.advance(31 * DAY);
    expect((await removedBy(tenant)).auditLog).toBe(5);
    expect(await verified(tenant)).toEqual({ entries: 1, findings: [] });
  });

  test('removes no entry that a restored head does not name yet', async () => {
    const tenant = await app.newTenant();
    const { customerId } = tenant;
    await update(tenant, { conversations: 300 });
    const backup = await app.models.AuditHead.findById(customerId).lean();
    for (const days of [301, 302]) await update(tenant, { conversations: days });
    app.clock.advance(31 * DAY);
    await limit(tenant);
    await app.models.AuditHead.replaceOne({ _id: customerId }, backup ?? expect.fail());
    await removedBy(tenant);
    expect((await verified(tenant)).findings).toEqual([]);
    expect(await app.models.AuditIntent.countDocuments({ log: customerId })).toBe(0);
    expect(await sequences(tenant)).not.toContain(1);
  });

  test('the entry after the checkpoint is missed when it is removed', async () => {
    const tenant = await filled();
    await limit(tenant);
    await removedBy(tenant);
    await app.models.AuditEntry.deleteOne({ log: tenant.customerId, sequence: 4 });
    expect((await verified(tenant)).findings).toMatchObject([{ problem: 'removed', sequence: 4 }]);
  });

  test('a checkpoint that the service has not written is named, and removes nothing', async () => {
    const tenant = await filled();
    const { customerId } = tenant;
    const third = await app.models.AuditEntry.findOne({ log: customerId, sequence: 3 }).lean();
    const checkpoint = { sequence: 3, hash: third?.hash ?? '', signature: '0'.repeat(64) };
    await app.models.AuditHead.updateOne({ _id: customerId }, { $set: { checkpoint } });
    expect((await verified(tenant)).findings).toMatchObject([{ problem: 'altered', sequence: 3 }]);
    app.clock.advance(31 * DAY);
    await limit(tenant);
    await removedBy(tenant);
    expect(await sequences(tenant)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  test('anchors show a log that was replaced by a checkpoint, unless retention can have removed their entries', async () => {
    const tenant = await filled();
    const { customerId } = tenant;
    const entries = await app.models.AuditEntry.find({ log: customerId }).sort({ sequence: 1 }).lean();
    const since = new Date(app.clock.now().getTime() - DAY);
    const anchors = entries.map(({ sequence, hash }) => ({
      ...{ customerId, sequence, hash, writtenAfter: sequence > 4 ? since : null },
    }));
    expect(await app.services.audit.compareAnchors(anchors)).toEqual({ findings: [], removed: 0 });
    await app.models.AuditEntry.deleteMany({ log: customerId });
    const checkpoint = { sequence: 1e9, hash: 'f'.repeat(64), signature: 'forged' };
    await app.models.AuditHead.updateOne({ _id: customerId }, { $set: { checkpoint, sequence: 1e9 } });
    const differing = async () => {
      const { findings, removed } = await app.services.audit.compareAnchors(anchors);
      return { sequences: findings.map(({ sequence }) => sequence), removed };
    };
    expect(await differing()).toEqual({ sequences: entries.map(({ sequence }) => sequence), removed: 0 });
    const last = { ...checkpoint, sequence: 5, hash: entries.at(-1)?.hash ?? '' };
    await app.models.AuditHead.updateOne({ _id: customerId }, { $set: { checkpoint: last } });
    expect((await differing()).sequences).toContain(5);
    await limit(tenant);
    expect(await differing()).toEqual({ sequences: [5], removed: 4 });
    const many = Array.from({ length: 150 }, (_, index) => ({
      ...{ customerId: null, sequence: 1e6 + index, hash: 'a', writtenAfter: null },
    }));
    expect((await app.services.audit.compareAnchors(many)).findings).toHaveLength(100);
  });

  test('an altered entry is not removed, so that it can still be named', async () => {
    const tenant = await filled();
    const { customerId } = tenant;
    await app.models.AuditEntry.updateOne({ log: customerId, sequence: 2 }, { $set: { action: 'nothing' } });
    await limit(tenant);
    expect((await removedBy(tenant)).auditLog).toBe(1);
    expect(await removedBy(tenant)).toEqual({});
    expect(await sequences(tenant)).toEqual([2, 3, 4, 5, 6, 7]);
    expect((await verified(tenant)).findings).toMatchObject([{ problem: 'altered', sequence: 2 }]);
  });
});

test('an erasure reaches the timelines that outlive deliveries', async () => {
  const tenant = await app.newTenant();
  const { customerId } = tenant;
  const other = await start(tenant);
  await app.graphql(
    `mutation ($id: ID!) { requestHandoff(conversationId: $id, input: { schemaName: "sales", urgency: normal, reason: "asked by ada.planted@example.com" }) { id } }`,
    { id: other },
    tenant.write,
  );
  app.clock.advance(15 * DAY);
  await update(tenant, { eventsAndDeliveries: 14 });
  await removedBy(tenant);
  const archived = async () =>
    JSON.stringify(await plainRows(app, app.models.ArchivedEvent.find({ customerId })));
  expect(await archived()).toContain('ada.planted');
  await app.services.erasures.start(tenant.tenant, { email: 'ada.planted@example.com' }, null);
  await eventually(async () => !(await archived()).includes('ada.planted'));
  const eventsOf = async (dryRun: boolean) => {
    const { erasures } = app.services;
    const { id } = await erasures.start(tenant.tenant, { visitorId: 'v_kept', dryRun }, null);
    const { counts } = await eventually(async () => {
      const found = await erasures.get(tenant.tenant, id);
      return found.status !== 'running' && found;
    });
    return counts.find(({ kind }) => kind === 'events')?.count;
  };
  expect(await eventsOf(true)).toBe(2);
  expect(await eventsOf(false)).toBe(2);
  await eventually(async () => (await countOf('ArchivedEvent', tenant)) === 0);
});
