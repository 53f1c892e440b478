import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { mongo } from 'mongoose';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PERSONAL_FIELDS } from '../../src/database/personal-collections.ts';
import {
  CONVERSATION_FIELDS,
  type ConversationDoc,
} from '../../src/features/conversations/conversations.model.ts';
import { outboxEventStore } from '../../src/features/outbox/outbox-event.store.ts';
import { fieldConversion } from '../../src/features/privacy/field-conversion.ts';
import type { DeliveryDoc } from '../../src/features/webhooks/delivery/delivery.model.ts';
import { queueStore } from '../../src/features/webhooks/delivery/queue.store.ts';
import { settleUpdate } from '../../src/features/webhooks/delivery/state-updates.ts';
import { readLines } from '../../src/platform/read-lines.ts';
import { pull, pullAnswer } from '../event-feeds/support.ts';
import { eventually, type Json, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { startCommand } from '../support/command.ts';
import { freshDatabase } from '../support/databases.ts';
import { decrypted, sharedEncryption } from '../support/decrypted.ts';
import { runJob } from '../support/jobs.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { subscribe as subscribeTo } from '../support/subscription.ts';
import { ENCRYPTION_KEY, erase, stored } from './privacy-support.ts';

const ON = { PII_ENCRYPTION: 'on', CONNECTOR_ENCRYPTION_KEY: ENCRYPTION_KEY };
const OFF = { PII_ENCRYPTION: 'off', CONNECTOR_ENCRYPTION_KEY: ENCRYPTION_KEY };

/** Values in fields that are encrypted, each written in another way. */
const PLANTED = {
  message: 'plantedmessage',
  imported: 'plantedimported',
  handoff: 'plantedhandoff',
  conversion: 'plantedconversion',
  property: 'plantedproperty',
  custom: 'plantedcustom',
  response: 'plantedresponse',
  email: 'planted@person.example',
  person: 'plantedpersonid',
  company: 'plantedcompany',
  resolved: 'plantedresolved',
  goal: 'plantedgoal',
  outcome: 'plantedoutcome',
};

const uri = freshDatabase();
let on: TestApp;
let off: TestApp;
let receiver: Receiver;

beforeAll(async () => {
  on = await startApp({ ...ON, MONGODB_URI: uri, DELIVERY_RETENTION: '40d' });
  // Without jobs, which the other process runs.
  off = await startApp({ ...OFF, MONGODB_URI: uri, DELIVERY_RETENTION: '40d', ROLE: 'api' });
  receiver = await startReceiver({ status: 200, body: `Thank you, ${PLANTED.response}` });
});
afterAll(async () => {
  await on.stop();
  await off.stop();
  await receiver.stop();
});

const CONVERSATION = `query ($id: ID!) { conversation(id: $id) {
  transcript { edges { node { text } } }
  handoffs { reason }
  conversions { type }
  identity { resolvedPersonId email company }
  goal
  outcome { category }
} }`;

async function call(app: TestApp, tenant: TestTenant, query: string, variables: object = {}): Promise<Json> {
  const { body } = await app.graphql(query, { ...variables }, tenant.write);
  if (body.errors) throw new Error(JSON.stringify(body.errors));
  return Object.values(body.data ?? {})[0] as Json;
}

const idOf = async (app: TestApp, tenant: TestTenant): Promise<string> =>
  String((await call(app, tenant, 'mutation { startConversation(input: { visitorId: "v_1" }) { id } }')).id);

const append = (app: TestApp, tenant: TestTenant, id: string, text: string) =>
  call(
    app,
    tenant,
    'mutation ($id: ID!, $text: String!) { appendMessages(conversationId: $id, messages: [{ role: visitor, text: $text }]) { id } }',
    { id, text },
  );

async function subscribe(app: TestApp, tenant: TestTenant): Promise<string> {
  const { body } = await app.request('POST', `/api/v1/customers/${tenant.customerId}/webhook-endpoints`, {
    key: tenant.write,
    body: { url: receiver.url },
  });
  return String(body.id);
}

/** Writes every planted value; returns the conversation. */
async function plant(app: TestApp, tenant: TestTenant): Promise<string> {
  await subscribe(app, tenant);
  const id = await idOf(app, tenant);
  await append(app, tenant, id, `I say ${PLANTED.message}`);
  await call(
    app,
    tenant,
    'mutation ($id: ID!, $reason: String) { requestHandoff(conversationId: $id, input: { schemaName: "sales", urgency: high, reason: $reason }) { id } }',
    { id, reason: `Because of ${PLANTED.handoff}` },
  );
  await call(
    app,
    tenant,
    'mutation ($id: ID!, $type: String) { recordConversion(conversationId: $id, input: { goal: "demo", conversionType: $type }) { id } }',
    { id, type: PLANTED.conversion },
  );
  await call(
    app,
    tenant,
    'mutation ($id: ID!, $identity: IdentityInput!) { resolveIdentity(conversationId: $id, identity: $identity) { id } }',
    {
      id,
      identity: { resolvedPersonId: PLANTED.person, email: PLANTED.email, company: PLANTED.company },
    },
  );
  await call(
    app,
    tenant,
    'mutation ($id: ID!, $company: String) { recordResolution(conversationId: $id, input: { resolvedCompany: $company }) { id } }',
    { id, company: PLANTED.resolved },
  );
  await call(
    app,
    tenant,
    'mutation ($id: ID!, $category: String) { markOutcome(conversationId: $id, category: $category) { id } }',
    { id, category: PLANTED.outcome },
  );
  const { status } = await app.request('POST', '/v1/events', {
    key: tenant.write,
    body: {
      type: 'conversion',
      visitor_id: 'v_1',
      goal: PLANTED.goal,
      properties: { note: PLANTED.property },
    },
  });
  expect(status).toBe(201);
  const custom = { type: 'page_view', visitor_id: 'v_1', properties: { note: PLANTED.custom } };
  expect((await app.request('POST', '/v1/events', { key: tenant.write, body: custom })).status).toBe(201);
  const line = {
    id: 'imported',
    visitor_id: 'v_2',
    status: 'ended',
    goal: null,
    started_at: new Date(Date.now() - 3_600_000),
    ended_at: new Date(Date.now() - 1_800_000),
    transcript: [{ role: 'visitor', text: `I wrote ${PLANTED.imported}`, sent_at: new Date(0) }],
  };
  await app.services.imports.importLines(
    tenant.tenant,
    readLines(Readable.from([Buffer.from(`${JSON.stringify(line)}\n`)]), 1_000_000),
    { emit: true, progress() {} },
  );
  await eventually(async () =>
    (await app.models.Delivery.countDocuments({
      customerId: tenant.customerId,
      status: { $ne: 'succeeded' },
    })) === 0
      ? true
      : undefined,
  );
  return id;
}

const db = (): mongo.Db => on.models.Tenant.db.db as unknown as mongo.Db;

/** Position in a ciphertext. */
const KEY_ID = 1;
const TAG = -1;

/** Flips a bit of an encrypted field; a second call restores it. */
async function flip(
  { collection, id, field }: { collection: string; id: mongo.ObjectId; field: string },
  position: number,
): Promise<void> {
  const document = await db().collection(collection).findOne({ _id: id });
  const bytes = Buffer.from((document?.[field] ?? new mongo.Binary()).value());
  const index = position < 0 ? bytes.length + position : position;
  bytes[index] = (bytes[index] ?? 0) ^ 1;
  await db()
    .collection(collection)
    .updateOne({ _id: id }, { $set: { [field]: new mongo.Binary(bytes, 128) } });
}

const flipPayload = (id: mongo.ObjectId, position: number): Promise<void> =>
  flip({ collection: 'webhookEvents', id, field: 'payload' }, position);

const eventOf = async (conversationId: string): Promise<mongo.ObjectId> =>
  (await db().collection('webhookEvents').findOne({ conversationId }))?._id as unknown as mongo.ObjectId;

const deliveryOf = (eventId: mongo.ObjectId) => on.models.Delivery.findOne({ eventId }).lean<DeliveryDoc>();

const plantedIn = (text: string): string[] => Object.values(PLANTED).filter((value) => text.includes(value));

const transcriptOf = async (app: TestApp, tenant: TestTenant, id: string) =>
  (await app.request('GET', `/v1/conversations/${id}`, { key: tenant.read })).body;

describe('PII_ENCRYPTION=on', () => {
  test('keeps what people wrote out of the whole database, and returns it', async () => {
    const tenant = await on.newTenant();
    const id = await plant(on, tenant);
    expect(plantedIn(await stored(on, tenant))).toEqual([]);
    const conversation = JSON.stringify(await call(on, tenant, CONVERSATION, { id }));
    const { imported, property, custom, response, resolved, ...shown } = PLANTED;
    expect(plantedIn(conversation)).toEqual(Object.values(shown));
    const base = `/api/v1/customers/${tenant.customerId}`;
    const events = await on.request('GET', `${base}/events`, { key: tenant.read });
    const { message: _, outcome, ...published } = { ...shown, resolved };
    expect(plantedIn(JSON.stringify(events.body)).toSorted()).toEqual(
      [...Object.values(published), outcome].toSorted(),
    );
    const endpoints = await on.request('GET', `${base}/webhook-endpoints`, { key: tenant.read });
    const path = `${base}/webhook-endpoints/${endpoints.body.data?.[0]?.id}/deliveries`;
    const found = await on.request('GET', `${path}?conversationId=${id}&text=${PLANTED.handoff}`, {
      key: tenant.read,
    });
    const detail = await on.request('GET', `${path}/${found.body.data?.[0]?.id}`, { key: tenant.read });
    expect(plantedIn(JSON.stringify(detail.body))).toEqual([PLANTED.handoff, PLANTED.response]);
    const feed = await eventually(async () => {
      const page = await pull(on, tenant);
      return page.data.length > 0 ? page : undefined;
    });
    expect(plantedIn(JSON.stringify(feed)).toSorted()).toEqual(
      [...Object.values(published), outcome].toSorted(),
    );
  });

  test('finds words of encrypted messages, beside plain ones', async () => {
    const tenant = await on.newTenant();
    const encrypted = await idOf(on, tenant);
    await append(on, tenant, encrypted, 'The Invoice number is wrong');
    const plain = await idOf(off, tenant);
    for (const text of ['another invoice, another NUMBER', 'Invoice number 2', 'invoice number 3'])
      await append(off, tenant, plain, text);
    const other = await idOf(on, tenant);
    await append(on, tenant, other, 'an invoice');
    const search = 'query ($text: String!) { conversations(text: $text) { edges { node { id } } } }';
    await db().command({ profile: 2 });
    const { edges } = (await call(on, tenant, search, { text: 'number invoice' })) as unknown as {
      edges: { node: { id: string } }[];
    };
    await db().command({ profile: 0 });
    expect(edges.map(({ node }) => node.id).toSorted()).toEqual([encrypted, plain].toSorted());
    // One for each encrypted message, and one for the plain conversation.
    const [read] = await db()
      .collection('system.profile')
      .find({ ns: /conversationMessages$/, 'command.aggregate': { $exists: true } })
      .toArray();
    expect(read?.nreturned).toBe(3);
  });

  test('sends what is encrypted: a retry that is read from the database has the exact payload', async () => {
    const tenant = await on.newTenant();
    const flaky = await startReceiver((_request, index) => (index < 2 ? 500 : 200));
    await on.request('POST', `/api/v1/customers/${tenant.customerId}/webhook-endpoints`, {
      key: tenant.write,
      body: { url: flaky.url },
    });
    await idOf(on, tenant);
    const [first] = await flaky.waitFor(2);
    await eventually(async () => {
      on.clock.advance(60_000);
      off.clock.advance(60_000);
      return flaky.received.length >= 3 ? true : undefined;
    });
    expect(flaky.received[2]?.body).toBe(first?.body);
    await flaky.stop();
  });

  test('erases people from encrypted texts', async () => {
    const tenant = await on.newTenant();
    const id = await idOf(on, tenant);
    await append(on, tenant, id, 'Write to Zoe@planted.example');
    await call(
      on,
      tenant,
      'mutation ($id: ID!) { requestHandoff(conversationId: $id, input: { schemaName: "sales", urgency: high, reason: "zoe@planted.example waits" }) { id } }',
      { id },
    );
    await erase(on, tenant, { email: 'zoe@planted.example' });
    const conversation = JSON.stringify(await call(on, tenant, CONVERSATION, { id }));
    expect(conversation.toLowerCase()).not.toContain('zoe@planted');
    expect(conversation).toContain('[erased]');
    expect(conversation).toContain('[erased] waits');
  });

  test('keeps the timeline of a conversation after the retention of its deliveries, and what it cannot copy', async () => {
    const tenant = await on.newTenant();
    const id = await idOf(on, tenant);
    const TIMELINE = 'query ($id: ID!) { conversation(id: $id) { events { event payload } } }';
    const before = await call(on, tenant, TIMELINE, { id });
    const [keyless, modified] = [await idOf(on, tenant), await idOf(on, tenant)];
    const keylessEvent = await eventOf(keyless);
    await flipPayload(keylessEvent, KEY_ID);
    await flipPayload(await eventOf(modified), TAG);
    for (const { clock } of [on, off]) clock.advance(41 * 24 * 3_600_000);
    await runJob(on, 'webhooks.retention');
    // It stays until it can be copied. The modified one has no copy.
    expect(await on.models.Event.distinct('conversationId', { customerId: tenant.customerId })).toEqual([
      keyless,
    ]);
    const archived = await db()
      .collection('conversationTimelines')
      .find({ customerId: tenant.customerId })
      .toArray();
    expect(archived).toMatchObject([{ conversationId: id, payload: expect.any(mongo.Binary) }]);
    expect(await call(on, tenant, TIMELINE, { id })).toEqual(before);
  });
});

describe('lists of encrypted conversations', () => {
  const FIND =
    'query ($email: String, $person: String, $company: String) { conversations(email: $email, resolvedPersonId: $person, company: $company) { edges { node { id identity { email } } } } }';
  const found = async (app: TestApp, tenant: TestTenant, by: object): Promise<string[]> => {
    const { edges } = (await call(app, tenant, FIND, by)) as unknown as { edges: { node: { id: string } }[] };
    return edges.map(({ node }) => node.id).toSorted();
  };
  const identify = (app: TestApp, tenant: TestTenant, id: string, identity: object) =>
    call(
      app,
      tenant,
      'mutation ($id: ID!, $identity: IdentityInput!) { resolveIdentity(conversationId: $id, identity: $identity) { id } }',
      { id, identity },
    );
  const resolve = (app: TestApp, tenant: TestTenant, id: string, input: object) =>
    call(
      app,
      tenant,
      'mutation ($id: ID!, $input: ResolutionInput!) { recordResolution(conversationId: $id, input: $input) { id } }',
      { id, input },
    );

  test('find them by email, person and company, beside plain ones, as they are now', async () => {
    const tenant = await on.newTenant();
    const [encrypted, plain] = [await idOf(on, tenant), await idOf(off, tenant)];
    const both = [encrypted, plain].toSorted();
    await identify(on, tenant, encrypted, {
      resolvedPersonId: 'p_1',
      email: 'Ada@Example.com',
      company: 'Acme',
    });
    await identify(off, tenant, plain, {
      resolvedPersonId: 'p_1',
      email: 'ada@example.com',
      company: 'ACME',
    });
    expect(await found(on, tenant, { email: 'ada@EXAMPLE.com' })).toEqual(both);
    expect(await found(on, tenant, { person: 'p_1' })).toEqual(both);
    expect(await found(on, tenant, { person: 'P_1' })).toEqual([]);
    expect(await found(on, tenant, { company: 'acme' })).toEqual(both);
    await resolve(on, tenant, encrypted, { resolvedCompany: 'Beta', resolvedPersonId: 'p_2' });
    expect(await found(on, tenant, { company: 'beta', person: 'p_2', email: 'ada@example.com' })).toEqual([
      encrypted,
    ]);
    await identify(on, tenant, encrypted, { resolvedPersonId: 'p_3' });
    expect(await found(on, tenant, { email: 'ada@example.com' })).toEqual([plain]);
    expect(await found(on, tenant, { person: 'p_3', company: 'beta' })).toEqual([encrypted]);
    expect(await found(on, await on.newTenant(), { person: 'p_3' })).toEqual([]);
  });

  test('find what a process with the setting off has written in plain text instead', async () => {
    const tenant = await on.newTenant();
    const id = await idOf(on, tenant);
    await identify(on, tenant, id, { resolvedPersonId: 'p_1', email: 'ada@example.com' });
    await resolve(off, tenant, id, { resolvedCompany: 'Beta' });
    const [stored] = await db().collection('conversations').find({ customerId: tenant.customerId }).toArray();
    expect(stored).toMatchObject({
      identity: { email: 'ada@example.com' },
      resolution: { resolvedCompany: 'Beta' },
    });
    expect(stored).not.toHaveProperty('lookups');
    expect(await found(on, tenant, { email: 'ada@example.com', company: 'beta' })).toEqual([id]);
    await on.services.fieldConversion.run({ tenants: [tenant.tenant], onProgress() {} });
    expect(await found(on, tenant, { email: 'ada@example.com', company: 'beta' })).toEqual([id]);
    await erase(on, tenant, { email: 'ada@example.com' });
    expect(await found(on, tenant, { company: 'beta' })).toEqual([]);
  });

  test('find them after a process with the setting off has erased another label, and once missing hashes are made', async () => {
    const tenant = await on.newTenant();
    const id = await idOf(on, tenant);
    await identify(on, tenant, id, { resolvedPersonId: 'p_1', email: 'ada@example.com' });
    await call(
      on,
      tenant,
      'mutation ($id: ID!) { markOutcome(conversationId: $id, category: "zoe@example.com") { id } }',
      { id },
    );
    await erase(off, tenant, { email: 'zoe@example.com' });
    expect(JSON.stringify(await call(on, tenant, CONVERSATION, { id }))).not.toContain('zoe@example.com');
    expect(await found(on, tenant, { email: 'ada@example.com' })).toEqual([id]);
    const conversations = db().collection('conversations');
    const { customerId } = tenant;
    await conversations.updateOne({ customerId }, { $unset: { lookups: 1 } });
    expect(await found(on, tenant, { email: 'ada@example.com' })).toEqual([]);
    await on.services.fieldConversion.run({ tenants: [tenant.tenant], onProgress() {} });
    expect(await found(on, tenant, { email: 'ada@example.com' })).toEqual([id]);
  });

  test('find them by the last of concurrent identities and resolutions, and by no earlier one', async () => {
    const tenant = await on.newTenant();
    const id = await idOf(on, tenant);
    await Promise.all([
      ...Array.from({ length: 5 }, (_, index) =>
        identify(index % 2 ? on : off, tenant, id, { resolvedPersonId: `p_${index}` }),
      ),
      ...Array.from({ length: 5 }, (_, index) =>
        resolve(index % 2 ? on : off, tenant, id, { resolvedCompany: `c_${index}` }),
      ),
    ]);
    const documents = await on.models.Conversation.find({ customerId: tenant.customerId }).lean<
      ConversationDoc[]
    >();
    const [conversation] = await decrypted(on, CONVERSATION_FIELDS, documents);
    const { resolvedPersonId: person } = conversation?.identity ?? {};
    const { resolvedCompany: company } = conversation?.resolution ?? {};
    expect([person, company]).toEqual([expect.stringMatching(/^p_/), expect.stringMatching(/^c_/)]);
    for (const index of Array(5).keys()) {
      expect(await found(on, tenant, { person: `p_${index}` })).toEqual(person === `p_${index}` ? [id] : []);
      expect(await found(on, tenant, { company: `c_${index}` })).toEqual(
        company === `c_${index}` ? [id] : [],
      );
    }
  });
});

describe('a ciphertext', () => {
  /** Replaces the text of the message of a conversation. */
  const place = (id: string, text: unknown) =>
    db()
      .collection('conversationMessages')
      .updateOne({ conversationId: new mongo.ObjectId(id) }, { $set: { text } });

  async function textOf(id: string): Promise<unknown> {
    return (
      await db()
        .collection('conversationMessages')
        .findOne({ conversationId: new mongo.ObjectId(id) })
    )?.text;
  }

  async function newMessage(tenant: TestTenant, text: string): Promise<string> {
    const id = await idOf(on, tenant);
    await append(on, tenant, id, text);
    return id;
  }

  test('can be decrypted at its own place only: not in another document, collection or customer', async () => {
    const [tenant, stranger] = [await on.newTenant(), await on.newTenant()];
    const [id, other, foreign] = [
      await newMessage(tenant, 'my own words'),
      await newMessage(tenant, 'other words'),
      await newMessage(stranger, 'foreign words'),
    ];
    const own = await textOf(id);
    const event = await db().collection('webhookEvents').findOne({ conversationId: id });
    for (const moved of [await textOf(other), await textOf(foreign), event?.payload]) {
      await place(id, moved);
      const { status, body } = await on.request('GET', `/v1/conversations/${id}`, { key: tenant.read });
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { transcript: [{ text: '[unreadable]' }] },
      });
      expect(JSON.stringify(body)).not.toContain('words');
      expect((await on.request('GET', `/v1/conversations/${other}`, { key: tenant.read })).status).toBe(200);
    }
    const metrics = await (await fetch(`${on.url}/metrics`)).text();
    expect(metrics).toMatch(/engagement_unreadable_data_total\{collection="conversationMessages"\} [3-9]/);
    await place(id, own);
    expect(await transcriptOf(on, tenant, id)).toMatchObject({ transcript: [{ text: 'my own words' }] });
  });

  /** A receiver that fails, and two conversations whose first events it has received twice. */
  async function failing(tenant: TestTenant) {
    const failing = await startReceiver({ status: 500, body: 'no' });
    await on.request('POST', `/api/v1/customers/${tenant.customerId}/webhook-endpoints`, {
      key: tenant.write,
      body: { url: failing.url },
    });
    const [broken, intact] = [await idOf(on, tenant), await idOf(on, tenant)];
    await failing.waitFor(4);
    const sentOf = (id: string) =>
      failing.received.filter(({ envelope }) => envelope.data.conversationId === id).length;
    const until = (isDone: () => Promise<boolean> | boolean) =>
      eventually(async () => {
        on.clock.advance(60_000);
        off.clock.advance(60_000);
        return (await isDone()) || undefined;
      });
    return { receiver: failing, broken, intact, sentOf, until };
  }

  test('cannot be decrypted in another field of its document', async () => {
    const tenant = await on.newTenant();
    const id = await idOf(on, tenant);
    await call(
      on,
      tenant,
      'mutation ($id: ID!) { resolveIdentity(conversationId: $id, identity: { resolvedPersonId: "p_1" }) { id } }',
      { id },
    );
    await call(
      on,
      tenant,
      'mutation ($id: ID!) { recordResolution(conversationId: $id, input: { resolvedPersonId: "p_1" }) { id } }',
      { id },
    );
    const { status: before } = await on.request('GET', `/v1/conversations/${id}`, { key: tenant.read });
    expect(before).toBe(200);
    const swap = [{ $set: { identity: '$resolution', resolution: '$identity' } }];
    await db()
      .collection('conversations')
      .updateOne({ _id: new mongo.ObjectId(id) }, swap);
    const { status, body } = await on.request('GET', `/v1/conversations/${id}`, { key: tenant.read });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { identity: { person_id: '[unreadable]' } },
    });
    const stored = () =>
      db()
        .collection('conversations')
        .findOne({ _id: new mongo.ObjectId(id) });
    const unchanged = await stored();
    const { body: refused } = await on.graphql(
      'mutation ($id: ID!) { recordResolution(conversationId: $id, input: { resolvedPersonId: "p_2" }) { id } }',
      { id },
      tenant.write,
    );
    expect(refused.errors).toMatchObject([
      {
        message: expect.stringContaining(`${id} in conversations cannot be decrypted`),
        extensions: { code: 'INTERNAL' },
      },
    ]);
    expect(await stored()).toEqual(unchanged);
  });

  test('cannot be decrypted in another attempt of its delivery', async () => {
    const tenant = await on.newTenant();
    const { receiver, broken } = await failing(tenant);
    const eventId = await eventOf(broken);
    const delivery = await eventually(async () => {
      const found = await deliveryOf(eventId);
      return found?.attempts.length === 2 ? found : undefined;
    });
    const path = `/api/v1/customers/${tenant.customerId}/webhook-endpoints/${delivery.endpointId}/deliveries/${delivery._id}`;
    expect((await on.request('GET', path, { key: tenant.read })).status).toBe(200);
    const [first, second] = delivery.attempts;
    const swapped = {
      'attempts.0.responseBody': second?.responseBody,
      'attempts.1.responseBody': first?.responseBody,
    };
    await db()
      .collection('webhookDeliveries')
      .updateOne({ _id: delivery._id as never }, { $set: swapped });
    const { status, body } = await on.request('GET', path, { key: tenant.read });
    const attempts = [{ responseBody: '[unreadable]' }, { responseBody: '[unreadable]' }];
    expect({ status, body }).toMatchObject({ status: 200, body: { attempts } });
    await flipPayload(eventId, TAG);
    const unreadable = await on.request('GET', path, { key: tenant.read });
    expect(unreadable).toMatchObject({ status: 200, body: { payload: '{"unreadable":true}' } });
    const list = `${path.slice(0, path.lastIndexOf('/'))}?eventId=${eventId}`;
    const found = async (query: string) =>
      (await on.request('GET', list + query, { key: tenant.read })).body.data;
    expect(await found('')).toHaveLength(1);
    expect(await found('&text=unreadable')).toEqual([]);
    const resent = await on.request('POST', `${path}/resend`, { key: tenant.write, body: {} });
    expect(resent).toMatchObject({ status: 500, body: { error: { code: 'INTERNAL' } } });
    await receiver.stop();
  });

  test('that was modified hides no other row of a list', async () => {
    const tenant = await on.newTenant();
    const ids = [await idOf(on, tenant), await idOf(on, tenant), await idOf(on, tenant)];
    const [broken = '', ...intact] = ids;
    for (const [index, id] of ids.entries())
      await call(
        on,
        tenant,
        'mutation ($id: ID!, $person: String!) { resolveIdentity(conversationId: $id, identity: { resolvedPersonId: $person }) { id } }',
        { id, person: `p_${index}` },
      );
    await flip({ collection: 'conversations', id: new mongo.ObjectId(broken), field: 'identity' }, TAG);
    await flipPayload(await eventOf(broken), TAG);
    const list = await call(
      on,
      tenant,
      '{ conversations { edges { node { id identity { resolvedPersonId company } conversions { id } } } } }',
    );
    const { edges } = list as unknown as {
      edges: { node: { id: string; identity: { resolvedPersonId: string } } }[];
    };
    const people = Object.fromEntries(edges.map(({ node }) => [node.id, node.identity.resolvedPersonId]));
    expect(people).toEqual({
      [broken]: '[unreadable]',
      ...Object.fromEntries(intact.map((id, index) => [id, `p_${index + 1}`])),
    });
    const { status, body } = await on.request('GET', '/v1/conversations', { key: tenant.read });
    expect(status).toBe(200);
    expect(body.data).toHaveLength(ids.length);
    const events = await on.request('GET', `/api/v1/customers/${tenant.customerId}/events`, {
      key: tenant.read,
    });
    expect(events.status).toBe(200);
    const rows = events.body.data as unknown as { event: string; conversationId: string; payload: string }[];
    const started = rows.filter(({ event }) => event === 'conversation.started');
    expect(started).toHaveLength(ids.length);
    for (const { conversationId, payload } of started)
      if (conversationId === broken) expect(payload).toBe('{"unreadable":true}');
      else expect(JSON.parse(payload).data.conversationId).toBe(conversationId);
    const timeline = await call(
      on,
      tenant,
      'query ($id: ID!) { conversation(id: $id) { events { event payload } } }',
      {
        id: broken,
      },
    );
    expect(JSON.stringify(timeline)).toContain('unreadable');
  });

  test('that was modified is left out of event feeds and subscriptions', async () => {
    const tenant = await on.newTenant();
    const [broken, intact] = [await idOf(on, tenant), await idOf(on, tenant)];
    const identify = (id: string) =>
      call(
        on,
        tenant,
        'mutation ($id: ID!) { resolveIdentity(conversationId: $id, identity: { resolvedPersonId: "p_1" }) { id } }',
        { id },
      );
    await identify(broken);
    await flipPayload(await eventOf(broken), TAG);
    const subscription = await subscribeTo<{ id: string }>(
      on,
      tenant.read,
      'subscription { conversationUpdated { id } }',
    );
    await flip({ collection: 'conversations', id: new mongo.ObjectId(broken), field: 'identity' }, TAG);
    await identify(intact);
    await eventually(async () => (subscription.updates.length > 0 ? true : undefined));
    expect(subscription.updates).toEqual([{ id: intact }]);
    expect(subscription.over()).toBe(false);
    subscription.leave();
    const { data } = await eventually(async () => {
      const page = await pull(on, tenant);
      return page.data.length > 0 ? page : undefined;
    });
    const started = data.filter(({ event }) => event === 'conversation.started');
    expect(started.map(({ payload }) => JSON.parse(payload).data.conversationId)).toEqual([intact]);
    await flipPayload(await eventOf(intact), KEY_ID);
    expect(await pullAnswer(on, tenant)).toMatchObject({ status: 503 });
    await flipPayload(await eventOf(intact), KEY_ID);
    expect((await pull(on, tenant)).data).toEqual(data);
  });

  test.each(['after attempts', 'before the first one'])(
    'that was modified fails its delivery, %s, and holds up no others',
    async (when) => {
      const tenant = await on.newTenant();
      const { receiver, broken, intact, sentOf, until } = await failing(tenant);
      const eventId = await eventOf(broken);
      await flipPayload(eventId, TAG);
      if (when === 'before the first one') await unstart(eventId);
      await until(async () => sentOf(intact) > 2 && (await deliveryOf(eventId))?.status === 'failed');
      expect(await deliveryOf(eventId)).toMatchObject({
        error: 'payload_unreadable',
        nextRetryAt: null,
        finishedAt: expect.any(Date),
      });
      const explained = await on.graphql(
        `query ($eventId: ID!, $endpointId: Int!) {
          explainDelivery(eventId: $eventId, endpointId: $endpointId) { reason }
          webhookDeliveries(first: 1, eventId: $eventId) { edges { node { failureReason } } }
        }`,
        { eventId: String(eventId), endpointId: (await deliveryOf(eventId))?.endpointId ?? 0 },
        tenant.read,
      );
      expect(explained.body).toMatchObject({
        data: {
          explainDelivery: { reason: 'payload_unreadable' },
          webhookDeliveries: { edges: [{ node: { failureReason: 'payload_unreadable' } }] },
        },
      });
      expect(sentOf(broken)).toBe(2);
      await receiver.stop();
    },
  );

  test.each(['after attempts', 'before the first one'])(
    'whose key is missing for a time, %s, is sent afterwards',
    async (when) => {
      const tenant = await on.newTenant();
      const { receiver, broken, intact, sentOf, until } = await failing(tenant);
      const eventId = await eventOf(broken);
      await flipPayload(eventId, KEY_ID);
      if (when === 'before the first one') await unstart(eventId);
      await until(() => sentOf(intact) > 2);
      expect(sentOf(broken)).toBe(2);
      expect(['pending', 'retrying']).toContain((await deliveryOf(eventId))?.status);
      receiver.behave(200);
      await flipPayload(eventId, KEY_ID);
      await until(async () => (await deliveryOf(eventId))?.status === 'succeeded');
      // At least: an attempt can outlast its lease, because the clock is advanced meanwhile.
      expect(sentOf(broken)).toBeGreaterThan(2);
      await receiver.stop();
    },
  );

  test.each([
    [1_000, 5_000],
    [60_000, 30_000],
    [3_600_000, 600_000],
  ])(
    'whose key is missing %i ms after its delivery was accepted is tried again after %i ms, which the health shows',
    async (ageMs, pauseMs) => {
      const tenant = await on.newTenant();
      const { receiver, broken } = await failing(tenant);
      const eventId = await eventOf(broken);
      await flipPayload(eventId, KEY_ID);
      await unstart(eventId, ageMs);
      const begunAtMs = on.clock.now().getTime();
      const pausedMs = await eventually(async () => {
        const { dueAt, lease } = (await deliveryOf(eventId)) as DeliveryDoc;
        const inMs = (dueAt?.getTime() ?? 0) - begunAtMs;
        return lease === undefined && inMs > 0 ? inMs : undefined;
      });
      expect(pausedMs).toBeGreaterThanOrEqual(pauseMs);
      expect(pausedMs).toBeLessThan(pauseMs + 20_000);
      on.clock.advance(1_000);
      const health = await (await fetch(`${on.url}/api/health`)).json();
      expect(health).toMatchObject({
        status: 'degraded',
        encryption: { status: 'down', unreadableAt: expect.any(String) },
      });
      await receiver.stop();
    },
  );

  /** Makes a delivery one that was accepted some time ago and has had no attempt. */
  const unstart = (eventId: mongo.ObjectId, ageMs = 3_600_000) =>
    on.models.Delivery.updateOne(
      { eventId },
      {
        $set: {
          ...{ status: 'pending', attempt: 0, lane: 'inline', dueAt: on.clock.now(), attempts: [] },
          ...{ lastAttemptAt: null, nextRetryAt: null, error: null, responseStatus: null, durationMs: null },
          createdAt: new Date(on.clock.now().getTime() - ageMs),
        },
      },
    );

  test('of a response is left out if the process cannot decrypt the key of the customer', async () => {
    const tenant = await on.newTenant();
    const { receiver, broken } = await failing(tenant);
    const eventId = await eventOf(broken);
    const delivery = (await deliveryOf(eventId)) as DeliveryDoc;
    const encryption = sharedEncryption(on, { isOn: true, key: '8b'.repeat(32) });
    const events = outboxEventStore(on.models, encryption);
    const queue = queueStore({ Delivery: on.models.Delivery, events, encryption });
    const result = {
      ...{ at: on.clock.now(), responseStatus: 200, responseBody: 'Thank you', error: null },
      ...{ durationMs: 1, retryAfter: undefined },
    };
    const update = settleUpdate(
      { outcome: 'succeeded' },
      {
        ...{ result, manual: false, request: 1, now: on.clock.now() },
        lease: { token: 'next', expiresAt: on.clock.now() },
      },
    );
    await on.models.Delivery.updateOne({ eventId }, { $set: { lease: 'token' } });
    const { _id: id, customerId, endpointId } = delivery;
    expect(await queue.apply([{ id, customerId, endpointId, token: 'token', update }])).toBe(1);
    const { status, attempts } = (await deliveryOf(eventId)) as DeliveryDoc;
    expect(status).toBe('succeeded');
    expect(attempts.at(-1)).toMatchObject({ responseStatus: 200, responseBody: null });
    await receiver.stop();
  });

  test('is unreadable once the key of the customer is removed', async () => {
    const tenant = await on.newTenant();
    const id = await newMessage(tenant, 'my last words');
    expect((await on.request('GET', `/v1/conversations/${id}`, { key: tenant.read })).status).toBe(200);
    await db()
      .collection('privacyKeys')
      .deleteOne({ _id: tenant.customerId as never });
    await eventually(async () => {
      on.clock.advance(11_000);
      const [message] = (await transcriptOf(on, tenant, id)).transcript as unknown as { text: string }[];
      return message?.text === '[unreadable]' ? true : undefined;
    }, 20_000);
  });
});

describe('plain and encrypted values side by side', () => {
  test('a process with the setting off reads what one with the setting on has written, and the other way round', async () => {
    const tenant = await on.newTenant();
    const id = await idOf(on, tenant);
    await append(on, tenant, id, 'encrypted');
    await append(off, tenant, id, 'plain');
    for (const app of [on, off])
      expect(await transcriptOf(app, tenant, id)).toMatchObject({
        transcript: [{ text: 'encrypted' }, { text: 'plain' }],
      });
  });
});

describe('pii encrypt and pii decrypt', () => {
  test('convert what is stored, and back', async () => {
    const tenant = await off.newTenant();
    const id = await plant(off, tenant);
    const view = await call(off, tenant, CONVERSATION, { id });
    expect(plantedIn(await stored(on, tenant)).length).toBe(Object.keys(PLANTED).length);
    const tenants = [tenant.tenant];
    const run = (app: TestApp) => app.services.fieldConversion.run({ tenants, onProgress() {} });
    const counts = Object.fromEntries(
      (await run(on)).map(({ collection, converted }) => [collection, converted]),
    );
    expect(counts).toMatchObject({
      conversationMessages: 2,
      conversationRecords: 4,
      conversationTimelines: 0,
    });
    expect(plantedIn(await stored(on, tenant))).toEqual([]);
    expect(await call(off, tenant, CONVERSATION, { id })).toEqual(view);
    expect((await run(on)).every(({ converted, unreadable }) => converted + unreadable === 0)).toBe(true);
    await run(off);
    expect(plantedIn(await stored(on, tenant)).length).toBe(Object.keys(PLANTED).length);
    expect(await call(on, tenant, CONVERSATION, { id })).toEqual(view);
  });

  /** Converts the data of tenants; another process makes a change whenever values were read and are about to be written. */
  const runBeside = (tenants: TestTenant[], change: () => Promise<unknown>, { isOn = true } = {}) => {
    const encryption = sharedEncryption(on, { isOn });
    const { Tenant } = on.models;
    return fieldConversion({
      connection: Tenant.db,
      personalFields: PERSONAL_FIELDS,
      encryption: {
        ...encryption,
        async decryptReadable(personal, documents) {
          if (personal.collection === 'conversationMessages' && documents.length > 0) await change();
          return encryption.decryptReadable(personal, documents);
        },
      },
      hasTenant: async (customerId) => (await Tenant.exists({ customerId })) !== null,
    }).run({ tenants: tenants.map(({ tenant }) => tenant), onProgress() {} });
  };
  const messagesIn = (collections: { collection: string }[]) =>
    collections.find(({ collection }) => collection === 'conversationMessages');

  test('repeat a window whose documents change, and report those that change each time', async () => {
    const tenant = await off.newTenant();
    const id = await idOf(off, tenant);
    await append(off, tenant, id, 'before');
    const { customerId } = tenant;
    let changes = 0;
    const change = () => {
      changes += 1;
      return db()
        .collection('conversationMessages')
        .updateOne({ customerId }, { $set: { text: `rewritten ${changes}` } });
    };
    expect(messagesIn(await runBeside([tenant], change))).toMatchObject({ converted: 0, skipped: 1 });
    expect(changes).toBe(5);
    const once = await runBeside([tenant], async () => (changes < 6 ? change() : undefined));
    expect(messagesIn(once)).toMatchObject({ converted: 1, skipped: 0, unreadable: 0 });
    expect((await stored(on, tenant)).includes('rewritten')).toBe(false);
    expect(await transcriptOf(off, tenant, id)).toMatchObject({ transcript: [{ text: 'rewritten 6' }] });
  });

  test.each([
    ['encrypt', true],
    ['decrypt', false],
  ])('pass over a customer that is removed meanwhile, and go on: pii %s', async (_command, isOn) => {
    const app = isOn ? off : on;
    const [removed, other] = [await app.newTenant(), await app.newTenant()];
    for (const tenant of [removed, other])
      await append(app, tenant, await idOf(app, tenant), 'plantedbeside');
    const { customerId } = removed;
    const { Tenant, PrivacyKey } = on.models;
    const remove = async () => {
      await db().collection('conversationMessages').deleteMany({ customerId });
      await Tenant.deleteOne({ customerId });
      await PrivacyKey.deleteOne({ _id: customerId });
    };
    const collections = await runBeside([removed, other], remove, { isOn });
    expect(messagesIn(collections)).toMatchObject({ converted: 1, skipped: 0, unreadable: 0 });
    expect((await stored(on, other)).includes('plantedbeside')).toBe(!isOn);
    expect(await PrivacyKey.countDocuments({ _id: customerId })).toBe(0);
  });

  test('complete after they were killed, and refuse the other setting', async () => {
    const tenant = await off.newTenant();
    const { customerId } = tenant;
    const id = new mongo.ObjectId(await idOf(off, tenant));
    const messages = Array.from({ length: 20_000 }, (_, seq) => ({
      _id: new mongo.ObjectId(),
      customerId,
      // Several, because the messages of one are in one window.
      conversationId: seq < 100 ? id : new mongo.ObjectId(),
      seq,
      role: 'visitor',
      text: `message ${seq}`,
      sentAt: new Date(),
    }));
    const collection = db().collection('conversationMessages');
    await collection.insertMany(messages as never[]);
    const dataDir = await mkdtemp(join(tmpdir(), 'engagement-pii-'));
    const env = { ...ON, MONGODB_URI: uri, DATA_DIR: dataDir };
    const encrypted = { customerId, text: { $type: 'binData' } };
    const first = startCommand(['pii', 'encrypt', '--json'], env);
    await eventually(async () => (await collection.countDocuments(encrypted)) > 0 || undefined, 60_000);
    first.process.kill('SIGKILL');
    await first.ended;
    const converted = await collection.countDocuments(encrypted);
    expect(converted).toBeLessThan(messages.length);
    const second = await startCommand(['pii', 'encrypt', '--json'], env).ended;
    expect(second).toMatchObject({ code: 0, stderr: '' });
    expect(await collection.countDocuments(encrypted)).toBe(messages.length);
    const refused = await startCommand(['pii', 'decrypt', '--json'], env).ended;
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('Requires PII_ENCRYPTION=off');
    await rm(dataDir, { recursive: true });
    expect((await stored(on, tenant)).includes('message 19999')).toBe(false);
  });
});
