import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { erasureStore } from '../../src/features/erasure/erasures.store.ts';
import { newObjectId } from '../../src/platform/mongo/object-id.ts';
import { eventually, type Json, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { plainRows } from '../support/decrypted.ts';
import { holdWrites } from '../support/held-writes.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import {
  countsOf,
  ERASE,
  ERASURE,
  type ErasureView,
  endedErasure,
  erase,
  stored,
} from './privacy-support.ts';

let app: TestApp;
let tenant: TestTenant;

beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
});
afterAll(() => app.stop());

const LIFT = 'mutation ($id: ID!) { liftSuppression(id: $id) { id type hash } }';
const LIST = '{ suppressions { edges { node { id type hash erasureId createdBy } } } }';
const DELETE = 'mutation ($id: ID!) { deleteConversation(id: $id) { id counts { kind count } } }';
const START = 'mutation ($id: String!) { startConversation(input: { visitorId: $id }) { id visitorId } }';

const codeOf = ({ body }: { body: Json }) =>
  (body.errors as unknown as { extensions: { code: string; details: unknown } }[])?.[0]?.extensions;

async function start(visitorId: string, of = tenant): Promise<string> {
  const { body } = await app.graphql(START, { id: visitorId }, of.write);
  return String(body.data?.startConversation?.id);
}

const path = (of = tenant) => `/api/v1/customers/${of.customerId}`;

test('every operation is protected', async () => {
  const input = { visitorId: 'v_protected' };
  await expectProtectedGraphQL(app, ERASE, { input }, [tenant.read]);
  await expectProtectedGraphQL(app, LIFT, { id: 'x' }, [tenant.read]);
  await expectProtectedGraphQL(app, DELETE, { id: 'x' }, [tenant.read]);
  const id = '665f1d52b8e4d3a1f0c9b850';
  for (const [method, rest, scope] of [
    ['POST', '/erasures', 'write'],
    ['GET', '/erasures', 'read'],
    ['GET', `/erasures/${id}`, 'read'],
    ['GET', '/suppressions', 'read'],
    ['DELETE', `/suppressions/${id}`, 'write'],
    ['DELETE', `/conversations/${id}`, 'write'],
    ['DELETE', '/meetings/m_1?suppress=true', 'write'],
  ] as const)
    await expectProtected(
      app,
      { method, path: path() + rest, scope, ...(method === 'POST' && { body: input }) },
      tenant,
    );
});

describe('a customer with as many running erasures as may be', () => {
  let full: TestTenant;
  let receiver: Receiver;
  const gate = Promise.withResolvers<void>();

  beforeAll(async () => {
    full = await app.newTenant();
    receiver = await startReceiver({ status: 200, until: gate.promise });
    // Leased, so that no process works on them.
    const lease = { token: 'other', expiresAt: new Date(Date.now() + 3_600_000) };
    await app.models.Erasure.collection.insertMany(
      Array.from({ length: 9_999 }, (_, n) => ({
        ...{ customerId: full.customerId, status: 'running', dryRun: false, suppress: false, lease },
        ...{ deliveries: 'cancel', counts: {}, startedAt: new Date(), subject: `s${n}`, claims: 0 },
        ...{ isResolved: true, createdBy: null, finishedAt: null, error: null },
      })),
    );
  });
  afterAll(async () => {
    gate.resolve();
    await receiver.stop();
  });

  test('starts no more, but returns the running one of the same identifiers', async () => {
    const endpoint = { url: receiver.url, timeoutSeconds: 30 };
    await app.request('POST', `${path(full)}/webhook-endpoints`, { key: full.write, body: endpoint });
    await start('v_last', full);
    const input = { visitorId: 'v_last', deliveries: 'finish' };
    const last = await app.graphql(ERASE, { input }, full.write);
    expect(last.body.data?.erasePerson).toMatchObject({ status: 'running' });
    const refused = await app.graphql(ERASE, { input: { visitorId: 'v_more' } }, full.write);
    expect(codeOf(refused)?.code).toBe('CONFLICT');
    const list = { key: full.write, body: { people: [{ visitorId: 'v_last' }, { visitorId: 'v_more' }] } };
    expect((await app.request('POST', `${path(full)}/erasure-batches`, list)).status).toBe(409);
    const again = await app.graphql(ERASE, { input }, full.write);
    expect(again.body.data?.erasePerson?.id).toBe(last.body.data?.erasePerson?.id);
  });

  test('no longer polls for a client that has disconnected', async () => {
    const client = new AbortController();
    const read = vi.spyOn(mongo.Collection.prototype, 'findOne');
    onTestFinished(() => read.mockRestore());
    const polls = () =>
      read.mock.contexts.filter((of) => (of as mongo.Collection).collectionName === 'erasures').length;
    const response = fetch(`${app.url}${path(full)}/erasures`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${full.write}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ visitorId: 'v_last', deliveries: 'finish' }),
      signal: client.signal,
    }).catch(() => 'disconnected');
    await eventually(() => polls() > 5);
    client.abort();
    expect(await response).toBe('disconnected');
    await sleep(200);
    const before = polls();
    await sleep(500);
    expect(polls()).toBe(before);
  });
});

test('without an identifier, or with a malformed one, is a 422, and nothing starts', async () => {
  for (const input of [{}, { dryRun: true }, { email: 'not-an-address' }, { visitorId: '' }, { email: null }])
    expect(codeOf(await app.graphql(ERASE, { input }, tenant.write))?.code).toBe('VALIDATION_FAILED');
  const rest = await app.request('POST', `${path()}/erasures`, { key: tenant.write, body: {} });
  expect(rest.status).toBe(422);
  expect(await app.models.Erasure.countDocuments({ customerId: tenant.customerId })).toBe(0);
});

test('an unknown person is a receipt with zeros', async () => {
  const receipt = await erase(app, tenant, { email: 'unknown@example.com' });
  expect(receipt).toMatchObject({ status: 'completed', error: null });
  expect(receipt.counts.length).toBeGreaterThan(15);
  expect(countsOf(receipt)).toEqual({});
});

test("another customer's erasure, suppression and conversation are a 404", async () => {
  const other = await app.newTenant();
  const { id } = await erase(app, tenant, { visitorId: 'v_foreign' });
  const conversation = await start('v_foreign_2');
  expect(codeOf(await app.graphql(ERASURE, { id }, other.read))?.code).toBe('NOT_FOUND');
  expect(codeOf(await app.graphql(DELETE, { id: conversation }, other.write))?.code).toBe('NOT_FOUND');
  const { body } = await app.graphql(LIST, {}, tenant.read);
  const edges = body.data?.suppressions?.edges as unknown as { node: { id: string } }[] | undefined;
  const entry = edges?.[0]?.node.id;
  expect(codeOf(await app.graphql(LIFT, { id: entry }, other.write))?.code).toBe('NOT_FOUND');
  const foreign = await app.request('GET', `${path(other)}/erasures/${id}`, { key: other.read });
  expect(foreign.status).toBe(404);
});

test('a lifted identifier is stored again', async () => {
  const of = await app.newTenant();
  await erase(app, of, { visitorId: 'v_lifted' });
  const started = await app.graphql(START, { id: 'v_lifted' }, of.write);
  expect(started.body.data?.startConversation).toMatchObject({ visitorId: '[suppressed]' });
  const { body } = await app.request('GET', `${path(of)}/suppressions`, { key: of.read });
  expect(body.data).toEqual([expect.objectContaining({ type: 'visitor_id' })]);
  expect(JSON.stringify(body)).not.toContain('v_lifted');
  const [entry] = body.data as unknown as { id: string }[];
  const lifted = await app.request('DELETE', `${path(of)}/suppressions/${entry?.id}`, { key: of.write });
  expect(lifted.status).toBe(200);
  const again = await app.graphql(START, { id: 'v_lifted' }, of.write);
  expect(again.body.data?.startConversation).toMatchObject({ visitorId: 'v_lifted' });
});

test('without suppression, later data is stored as it is', async () => {
  const of = await app.newTenant();
  await start('v_delete_only', of);
  const receipt = await erase(app, of, { visitorId: 'v_delete_only', suppress: false });
  expect(countsOf(receipt)).toMatchObject({ conversations: 1, events: 1 });
  const again = await app.graphql(START, { id: 'v_delete_only' }, of.write);
  expect(again.body.data?.startConversation).toMatchObject({ visitorId: 'v_delete_only' });
});

test('a conversation is deleted with its events', async () => {
  const of = await app.newTenant();
  const id = await start('v_deleted', of);
  const { body } = await app.graphql(DELETE, { id }, of.write);
  expect(countsOf(body.data?.deleteConversation as unknown as ErasureView)).toEqual({
    conversations: 1,
    events: 1,
  });
  expect(await app.models.Event.countDocuments({ customerId: of.customerId })).toBe(0);
  expect(codeOf(await app.graphql(DELETE, { id }, of.write))?.code).toBe('NOT_FOUND');
});

describe('a large erasure', () => {
  const CONVERSATIONS = 1_500;

  async function fill(of: TestTenant): Promise<void> {
    await app.services.imports.importLines(of.tenant, lines(), { emit: false, progress() {} });
    function* numbers() {
      for (let n = 0; n < CONVERSATIONS; n += 1) yield n;
    }
    async function* lines() {
      for (const n of numbers())
        yield {
          number: n + 1,
          end: n,
          bytes: Buffer.from(
            JSON.stringify({
              id: `c${n}`,
              visitor_id: 'v_large',
              status: 'ended',
              started_at: new Date(1_700_000_000_000 + n * 1_000).toISOString(),
              ended_at: new Date(1_700_000_000_000 + n * 1_000).toISOString(),
              transcript: [
                { role: 'visitor', text: 'Hi', sent_at: new Date(1_700_000_000_000).toISOString() },
              ],
            }),
          ),
        };
    }
  }

  test('is complete and counts once, however often its process is lost; two at once are one', async () => {
    const of = await app.newTenant();
    await fill(of);
    const [one, two] = await Promise.all(
      [1, 2].map(async () => {
        const { body } = await app.graphql(ERASE, { input: { visitorId: 'v_large' } }, of.write);
        return body.data?.erasePerson as unknown as ErasureView;
      }),
    );
    // Takes the lease away, as a killed process loses it.
    for (let n = 0; n < 10; n += 1) {
      await app.models.Erasure.updateOne(
        { customerId: of.customerId, status: 'running' },
        { $set: { 'lease.token': `lost-${n}`, 'lease.expiresAt': new Date(0) } },
      );
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
    }
    const receipt = await endedErasure(app, of, String(one?.id));
    expect(receipt.status).toBe('completed');
    expect(countsOf(receipt)).toEqual({ conversations: CONVERSATIONS, messages: CONVERSATIONS });
    if (one?.id !== two?.id) await endedErasure(app, of, String(two?.id));
    expect(await app.models.Conversation.countDocuments({ customerId: of.customerId })).toBe(0);
    expect(await app.models.Message.countDocuments({ customerId: of.customerId })).toBe(0);
    const stored = await app.models.Erasure.findOne({ customerId: of.customerId }).lean();
    expect(stored).not.toHaveProperty('person');
    expect(stored).not.toHaveProperty('subject');
  });
});

test('an erasure waits for an import that began before the person was suppressed, and erases what it stores', async () => {
  const of = await app.newTenant();
  const { reached, release } = holdWrites('conversations', (operations) =>
    JSON.stringify(operations).includes('in_flight'),
  );
  const at = new Date(1_700_000_000_000).toISOString();
  const line = {
    ...{ id: 'in_flight', visitor_id: 'v_in_flight', status: 'ended', started_at: at, ended_at: at },
    transcript: [{ role: 'visitor', text: 'Hi', sent_at: at }],
  };
  async function* lines() {
    yield { number: 1, end: 1, bytes: Buffer.from(JSON.stringify(line)) };
  }
  const importing = app.services.imports.importLines(of.tenant, lines(), { emit: false, progress() {} });
  await reached;
  const started = await app.graphql(ERASE, { input: { visitorId: 'v_in_flight' } }, of.write);
  expect(started.body.data?.erasePerson).toMatchObject({ status: 'running' });
  expect(await app.models.Suppression.countDocuments({ customerId: of.customerId })).toBe(1);
  release();
  expect(await importing).toMatchObject({ imported: 1, suppressed: 0 });
  const receipt = await endedErasure(app, of, String(started.body.data?.erasePerson?.id));
  expect(receipt.status).toBe('completed');
  expect(countsOf(receipt)).toEqual({ conversations: 1, messages: 1 });
  expect(await app.models.Conversation.countDocuments({ customerId: of.customerId })).toBe(0);
});

/** Imports a conversation of a visitor. */
async function importOne(of: TestTenant, id: string, more: object) {
  const at = new Date(1_700_000_000_000).toISOString();
  const line = {
    ...{ id, visitor_id: 'v_other', status: 'ended', started_at: at, ended_at: at },
    ...{ transcript: [{ role: 'visitor', text: 'Hi', sent_at: at }], ...more },
  };
  async function* lines() {
    yield { number: 1, end: 1, bytes: Buffer.from(JSON.stringify(line)) };
  }
  return app.services.imports.importLines(of.tenant, lines(), { emit: false, progress() {} });
}

test('an identifier that is linked while the search for links ends is followed, and suppressed', async () => {
  const of = await app.newTenant();
  await start('v_linked_late', of);
  const { reached, release } = holdWrites('conversations', (operations) =>
    JSON.stringify(operations).includes('links_late'),
  );
  const identity = { person_id: 'p_linked_late', email: 'late.link@planted.example' };
  const importing = importOne(of, 'links_late', { visitor_id: 'v_linked_late', identity });
  await reached;
  const { body } = await app.graphql(ERASE, { input: { email: identity.email } }, of.write);
  expect(body.data?.erasePerson).toMatchObject({ status: 'running' });
  release();
  await importing;
  const receipt = await endedErasure(app, of, String(body.data?.erasePerson?.id));
  expect(receipt.status).toBe('completed');
  expect(countsOf(receipt)).toMatchObject({ conversations: 2 });
  const suppressed = await app.models.Suppression.distinct('type', { customerId: of.customerId });
  expect(suppressed.toSorted()).toEqual(['email', 'resolved_person_id', 'visitor_id']);
});

test.each([
  { takesOver: false, aborted: 'an aborted one' },
  { takesOver: true, aborted: 'one that was aborted after it took over the wish to suppress the person' },
])('an erasure after $aborted continues with the identifiers that it has found', async ({ takesOver }) => {
  const of = await app.newTenant();
  const email = 'aborted@planted.example';
  await importOne(of, 'only_link', {
    ...{ visitor_id: 'v_aborted', identity: { person_id: 'p_aborted', email } },
  });
  await app.request('POST', '/v1/events', {
    key: of.write,
    body: { type: 'page_view', visitor_id: 'v_aborted', properties: { plan: 'pro' } },
  });
  const { PreviewEvent, Conversation, Erasure, AbortedErasure } = app.models;
  const { customerId } = of;
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { deleteMany } = mongo.Collection.prototype;
  mongo.Collection.prototype.deleteMany = async function (filter, options) {
    if (this.collectionName !== 'previewEvents' || filter?.customerId !== customerId)
      return deleteMany.call(this, filter, options);
    reached.resolve();
    await released.promise;
    throw new Error('The process was lost.');
  };
  const restore = () => {
    mongo.Collection.prototype.deleteMany = deleteMany;
    released.resolve();
  };
  onTestFinished(restore);
  const first = await app.graphql(ERASE, { input: { email, suppress: !takesOver } }, of.write);
  await reached.promise;
  expect(await Conversation.countDocuments({ customerId })).toBe(0);
  // As after many lost processes.
  const lost = { lease: { expiresAt: new Date(0) } };
  await Erasure.updateOne({ customerId }, { $set: { claims: 20, ...(!takesOver && lost) } });
  if (takesOver) await app.graphql(ERASE, { input: { email } }, of.write);
  const aborted = await endedErasure(app, of, String(first.body.data?.erasePerson?.id));
  expect(aborted).toMatchObject({ status: 'aborted', error: expect.stringContaining('Start it again') });
  restore();
  expect(await PreviewEvent.countDocuments({ customerId })).toBe(1);
  expect(await Erasure.findOne({ customerId }).lean()).not.toHaveProperty('person');
  const kept = await AbortedErasure.find({ customerId }).lean();
  expect(kept).toHaveLength(1);
  expect(JSON.stringify(kept)).not.toContain('v_aborted');

  const second = await erase(app, of, { email });
  expect(second).toMatchObject({ status: 'completed', error: null });
  expect(countsOf(second)).toMatchObject({ preview_events: 1 });
  expect(await PreviewEvent.countDocuments({ customerId })).toBe(0);
  expect(await AbortedErasure.countDocuments({ customerId })).toBe(0);
});

test('what a killed import has left of a stored conversation of another person is removed without it', async () => {
  const of = await app.newTenant();
  const { customerId } = of;
  const email = 'mentioned@planted.example';
  await importOne(of, 'stored_already', { goal: `Ask ${email}` });
  const { Conversation, Message, StagedConversation } = app.models;
  const [conversation] = await plainRows(app, Conversation.find({ customerId }));
  await StagedConversation.create({
    ...{ _id: conversation?._id, customerId, token: 'killed', state: 'publishing' },
    publication: { conversation, events: [] } as never,
  });
  const receipt = await erase(app, of, { email });
  expect(countsOf(receipt)).toEqual({ import_records: 1, redacted_texts: 1 });
  expect(await StagedConversation.countDocuments({ customerId })).toBe(0);
  expect(await Message.countDocuments({ customerId })).toBe(1);
  expect(await plainRows(app, Conversation.find({ customerId }))).toMatchObject([{ goal: 'Ask [erased]' }]);
});

test('an address that is used as an id is erased, and exported, by the address', async () => {
  const of = await app.newTenant();
  const { customerId } = of;
  const email = 'used.as.id@planted.example';
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  await app.request('POST', `${path(of)}/webhook-endpoints`, {
    key: of.write,
    body: { url: receiver.url, events: ['conversion.recorded', 'custom.page_view'] },
  });
  for (const event of [{ type: 'conversion', goal: 'demo' }, { type: 'page_view' }])
    await app.request('POST', '/v1/events', {
      key: of.write,
      body: { ...event, visitor_id: `Zoe <${email.toUpperCase()}>` },
    });
  const id = await start('v_of_other', of);
  // A resolution of another time, which the conversation does not have any more.
  const { Event, ConversationMilestone } = app.models;
  await ConversationMilestone.create({
    ...{ customerId, conversationId: id, kind: 'resolution' },
    data: { resolvedPersonId: email.toUpperCase(), resolvedCompany: null },
  });
  await receiver.waitFor(2);
  const exportPath = `${path(of)}/export?email=${encodeURIComponent(email)}&kind=events`;
  const exported = await app.request('GET', exportPath, { key: of.write });
  for (const event of ['conversion.recorded', 'custom.page_view'])
    expect(String(exported.body)).toContain(event);

  const receipt = await erase(app, of, { email });
  expect(countsOf(receipt)).toMatchObject({ events: 2, deliveries: 2, redacted_texts: 1 });
  expect(await Event.distinct('event', { customerId })).toEqual(['conversation.started']);
  const records = JSON.stringify(await plainRows(app, ConversationMilestone.find({ customerId })));
  expect(records.toLowerCase()).not.toContain(email);
});

test('two people whom the same texts mention are erased at the same time', async () => {
  const of = await app.newTenant();
  const people = ['ada.first@planted.example', 'bob.second@planted.example'];
  const text = `Ask ${people.join(' or ')}.`;
  for (let n = 0; n < 20; n += 1) {
    const { body } = await app.graphql(
      'mutation ($goal: String) { startConversation(input: { visitorId: "v_other", goal: $goal }) { id } }',
      { goal: text },
      of.write,
    );
    const { errors } = (
      await app.graphql(
        `mutation ($id: ID!, $reason: String!) {
          appendMessages(conversationId: $id, messages: [{ role: visitor, text: $reason }]) { id }
          requestHandoff(conversationId: $id, input: { schemaName: "s", urgency: high, reason: $reason }) { id }
        }`,
        { id: body.data?.startConversation?.id, reason: text },
        of.write,
      )
    ).body;
    expect(errors).toBeUndefined();
    await app.request('POST', '/v1/events', {
      key: of.write,
      body: { type: 'page_view', visitor_id: 'v_other', properties: { text } },
    });
  }
  const receipts = await Promise.all(people.map((email) => erase(app, of, { email })));
  expect(receipts.map(({ status }) => status)).toEqual(['completed', 'completed']);
  const { Conversation, Message, ConversationMilestone, PreviewEvent, Event } = app.models;
  for (const model of [Conversation, Message, ConversationMilestone, PreviewEvent, Event]) {
    const query = (model as typeof Conversation).find({ customerId: of.customerId });
    const stored = JSON.stringify(await plainRows(app, query));
    expect(stored).toContain('Ask [erased] or [erased].');
    expect(people.filter((email) => stored.includes(email))).toEqual([]);
  }
});

type Identifier = Record<string, string>;

/**
 * Runs two erasures at a time: the first write of the slower one to a collection waits for the end of the faster one.
 * Returns the texts that their receipts count.
 */
async function redactedByTwo(
  of: TestTenant,
  { collection, slower, faster }: { collection: string; slower: Identifier; faster: Identifier },
): Promise<number[]> {
  let writes = 0;
  const { reached, release } = holdWrites(collection, () => writes++ === 0);
  const first = erase(app, of, slower);
  await reached;
  const second = await erase(app, of, faster);
  release();
  return [await first, second].map((receipt) => countsOf(receipt).redacted_texts ?? 0);
}

const TWO_PEOPLE = {
  slower: { email: 'ada.first@planted.example' },
  faster: { email: 'bob.second@planted.example' },
};
const SAME_MENTIONS = {
  slower: { email: 'ada.first@planted.example' },
  faster: { visitorId: 'ada.first@planted.example' },
};

test.each([
  ['two people', TWO_PEOPLE, [3, 3]],
  ['the same mentions', SAME_MENTIONS, [0, 3]],
])(
  'texts in which two erasures replace %s are in the receipts of those that replaced them, once',
  async (_of, people, counts) => {
    const of = await app.newTenant();
    const at = new Date(1_700_000_000_000).toISOString();
    const message = { role: 'visitor', text: 'Ask ada.first@planted.example or bob.second@planted.example.' };
    const line = {
      ...{ id: 'c_mentions', visitor_id: 'v_other', status: 'ended', started_at: at, ended_at: at },
      transcript: [1, 2, 3].map(() => ({ ...message, sent_at: at })),
    };
    async function* lines() {
      yield { number: 1, end: 1, bytes: Buffer.from(JSON.stringify(line)) };
    }
    await app.services.imports.importLines(of.tenant, lines(), { emit: false, progress() {} });
    expect(await redactedByTwo(of, { collection: 'conversationMessages', ...people })).toEqual(counts);
    const stored = JSON.stringify(
      await plainRows(app, app.models.Message.find({ customerId: of.customerId })),
    );
    expect(stored).not.toContain('ada.first');
  },
);

test.each([
  ['two people', TWO_PEOPLE, [3, 3]],
  ['the same mentions', SAME_MENTIONS, [0, 3]],
])(
  'events in which two erasures replace %s are in the receipts of those that replaced them, once',
  async (_of, people, counts) => {
    const of = await app.newTenant();
    for (const number of [1, 2, 3])
      await app.request('POST', '/v1/events', {
        key: of.write,
        body: {
          ...{ type: 'conversion', visitor_id: `v_other_${number}` },
          goal: 'Ask ada.first@planted.example or bob.second@planted.example.',
        },
      });
    expect(await redactedByTwo(of, { collection: 'webhookEvents', ...people })).toEqual(counts);
    const stored = JSON.stringify(await plainRows(app, app.models.Event.find({ customerId: of.customerId })));
    expect(stored).toContain('Ask [erased] or ');
    expect(stored).not.toContain('ada.first');
  },
);

test('`finish` waits for deliveries, and `person.erased` does not name the person', async () => {
  const of = await app.newTenant();
  const receiver = await startReceiver({ status: 200, delayMs: 1_000 });
  for (const events of [null, ['person.erased']])
    await app.request('POST', `${path(of)}/webhook-endpoints`, {
      key: of.write,
      body: { url: receiver.url, events },
    });
  await start('v_finish', of);
  const receipt = await erase(app, of, { visitorId: 'v_finish', deliveries: 'finish' });
  expect(countsOf(receipt)).toMatchObject({ conversations: 1, events: 1, deliveries: 1, attempts: 1 });
  const received = await receiver.waitFor(2);
  expect(received.map(({ envelope }) => envelope.event).toSorted()).toEqual([
    'conversation.started',
    'person.erased',
  ]);
  const erased = received.find(({ envelope }) => envelope.event === 'person.erased');
  expect(erased?.envelope.data).toMatchObject({ erasureId: receipt.id, suppressed: true });
  expect(erased?.body).not.toContain('v_finish');
  await receiver.stop();
});

test('the end of an erasure is stored beyond the limit of events as well', async () => {
  const limited = await startApp({ TENANT_MAX_STORED_EVENTS: '2' });
  onTestFinished(() => limited.stop());
  const of = await limited.newTenant();
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  await limited.request('POST', `${path(of)}/webhook-endpoints`, {
    key: of.write,
    body: { url: receiver.url, events: ['person.erased'] },
  });
  for (const id of ['v_1', 'v_2']) await limited.graphql(START, { id }, of.write);
  expect(codeOf(await limited.graphql(START, { id: 'v_3' }, of.write))?.code).toBe('CONFLICT');
  const receipt = await erase(limited, of, { visitorId: 'v_unknown_limited' });
  expect(receipt).toMatchObject({ status: 'completed', error: null });
  expect((await receiver.waitFor(1)).map(({ envelope }) => envelope.event)).toEqual(['person.erased']);
});

test('a running erasure takes over the wish to suppress the person', async () => {
  const of = await app.newTenant();
  // The first erasure waits for its response.
  const wished = Promise.withResolvers<void>();
  const receiver = await startReceiver({ status: 200, until: wished.promise });
  onTestFinished(() => receiver.stop());
  const body = { url: receiver.url, timeoutSeconds: 30 };
  await app.request('POST', `${path(of)}/webhook-endpoints`, { key: of.write, body });
  await start('v_both', of);
  const input = { visitorId: 'v_both', deliveries: 'finish' };
  const first = app.graphql(ERASE, { input: { ...input, suppress: false } }, of.write);
  await eventually(() => app.models.Erasure.exists({ customerId: of.customerId }));
  const second = app.graphql(ERASE, { input: { ...input, suppress: true } }, of.write);
  await eventually(() => app.models.Erasure.exists({ customerId: of.customerId, suppress: true }));
  wished.resolve();
  const id = String((await first).body.data?.erasePerson?.id);
  expect((await second).body.data?.erasePerson).toMatchObject({ id, suppress: true });
  const receipt = await endedErasure(app, of, id);
  expect(receipt).toMatchObject({ status: 'completed', suppress: true });
  expect(countsOf(receipt)).toMatchObject({ conversations: 1, events: 1 });
  expect(await app.models.Suppression.countDocuments({ customerId: of.customerId })).toBe(1);
});

test('a process that has claimed a running erasure loses it to the wish to suppress the person', async () => {
  const of = await app.newTenant();
  const wished = Promise.withResolvers<void>();
  const receiver = await startReceiver({ status: 200, until: wished.promise });
  onTestFinished(() => receiver.stop());
  const body = { url: receiver.url, timeoutSeconds: 30 };
  await app.request('POST', `${path(of)}/webhook-endpoints`, { key: of.write, body });
  await start('v_claimed', of);
  const input = { visitorId: 'v_claimed', deliveries: 'finish', suppress: false };
  const started = app.graphql(ERASE, { input }, of.write);
  const { _id: id } = await eventually(() => app.models.Erasure.exists({ customerId: of.customerId }));
  const store = erasureStore(app.models, app.clock);
  // Also from the process that holds the lease at this time.
  const availableSince = new Date(app.clock.now().getTime() + 3_600_000);
  const claimed = await eventually(() => store.claim({ id, exceptTenants: [], availableSince }));
  expect(claimed.suppress).toBe(false);
  await store.insert({ ...claimed, _id: newObjectId(app.clock.now()), suppress: true });
  const claim = { id, token: claimed.lease.token };
  expect(await store.renew(of, claim)).toBe(false);
  wished.resolve();
  const receipt = await endedErasure(app, of, String((await started).body.data?.erasePerson?.id));
  expect(receipt).toMatchObject({ status: 'completed', suppress: true });
  expect(await app.models.Suppression.countDocuments({ customerId: of.customerId })).toBe(1);
});

test('an erasure by an id that no data of the customer has neither counts nor changes alerts of the operator', async () => {
  const of = await app.newTenant();
  const features = [{ feature: 'age', score: 1, threshold: 0.2, bin: null, exampleIds: ['lead_invented_1'] }];
  const alert = await app.models.DriftAlert.create({
    ...{ model: 'default', since: new Date(), score: 1, threshold: 0.2, remindAt: new Date() },
    features,
  });
  for (const dryRun of [true, false])
    expect(countsOf(await erase(app, of, { visitorId: 'lead_invented_1', dryRun }))).toEqual({});
  expect((await app.models.DriftAlert.findById(alert._id).lean())?.features).toEqual(features);
  await start('lead_invented_1', of);
  const receipt = await erase(app, of, { visitorId: 'lead_invented_1' });
  expect(countsOf(receipt)).not.toHaveProperty('redacted_texts');
});

test('keys of requests without an outcome are removed, except of requests in progress', async () => {
  const of = await app.newTenant();
  const record = (key: string, claimedUntil: Date) => ({
    _id: `${of.customerId}:POST /v1/events:${key}-v_abandoned_1`,
    ...{ fingerprint: 'f', result: null, response: null, claimedUntil },
    expiresAt: new Date(Date.now() + 3_600_000),
  });
  await app.models.Idempotency.create([
    record('ended', new Date(0)),
    record('running', new Date(Date.now() + 3_600_000)),
  ]);
  const receipt = await erase(app, of, { visitorId: 'v_abandoned_1' });
  expect(countsOf(receipt)).toEqual({ idempotency_answers: 1 });
  const left = await app.models.Idempotency.find({ _id: { $regex: 'v_abandoned_1' } }).lean();
  expect(left.map(({ _id }) => _id)).toEqual([expect.stringContaining('running')]);
});

test("a conversation that turns out to be a suppressed person's keeps nothing of what they said and were called", async () => {
  const of = await app.newTenant();
  const email = 'late@planted.example';
  await erase(app, of, { email });
  const id = await start('v_late_visitor', of);
  const { errors } = (
    await app.graphql(
      `mutation ($id: ID!) {
        appendMessages(conversationId: $id, messages: [{ role: visitor, text: "latemessage" }]) { id }
        resolveIdentity(conversationId: $id, identity: { resolvedPersonId: "p_late_1", firstName: "Latefirst" }) { id }
        recordResolution(conversationId: $id, input: { resolvedPersonId: "p_late_2" }) { id }
        requestHandoff(conversationId: $id, input: { schemaName: "sales", urgency: high, reason: "latereason" }) { id }
      }`,
      { id },
      of.write,
    )
  ).body;
  expect(errors).toBeUndefined();
  const identified = await app.graphql(
    `mutation ($id: ID!, $email: String!) {
      resolveIdentity(conversationId: $id, identity: { resolvedPersonId: "p_late_1", email: $email }) { suppressed }
    }`,
    { id, email },
    of.write,
  );
  expect(identified.body.data?.resolveIdentity).toEqual({ suppressed: true });
  const planted = ['v_late_visitor', 'latemessage', 'p_late_1', 'Latefirst', 'p_late_2', 'latereason', email];
  const text =
    JSON.stringify(
      await Promise.all([
        plainRows(app, app.models.Event.find({ customerId: of.customerId })),
        plainRows(app, app.models.ConversationMilestone.find({ customerId: of.customerId })),
      ]),
    ) + (await stored(app, of));
  expect(planted.filter((value) => text.includes(value))).toEqual([]);
  expect(await app.models.Event.countDocuments({ customerId: of.customerId })).toBe(4);

  const body = {
    type: 'page_view',
    visitor_id: 'v_late_visitor',
    conversation_id: id,
    properties: { a: 'late' },
  };
  const recorded = await app.request('POST', '/v1/events', { key: of.write, body });
  expect(recorded.status).toBe(201);
  expect(recorded.body).toMatchObject({ visitor_id: '[suppressed]', suppressed: true });
});
