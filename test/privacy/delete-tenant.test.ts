import { mongo } from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TENANT_DATA } from '../../src/database/tenant-data.ts';
import { SETTLE_MS } from '../../src/features/erasure/tenant-removal.ts';
import { startConversation } from '../conversations/support.ts';
import { API_KEY, CONNECT, type Connector, startConnector, syncOf } from '../meetings/support.ts';
import { HOOK } from '../meetings/webhook-support.ts';
import { eventually, type TestApp, type TestTenant } from '../support/app.ts';
import { createEndpoint, postConversion, receiving } from '../webhooks/support.ts';
import { ENCRYPTION_KEY, erase } from './privacy-support.ts';

const DELETE = `mutation ($customerId: Int!, $input: DeleteTenantInput!) {
  deleteTenant(customerId: $customerId, input: $input) { id status dryRun deliveries counts { collection count } createdBy finishedAt error }
}`;
const DELETION = `query ($customerId: Int!) {
  tenantDeletion(customerId: $customerId) { id status dryRun counts { collection count } finishedAt error }
}`;

interface DeletionView {
  id: string;
  status: 'running' | 'completed' | 'aborted';
  dryRun: boolean;
  counts: { collection: string; count: number }[];
  finishedAt: string | null;
  error: string | null;
}

let connector: Connector;
let app: TestApp;
beforeAll(async () => {
  connector = await startConnector({}, { ENCRYPTION_KEY });
  app = connector.app;
});
afterAll(() => connector.stop());

/** Ids that no other value of the database contains. */
let nextId = 1_987_650_000;
const orgOf = (customerId: number): string => `org_${customerId}`;

async function newTenant(): Promise<TestTenant> {
  const customerId = nextId++;
  const { services } = app;
  const tenant = await services.tenants.create({ customerId, orgId: orgOf(customerId), name: 'Example' });
  const key = async (scope: 'read' | 'write') =>
    (await services.keys.create({ scope, customerId, expiresAt: null })).key;
  return { tenant, customerId, read: await key('read'), write: await key('write') };
}

const start = (customerId: number, input: object = {}, key = app.admin) =>
  app.graphql(DELETE, { customerId, input: { orgId: orgOf(customerId), ...input } }, key);

async function deletion(customerId: number): Promise<DeletionView> {
  const { body } = await app.graphql(DELETION, { customerId }, app.admin);
  return body.data?.tenantDeletion as unknown as DeletionView;
}

const countsOf = ({ counts }: DeletionView): Record<string, number> =>
  Object.fromEntries(counts.map(({ collection, count }) => [collection, count]));

/** Lets the time pass for which a deletion waits, and returns its end. */
const ended = (customerId: number): Promise<DeletionView> =>
  eventually(async () => {
    const found = await deletion(customerId);
    if (found.status !== 'running') return found;
    const job = await app.models.Erasure.findById(found.id).lean();
    // Not while a process works on it, whose lease would expire.
    if (job?.lease.token === undefined) app.clock.advance(SETTLE_MS);
    return undefined;
  }, 60_000);

/** Waits until the deletion has completed a pass that began after the call. */
async function passed(customerId: number): Promise<void> {
  const freeFrom = async (): Promise<number> => {
    const job = await app.models.Erasure.findOne({ customerId, target: 'tenant' }).lean();
    return job?.lease.token === undefined ? Number(job?.lease.expiresAt) : 0;
  };
  const from = await eventually(freeFrom);
  // The pause between two passes.
  app.clock.advance(5_000);
  await eventually(async () => (await freeFrom()) > from);
}

const database = () => app.models.Tenant.db.db as unknown as mongo.Db;
/** A job completes recoveries at once, and the quota of an endpoint does not name the customer: it has a check of its own. */
const TRANSIENT = ['webhookRecoveries', 'webhookSendQuotas'];
/** Collections whose ids are the customers'. */
const BY_ID = [
  'conversationImportLeases',
  'exportLeases',
  'eventLogs',
  'meetingSearchStates',
  'recorderMappings',
];
/** Collections whose ids begin with the customers', and which a test fills by hand. */
const BY_PREFIX = ['meetingPostings', 'abortedErasures'];
const ownCollections = Object.entries(TENANT_DATA).flatMap(([name, data]) => ('kept' in data ? [] : [name]));
const filled = ownCollections.filter((name) => !TRANSIENT.includes(name));

/** Numbers of documents that have the tenant's id anywhere, by collection. */
async function documentsOf(customerId: number): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const { name } of await database().listCollections().toArray())
    for await (const document of database().collection(name).find())
      if (mongo.BSON.EJSON.stringify(document).includes(String(customerId)))
        found[name] = (found[name] ?? 0) + 1;
  return found;
}

/** Nothing was removed; jobs in the background may have added something. */
function expectAtLeast(found: Record<string, number>, before: Record<string, number>): void {
  const missing = Object.entries(before).filter(([name, count]) => (found[name] ?? 0) < count);
  expect(missing).toEqual([]);
}

/** A tenant with documents in every collection that has some of tenants. */
async function filledTenant(): Promise<TestTenant> {
  const tenant = await newTenant();
  const { customerId, write } = tenant;
  const path = `/api/v1/customers/${customerId}`;
  const receiver = await receiving();
  const rateLimit = { count: 100, perSeconds: 3_600 };
  await createEndpoint(app, tenant, { url: receiver.url, rateLimit });
  const { id } = await startConversation(app, tenant);
  await app.graphql(
    `mutation ($id: ID!) { appendMessages(conversationId: $id, messages: [{ role: visitor, text: "Hi" }]) { id } }`,
    { id },
    write,
  );
  await app.graphql(
    `mutation ($id: ID!) { requestHandoff(conversationId: $id, input: { schemaName: "sales", urgency: high }) { id } }`,
    { id },
    write,
    { 'idempotency-key': 'handoff' },
  );
  await postConversion(app, tenant, { conversation_id: id });
  await app.request('POST', '/v1/events', { key: write, body: { type: 'page.viewed', visitor_id: 'v_1' } });
  await app.request('GET', `${path}/event-feeds/crm`, { key: write });
  await app.request('PATCH', `${path}/retention`, { key: write, body: { conversations: 365 } });
  await app.graphql(CONNECT, { apiKey: `${API_KEY}_${customerId}` }, write);
  await syncOf(app, tenant);
  await erase(app, tenant, { visitorId: 'v_other' });
  await receiver.waitFor(1);
  // What only a crash, a time or a webhook of the provider leaves.
  const present = await documentsOf(customerId);
  for (const name of ownCollections) {
    if (present[name] || TRANSIENT.includes(name)) continue;
    const other = BY_PREFIX.includes(name) ? `${customerId}:mee:0000001` : new mongo.ObjectId();
    const _id = BY_ID.includes(name) ? customerId : other;
    const document = { _id, customerId };
    await database().collection<{ _id: number | string | mongo.ObjectId }>(name).insertOne(document);
  }
  return tenant;
}

describe('the deletion of a tenant', () => {
  test('is for admin keys, and for the organization that the caller names', async () => {
    const { customerId, write } = await newTenant();
    const { body: refused } = await start(customerId, {}, write);
    expect(refused.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    const { body: mistaken } = await start(customerId, { orgId: 'org_7' });
    expect(mistaken.errors).toMatchObject([
      { extensions: { code: 'VALIDATION_FAILED', details: [{ path: 'input.orgId' }] } },
    ]);
    const { body: unknown } = await start(2_000_000_999);
    expect(unknown.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    expect(await deletion(customerId)).toBeUndefined();
    expect(await app.services.tenants.get(customerId)).toMatchObject({ customerId });
  });

  test('counts without a change in a dry run', async () => {
    const tenant = await filledTenant();
    const { customerId } = tenant;
    const before = await documentsOf(customerId);
    const { body } = await start(customerId, { dryRun: true });
    const counted = body.data?.deleteTenant as unknown as DeletionView;
    expect(counted).toMatchObject({ status: 'completed', dryRun: true, error: null });
    expect(countsOf(counted).conversations).toBe(1);
    expect(Object.keys(countsOf(counted))).toEqual(expect.arrayContaining(filled));
    expectAtLeast(await documentsOf(customerId), before);
    expect(
      (await app.request('GET', `/api/v1/customers/${customerId}/erasures`, { key: tenant.read })).status,
    ).toBe(200);
  });

  test('leaves none of its documents, in any collection but those that say why, and no other tenant’s', async () => {
    const [tenant, other] = [await filledTenant(), await filledTenant()];
    const { customerId } = tenant;
    const others = await documentsOf(other.customerId);
    const quotasOf = async (endpoints: Promise<number[]>) =>
      app.models.SendQuota.countDocuments({ _id: { $in: await endpoints } });
    const endpoints = app.models.Endpoint.distinct('id', { customerId }).exec();
    const otherEndpoints = app.models.Endpoint.distinct('id', { customerId: other.customerId }).exec();
    expect([await quotasOf(endpoints), await quotasOf(otherEndpoints)]).toEqual([1, 1]);
    const { body } = await start(customerId);
    expect(body.data?.deleteTenant).toMatchObject({ status: 'running', deliveries: 'cancel' });

    const receipt = await ended(customerId);
    expect(receipt).toMatchObject({ status: 'completed', error: null, finishedAt: expect.any(String) });
    expect(Object.keys(countsOf(receipt))).toEqual(expect.arrayContaining(filled));
    const counts = { conversations: 1, apiKeys: 2, webhookEndpoints: 1, webhookSendQuotas: 1 };
    expect(countsOf(receipt)).toMatchObject(counts);
    expect([await quotasOf(endpoints), await quotasOf(otherEndpoints)]).toEqual([0, 1]);
    const kept = ['auditEntries', 'auditHeads', 'erasures', 'rateWindows', 'quotaWindows'];
    expect(Object.keys(await documentsOf(customerId)).filter((name) => !kept.includes(name))).toEqual([]);
    expectAtLeast(await documentsOf(other.customerId), others);

    const { edges } = await app.services.audit.list(null, {
      ...{ limit: 1, after: null, action: 'deleteTenant', actor: null },
    });
    expect(edges[0]?.node).toMatchObject({
      target: { type: 'tenant', id: String(customerId) },
      after: { deletionId: receipt.id, deliveries: 'cancel' },
    });
    expect((await app.services.audit.verify(customerId)).findings).toEqual([]);
  });

  test('refuses the requests of its keys and of admin keys from its start on', async () => {
    const tenant = await newTenant();
    const { customerId } = tenant;
    await start(customerId);
    const path = `/api/v1/customers/${customerId}`;
    for (const key of [tenant.write, tenant.read, app.admin]) {
      const { status, body } = await app.request('GET', `${path}/erasures`, { key });
      expect([status, body.error]).toMatchObject([403, { code: 'CUSTOMER_SUSPENDED' }]);
    }
    const resumed = await app.request('POST', `${path}/resume`, { key: app.admin });
    expect(resumed.status).toBe(403);
    const headers = { 'x-customer-id': String(customerId) };
    const types = await app.request('GET', '/api/v1/event-types', { key: app.admin, headers });
    expect(types).toMatchObject({ status: 403, body: { error: { code: 'CUSTOMER_SUSPENDED' } } });
    const viewer = await app.graphql('{ viewer { scope } }', {}, app.admin, headers);
    expect(viewer).toMatchObject({
      status: 403,
      body: { errors: [{ extensions: { code: 'CUSTOMER_SUSPENDED' } }] },
    });
    const receipt = () => app.request('GET', `${path}/deletion`, { key: app.admin, headers });
    expect(await receipt()).toMatchObject({ status: 200, body: { status: 'running' } });
    const key = { scope: 'read', customerId, expiresAt: null } as const;
    await expect(app.services.keys.create(key)).rejects.toMatchObject({ code: 'CUSTOMER_SUSPENDED' });

    await ended(customerId);
    const { status } = await app.request('GET', `${path}/erasures`, { key: tenant.read });
    expect(status).toBe(401);
    expect((await app.request('GET', `${path}/erasures`, { key: app.admin })).status).toBe(404);
    expect((await start(customerId)).body.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
    expect(await receipt()).toMatchObject({ status: 200, body: { status: 'completed' } });
  });

  test('refuses webhooks of the provider until its end, without counting them as failures', async () => {
    const tenant = await newTenant();
    const { customerId, write } = tenant;
    await app.graphql(CONNECT, { apiKey: `${API_KEY}_${customerId}` }, write);
    const { body } = await app.graphql(HOOK, {}, write);
    const path = String(body.data?.recorderWebhook?.path);
    await start(customerId);
    await passed(customerId);
    const refused = await app.request('POST', path, { body: {} });
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'CUSTOMER_SUSPENDED' } } });
    await ended(customerId);
    expect((await app.request('POST', path, { body: {} })).status).toBe(404);
  });

  test('waits until nothing can arrive, with its keys, and removes what arrives meanwhile', async () => {
    const { customerId, write } = await newTenant();
    await start(customerId);
    await passed(customerId);
    await app.models.MeetingSearchState.collection.insertOne({ _id: customerId } as never);
    app.clock.advance(SETTLE_MS - 30_000);
    await passed(customerId);
    expect(await app.models.ApiKey.countDocuments({ customerId })).toBe(2);
    expect((await app.request('GET', '/v1/events', { key: write })).status).toBe(403);
    expect(await deletion(customerId)).toMatchObject({ status: 'running' });
    expect(countsOf(await ended(customerId))).toMatchObject({ apiKeys: 2, meetingSearchStates: 1 });
    expect(await app.models.MeetingSearchState.countDocuments({ _id: customerId })).toBe(0);
  });

  test('reserves the customer id, and frees the organization id', async () => {
    const { customerId } = await newTenant();
    await start(customerId);
    await ended(customerId);
    const { tenants } = app.services;
    const again = { customerId, orgId: orgOf(customerId), name: 'Again' };
    await expect(tenants.create(again)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await tenants.create({ ...again, customerId: nextId++ })).toMatchObject({ orgId: again.orgId });
  });

  test('is one, however often it is started at the same time, and one per tenant', async () => {
    const [first, second] = [await newTenant(), await newTenant()];
    const answers = await Promise.all([1, 2, 3].map(() => start(first.customerId)));
    const ids = answers.map(({ body }) => body.data?.deleteTenant?.id);
    expect([...new Set(ids)]).toEqual([(await deletion(first.customerId)).id]);
    await start(second.customerId);
    const ends = await Promise.all([ended(first.customerId), ended(second.customerId)]);
    expect(ends.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(ends.map((end) => countsOf(end).apiKeys)).toEqual([2, 2]);
  });

  test('finishes deliveries first if that is chosen, and then holds them', async () => {
    const tenant = await newTenant();
    const { customerId } = tenant;
    const receiver = await receiving(500);
    await createEndpoint(app, tenant, { url: receiver.url });
    await postConversion(app, tenant);
    // The next attempt is scheduled by the clock at the time when the result is stored.
    const hasFailed = (attempt: number) =>
      eventually(async () => {
        const delivery = await app.models.Delivery.findOne({ customerId }).lean();
        return delivery?.status === 'retrying' && delivery.attempt === attempt && !delivery.lease;
      });
    await hasFailed(2);
    await start(customerId, { deliveries: 'finish' });
    app.clock.advance(SETTLE_MS);
    // The third attempt is due after five minutes.
    app.clock.advance(6 * 60_000);
    await hasFailed(3);
    expect(await app.models.Endpoint.countDocuments({ customerId })).toBe(1);
    expect(await deletion(customerId)).toMatchObject({ status: 'running', counts: [] });
    receiver.behave(200);
    app.clock.advance(40 * 60_000);
    await eventually(async () => (await app.models.Endpoint.countDocuments({ customerId })) === 0, 30_000);
    expect(await ended(customerId)).toMatchObject({ status: 'completed' });
    expect(countsOf(await deletion(customerId))).toMatchObject({ webhookDeliveries: 1 });
  });

  test('holds the deliveries of a suspended tenant from its start on, unless they are to be finished', async () => {
    const changes = app.models.Tenant.watch([], { fullDocument: 'updateLookup' });
    const states: unknown[] = [];
    changes.on('change', ({ fullDocument: { customerId, deletion } = {} }) => {
      if (deletion) states.push([customerId, 'removingSince' in deletion]);
    });
    const [cancelled, finished] = [await newTenant(), await newTenant()];
    for (const [{ customerId }, deliveries] of [
      [cancelled, 'cancel'],
      [finished, 'finish'],
    ] as const) {
      await app.services.tenants.suspend(customerId);
      await start(customerId, { deliveries });
    }
    const firstOf = (id: number) => states.find((state) => (state as number[])[0] === id);
    await eventually(() => firstOf(cancelled.customerId) && firstOf(finished.customerId));
    await changes.close();
    expect(firstOf(cancelled.customerId)).toEqual([cancelled.customerId, true]);
    expect(firstOf(finished.customerId)).toEqual([finished.customerId, false]);
    for (const { customerId } of [cancelled, finished])
      expect(await ended(customerId)).toMatchObject({ status: 'completed' });
  });

  test('ends erasures of its people at its start, also while it waits for deliveries', async () => {
    const tenant = await newTenant();
    const { customerId } = tenant;
    await erase(app, tenant, { visitorId: 'v_1' });
    await app.models.Erasure.updateOne(
      { customerId },
      { $set: { status: 'running', finishedAt: null, 'lease.expiresAt': new Date('2100-01-01') } },
    );
    await start(customerId, { deliveries: 'finish' });
    const { removingSince } = (await app.models.Tenant.findOne({ customerId }))?.deletion ?? {};
    expect(removingSince).toBeUndefined();
    expect(await app.models.Erasure.findOne({ customerId, target: { $exists: false } })).toMatchObject({
      status: 'aborted',
      error: 'The customer is being deleted.',
    });
    expect(await ended(customerId)).toMatchObject({ status: 'completed' });
  });

  test('leaves no erasure that a command starts during it, and nothing that one would store', async () => {
    const tenant = await newTenant();
    const { customerId } = tenant;
    await erase(app, tenant, { visitorId: 'v_1' });
    await start(customerId);
    await ended(customerId);
    await app.models.Erasure.updateOne(
      { customerId, target: { $exists: false } },
      { $set: { status: 'running', finishedAt: null, 'lease.expiresAt': new Date(0) } },
    );
    const late = await eventually(async () => {
      const found = await app.models.Erasure.findOne({ customerId, target: { $exists: false } }).lean();
      return found?.status !== 'running' && found;
    });
    expect(late).toMatchObject({ status: 'aborted', error: expect.stringContaining('was deleted') });
    expect(await app.models.PrivacyKey.countDocuments({ _id: customerId })).toBe(0);
  });

  test('creates no key for what a command that has read the customer before its end starts behind it', async () => {
    const tenant = await newTenant();
    const { customerId } = tenant;
    await start(customerId);
    await ended(customerId);
    const { erasures } = app.services;
    const people = [{ visitorId: 'v_1' }, { visitorId: 'v_2' }];
    const missing = { code: 'NOT_FOUND', message: `Customer ${customerId} does not exist.` };
    await expect(erasures.start(tenant.tenant, { visitorId: 'v_1' }, null)).rejects.toMatchObject(missing);
    await expect(erasures.startMany(tenant.tenant, { people }, null)).rejects.toMatchObject(missing);
    expect(await app.models.PrivacyKey.countDocuments({ _id: customerId })).toBe(0);
    expect(await app.models.Erasure.countDocuments({ customerId, target: { $exists: false } })).toBe(0);
  });
});
