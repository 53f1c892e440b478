import { createHash } from 'node:crypto';
import { getIntrospectionQuery, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildSchemas } from '../../schema/index.ts';
import documents from '../../src/console/generated/persisted-documents.json' with { type: 'json' };
import { type Answer, startApp, type TestApp, type TestTenant } from '../support/app.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const CUSTOMER_CHECK = Object.entries(documents).find(([, text]) => text.startsWith('query CustomerCheck'));
const [documentId = '', text = ''] = CUSTOMER_CHECK ?? [];
const sha256Hash = documentId.replace('sha256:', '');
const byHash = (hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: hash } } });

let app: TestApp;
let tenant: TestTenant;
const send = (body: object) => app.request('POST', '/graphql', { key: tenant.read, body });
const codeOf = ({ status, body }: Answer) => ({
  status,
  code: (body.errors as unknown as { extensions: { code: string } }[])?.[0]?.extensions.code,
});
const expectViewer = (answer: Answer) =>
  expect(answer).toMatchObject({ status: 200, body: { data: { viewer: { scope: 'read' } } } });

async function start(env: Record<string, string>) {
  app = await startApp(env);
  tenant = await app.newTenant();
}

describe("the console's documents", () => {
  const entries = Object.entries(documents);

  test('are named by the SHA-256 of their text', () => {
    expect(entries.length).toBeGreaterThan(20);
    for (const [id, document] of entries) expect(id).toBe(`sha256:${sha256(document)}`);
  });

  test('are valid', () => {
    const schema = buildSchemas().graphql;
    for (const [, document] of entries) expect(validate(schema, parse(document))).toEqual([]);
  });
});

describe('GRAPHQL_DOCUMENTS=any', () => {
  beforeAll(() => start({}));
  afterAll(() => app.stop());

  test('executes a document that `documentId` names', async () => expectViewer(await send({ documentId })));

  test('executes a document that `persistedQuery` names', async () => {
    expectViewer(await send(byHash(sha256Hash)));
    // As graphql-sse sends it.
    expectViewer(await send({ query: '', ...byHash(sha256Hash) }));
  });

  test('executes any text, with its hash as well', async () => {
    const query = '{ viewer { scope tenant { customerId } } }';
    expectViewer(await send({ query }));
    expectViewer(await send({ query, ...byHash(sha256(query)) }));
    expectViewer(await send({ query, documentId: `sha256:${sha256(query)}` }));
  });

  test.each([
    ['an unknown identifier', { documentId: `sha256:${'0'.repeat(64)}` }],
    ['an unknown hash', byHash('0'.repeat(64))],
    ['an identifier of another form', { documentId: 'SignIn' }],
    ['the name of an inherited property', { documentId: 'constructor' }],
  ])('does not find %s', async (_what, body) => {
    const answer = await send(body);
    expect(codeOf(answer)).toEqual({ status: 400, code: 'PERSISTED_QUERY_NOT_FOUND' });
    // The clients of persisted queries look for this word, and send the text.
    expect(answer.body).toMatchObject({ errors: [{ message: 'PersistedQueryNotFound' }] });
  });

  test.each([
    ['neither text nor identifier', {}],
    ['an empty text', { query: '' }],
    ['a hash that is not a string', { extensions: { persistedQuery: { sha256Hash: 1 } } }],
    ['an identifier that is not a string', { documentId: 1 }],
    ['a text with the hash of another', { query: '{ viewer { scope } }', documentId }],
  ])('is a 400 for %s', async (_what, body) => {
    expect(codeOf(await send(body))).toEqual({ status: 400, code: 'BAD_REQUEST' });
  });

  test('serves GraphiQL', async () => {
    const { body } = await app.request('GET', '/graphql', { headers: { accept: 'text/html' } });
    expect(String(body)).toContain('renderYogaGraphiQL');
  });
});

describe('GRAPHQL_DOCUMENTS=trusted', () => {
  beforeAll(() => start({ GRAPHQL_DOCUMENTS: 'trusted' }));
  afterAll(() => app.stop());

  test("executes the console's documents by identifier, by hash and by text", async () => {
    expectViewer(await send({ documentId }));
    expectViewer(await send(byHash(sha256Hash)));
    expectViewer(await send({ query: text }));
  });

  test.each([
    ['a text', { query: '{ viewer { scope } }' }],
    ['a trusted text with a further blank', { query: `${text} ` }],
    ['another text under a trusted identifier', { query: '{ viewer { scope } }', documentId }],
    [
      'a text with its own hash',
      { query: '{ health { status } }', ...byHash(sha256('{ health { status } }')) },
    ],
    ['an introspection', { query: getIntrospectionQuery() }],
    ['a text that cannot be parsed', { query: '{' }],
    ['an unknown identifier', { documentId: `sha256:${'0'.repeat(64)}` }],
    ['a mutation', { query: 'mutation { startConversation(input: { visitorId: "v_1" }) { id } }' }],
  ])('refuses %s', async (_what, body) => {
    expect(codeOf(await send(body))).toEqual({ status: 400, code: 'DOCUMENT_NOT_TRUSTED' });
  });

  test('requires a key', async () => {
    expect((await app.request('POST', '/graphql', { body: { documentId } })).status).toBe(401);
  });

  test('serves a notice instead of GraphiQL', async () => {
    const { status, body } = await app.request('GET', '/graphql', { headers: { accept: 'text/html' } });
    expect(status).toBe(200);
    expect(String(body)).toContain('GraphiQL is not available');
    expect(String(body)).not.toContain('<script');
  });
});
