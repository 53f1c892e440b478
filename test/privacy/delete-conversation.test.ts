import { Readable } from 'node:stream';
import { mongo, Types } from 'mongoose';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readLines } from '../../src/platform/read-lines.ts';
import { resultOf } from '../meetings/backfill-support.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { holdWrites } from '../support/held-writes.ts';
import { countsOf, dump, ENCRYPTION_KEY, type ErasureView } from './privacy-support.ts';

const START =
  'mutation ($goal: String) { startConversation(input: { visitorId: "v_1", goal: $goal }) { id goal } }';
const APPEND = `mutation ($id: ID!, $text: String!) {
  appendMessages(conversationId: $id, messages: [{ role: visitor, text: $text }]) { id transcript(first: 5) { edges { node { text } } } }
}`;
const DELETE =
  'mutation ($id: ID!) { deleteConversation(id: $id) { id suppressionId counts { kind count } } }';

let app: TestApp;
let tenant: TestTenant;

beforeAll(async () => {
  app = await startApp({ CONNECTOR_ENCRYPTION_KEY: ENCRYPTION_KEY });
  tenant = await app.newTenant();
});
afterAll(() => app.stop());

let keys = 0;
const keyed = (name: string) => ({ 'idempotency-key': `${name}-${keys++}` });

const recordEvent = (conversationId: string, word: string, headers = keyed('event')) =>
  app.request('POST', '/v1/events', {
    key: tenant.write,
    headers,
    body: {
      ...{ type: 'page.viewed', visitor_id: 'v_1', conversation_id: conversationId },
      ...{ goal: `goal ${word}`, properties: { text: word } },
    },
  });

/** A conversation whose goal, message, event and stored answers have a word. */
async function conversationWith(word: string): Promise<string> {
  const started = await app.graphql(START, { goal: word }, tenant.write, keyed('start'));
  const { id } = resultOf<{ id: string }>(started);
  resultOf(await app.graphql(APPEND, { id, text: word }, tenant.write, keyed('append')));
  expect((await recordEvent(id, word)).status).toBe(201);
  return id;
}

/** Makes the removals from a collection fail. Returns the end of that. */
function failRemovals(collectionName: string): () => void {
  const { deleteMany } = mongo.Collection.prototype;
  const end = () => {
    mongo.Collection.prototype.deleteMany = deleteMany;
  };
  onTestFinished(end);
  mongo.Collection.prototype.deleteMany = function (...args) {
    if (this.collectionName === collectionName) throw new Error('failed');
    return deleteMany.apply(this, args);
  };
  return end;
}

/** A conversation that a killed import has begun to publish, which the next import completes, or to discard. */
async function interruptedWith(
  word: string,
  state: 'publishing' | 'discarding' = 'publishing',
): Promise<string> {
  const { StagedConversation, Message } = app.models;
  const { customerId } = tenant;
  const _id = new Types.ObjectId();
  const at = new Date();
  const conversation = {
    ...{ _id, customerId, visitorId: 'v_1', status: 'ended', converted: false, goal: word },
    ...{ startedAt: at, endedAt: at, order: `${at.toISOString()}:${_id}`, messageCount: 1, textBytes: 4 },
    ...{ identity: null, conversion: null, outcome: null, resolution: null },
  };
  const publication = { conversation, events: [] } as never;
  await StagedConversation.create({ _id, customerId, token: 'killed', state, publication });
  await Message.collection.insertOne({
    ...{ _id: new Types.ObjectId(), customerId, conversationId: _id, seq: 0, role: 'visitor' },
    ...{ text: word, sentAt: at },
  } as never);
  return _id.toHexString();
}

test('a deleted conversation leaves neither custom events nor stored answers, and others keep theirs', async () => {
  const [deleted, kept] = [await conversationWith('wordtodelete'), await conversationWith('wordtokeep')];
  const before = await dump(app);
  expect(before.split('wordtodelete').length).toBeGreaterThan(5);
  const { body } = await app.graphql(DELETE, { id: deleted }, tenant.write);
  const deletion = body.data?.deleteConversation as unknown as ErasureView;
  expect(deletion).toMatchObject({ id: deleted, suppressionId: null });
  expect(countsOf(deletion)).toMatchObject({
    ...{ conversations: 1, messages: 1, preview_events: 1, idempotency_answers: 3 },
  });
  const after = await dump(app);
  expect(after).not.toContain('wordtodelete');
  const occurrences = (text: string) => text.split('wordtokeep').length;
  expect(occurrences(after)).toBe(occurrences(before));
  const events = await app.request('GET', '/v1/events?visitor_id=v_1', { key: tenant.read });
  expect(events.body.data).toMatchObject([{ conversation_id: kept }]);
});

test('an event that was in progress is removed once it is stored', async () => {
  const id = await conversationWith('wordbefore');
  const writes = holdWrites('previewEvents');
  const recording = recordEvent(id, 'wordinflight');
  await writes.reached;
  let isDeleted = false;
  const deleting = app.graphql(DELETE, { id }, tenant.write).finally(() => {
    isDeleted = true;
  });
  await expect.poll(() => app.models.Conversation.exists({ _id: id }), { timeout: 10_000 }).toBeNull();
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(isDeleted).toBe(false);
  writes.release();
  await recording;
  const { body } = await deleting;
  expect(countsOf(body.data?.deleteConversation as unknown as ErasureView)).toMatchObject({
    ...{ preview_events: 2, idempotency_answers: 4 },
  });
  expect(await dump(app)).not.toContain('wordinflight');
});

test('a repetition completes a deletion that has failed after the conversation was removed', async () => {
  const id = await conversationWith('wordofafailure');
  const endFailures = failRemovals('previewEvents');
  const failed = await app.graphql(DELETE, { id }, tenant.write);
  expect(failed.body).toMatchObject({ errors: [{ extensions: { code: 'INTERNAL' } }] });
  endFailures();
  const { body } = await app.graphql(DELETE, { id }, tenant.write);
  expect(countsOf(body.data?.deleteConversation as unknown as ErasureView)).toMatchObject({
    preview_events: 1,
  });
  expect(await dump(app)).not.toContain('wordofafailure');
  const again = await app.graphql(DELETE, { id }, tenant.write);
  expect(again.body).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
});

test('a conversation that an import completes during its deletion is removed as well', async () => {
  const id = await interruptedWith('wordcompleted');
  const writes = holdWrites('conversations');
  const importing = app.services.imports.importLines(tenant.tenant, readLines(Readable.from([]), 1_000), {
    ...{ emit: false, progress() {} },
  });
  await writes.reached;
  const deleting = app.graphql(DELETE, { id }, tenant.write);
  // The first search has found no conversation, and removed what was left of the killed import.
  await expect.poll(() => app.models.StagedConversation.exists({ _id: id })).toBeNull();
  expect(await app.models.Conversation.exists({ _id: id })).toBeNull();
  writes.release();
  await importing;
  const { body } = await deleting;
  expect(countsOf(body.data?.deleteConversation as unknown as ErasureView)).toEqual({ conversations: 1 });
  expect(await dump(app)).not.toContain('wordcompleted');
});

test.each(['conversationMessages', 'conversationRecords', 'conversationTimelines'])(
  'a deletion that fails at %s leaves what the next import completes, so that a repetition finds it',
  async (collection) => {
    const id = await interruptedWith('wordofanimport');
    const endFailures = failRemovals(collection);
    const failed = await app.graphql(DELETE, { id }, tenant.write);
    expect(failed.body).toMatchObject({ errors: [{ extensions: { code: 'INTERNAL' } }] });
    expect(await app.models.StagedConversation.exists({ _id: id })).not.toBeNull();
    endFailures();
    await app.graphql(DELETE, { id }, tenant.write);
    expect(await dump(app)).not.toContain('wordofanimport');
  },
);

test('a deletion removes what a killed import had begun to discard', async () => {
  const id = await interruptedWith('worddiscarded', 'discarding');
  await app.graphql(DELETE, { id }, tenant.write);
  expect(await app.models.StagedConversation.exists({ _id: id })).toBeNull();
  expect(await dump(app)).not.toContain('worddiscarded');
});

test('deletions at the same time remove the answers and events of each conversation', async () => {
  const words = ['wordone', 'wordtwo', 'wordthree', 'wordfour'];
  const ids = await Promise.all(words.map(conversationWith));
  const deletions = await Promise.all(ids.map((id) => app.graphql(DELETE, { id }, tenant.write)));
  for (const { body } of deletions)
    expect(countsOf(body.data?.deleteConversation as unknown as ErasureView)).toMatchObject({
      ...{ preview_events: 1, idempotency_answers: 3 },
    });
  const text = await dump(app);
  expect(words.filter((word) => text.includes(word))).toEqual([]);
});

test("another customer's conversation is a 404, and loses nothing", async () => {
  const id = await conversationWith('wordofanother');
  const other = await app.newTenant();
  const { body } = await app.graphql(DELETE, { id }, other.write);
  expect(body).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
  expect((await dump(app)).split('wordofanother').length).toBeGreaterThan(5);
});
