import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { cpuMsOf } from '../support/cpu-time.ts';
import { recordQueries } from './queries.ts';
import { append, messages, retrieve, startConversation } from './support.ts';

let app: TestApp;
let tenant: TestTenant;
let id: string;
const MOST = 10_000;

beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
  ({ id } = await startConversation(app, tenant));
  // Messages of another conversation, between the messages of this one.
  const other = await startConversation(app, tenant);
  for (let from = 0; from < MOST; from += 500) {
    await append(app, tenant, id, messages(500, from));
    if (from % 2_500 === 0) await append(app, tenant, other.id, messages(100));
  }
});
afterAll(() => app.stop());

interface Page {
  edges: { cursor: string; node: { text: string } }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; endCursor: string };
}

const PAGE = `query($id: ID!, $first: Int, $after: String) { conversation(id: $id) { messageCount
  transcript(first: $first, after: $after) {
    edges { cursor node { text } } pageInfo { hasNextPage hasPreviousPage endCursor } } } }`;

async function page(variables: Record<string, unknown>): Promise<Page> {
  const { body } = await app.graphql(PAGE, { id, ...variables }, tenant.read);
  const { conversation } = body.data as unknown as { conversation: { transcript: Page } };
  return conversation.transcript;
}

test('has at most 10,000 messages', async () => {
  const { code } = await append(app, tenant, id, messages(1, MOST));
  expect(code).toBe('CONFLICT');
  const other = await startConversation(app, tenant);
  for (let from = 0; from < 9_500; from += 500) await append(app, tenant, other.id, messages(500, from));
  expect((await append(app, tenant, other.id, messages(499))).conversation?.messageCount).toBe(9_999);
  expect((await append(app, tenant, other.id, messages(2))).code).toBe('CONFLICT');
  expect((await append(app, tenant, other.id, messages(1))).conversation?.messageCount).toBe(10_000);
});

test('is paged over GraphQL, with each page read from the index', async () => {
  const queries = await recordQueries(app, 'conversationMessages');
  const texts: string[] = [];
  let after: string | null = null;
  let last: Page;
  do {
    last = await page({ first: 100, after });
    expect(last.pageInfo.hasPreviousPage).toBe(after !== null);
    texts.push(...last.edges.map(({ node }) => node.text));
    after = last.pageInfo.endCursor;
  } while (last.pageInfo.hasNextPage);
  expect(texts).toEqual(messages(MOST).map(({ text }) => text));
  const made = await queries.stop();
  expect(made).toHaveLength(100);
  for (const { keysExamined, docsExamined, returned } of made) {
    expect(keysExamined).toBeLessThanOrEqual(1.1 * returned + 2);
    expect(docsExamined).toBe(returned);
  }
});

test('is returned whole over REST, in order, with less than two seconds of CPU time', async () => {
  let texts: string[] = [];
  const cpuMs = await cpuMsOf(async () => {
    const { transcript } = await retrieve<{ transcript: { text: string }[] }>(app, tenant, id);
    texts = transcript.map(({ text }) => text);
  });
  expect(cpuMs).toBeLessThan(2_000);
  expect(texts).toEqual(messages(MOST).map(({ text }) => text));
});

test('rejects cursors of another conversation or list, and malformed ones', async () => {
  const { edges } = await page({ first: 1 });
  const other = await startConversation(app, tenant);
  await append(app, tenant, other.id, messages(3));
  const listed = await app.graphql('{ conversations(first: 1) { edges { cursor } } }', {}, tenant.read);
  const { conversations } = listed.body.data as unknown as {
    conversations: { edges: { cursor: string }[] };
  };
  for (const [conversation, after] of [
    [other.id, edges[0]?.cursor],
    [id, conversations.edges[0]?.cursor],
    [id, 'garbage'],
    [id, ''],
  ]) {
    const { body } = await app.graphql(PAGE, { id: conversation, after }, tenant.read);
    expect(body).toMatchObject({
      errors: [{ extensions: { code: 'VALIDATION_FAILED', details: [{ path: 'after' }] } }],
    });
  }
});

test.each([0, -1, 101])('rejects pages of %i', async (first) => {
  const { body } = await app.graphql(PAGE, { id, first }, tenant.read);
  expect(body).toMatchObject({
    errors: [{ extensions: { code: 'VALIDATION_FAILED', details: [{ path: 'first' }] } }],
  });
});
