import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildSchemas } from '../../schema/index.ts';
import { AppError } from '../../src/errors/app-error.ts';
import { DatabaseUnavailable } from '../../src/platform/mongo/unavailable.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { recordedEvents } from '../support/recorded-events.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const START = `mutation ($input: StartConversationInput!) { startConversation(input: $input) { id startedAt } }`;
const CREATE_KEY = `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key apiKey { id createdAt } } }`;

interface Mutation {
  query: string;
  variables?: Record<string, unknown>;
  key: string;
  idempotencyKey: string;
  headers?: Record<string, string>;
}

const mutate = ({ query, variables = {}, key, idempotencyKey, headers = {} }: Mutation) =>
  app.graphql(query, variables, key, { ...headers, 'idempotency-key': idempotencyKey });

async function expectReplayed(mutation: Mutation) {
  const first = await mutate(mutation);
  expect(first.body.errors).toBeUndefined();
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  const again = await mutate(mutation);
  expect([again.status, again.body]).toEqual([first.status, first.body]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  return first.body;
}

const conversations = ({ customerId }: TestTenant) => app.models.Conversation.countDocuments({ customerId });

describe('an Idempotency-Key on a mutation', () => {
  test('starts one conversation; another operation or other variables are a conflict', async () => {
    const tenant = await app.newTenant();
    const mutation = {
      query: START,
      variables: { input: { visitorId: 'v1' } },
      key: tenant.write,
      idempotencyKey: 'k',
    };
    await expectReplayed(mutation);
    for (const change of [
      { variables: { input: { visitorId: 'v2' } } },
      { query: START.replace('startedAt', 'status') },
    ]) {
      const refused = await mutate({ ...mutation, ...change });
      expect(refused.body).toMatchObject({ errors: [{ extensions: { code: 'CONFLICT' } }] });
    }
    expect(await conversations(tenant)).toBe(1);
  });

  test('runs one of 20 parallel mutations', async () => {
    const tenant = await app.newTenant();
    const mutation = {
      query: START,
      variables: { input: { visitorId: 'v1' } },
      key: tenant.write,
      idempotencyKey: 'k',
    };
    const answers = await Promise.all(Array.from({ length: 20 }, () => mutate(mutation)));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.has('idempotent-replayed'))).toHaveLength(19);
    expect(await conversations(tenant)).toBe(1);
  });

  test('covers an operation with several fields as a whole', async () => {
    const tenant = await app.newTenant();
    const query = `mutation {
      a: startConversation(input: { visitorId: "a" }) { id }
      b: startConversation(input: { visitorId: "b" }) { id }
    }`;
    await expectReplayed({ query, key: tenant.write, idempotencyKey: 'k' });
    expect(await conversations(tenant)).toBe(2);
  });

  test('does not execute the fields before a failed one again', async () => {
    const tenant = await app.newTenant();
    const missing = 'endConversation(conversationId: "665f1c2ab8e4d3a1f0c9b7e6") { id }';
    const start = 'startConversation(input: { visitorId: "v" }) { id }';
    const request = (query: string) => ({ query, key: tenant.write, idempotencyKey: 'k' });
    const isNotFound = { errors: [{ extensions: { code: 'NOT_FOUND' } }] };
    // The first field has failed: none has made a change, and the key is free.
    expect((await mutate(request(`mutation { a: ${missing} b: ${start} }`))).body).toMatchObject(isNotFound);
    expect(await conversations(tenant)).toBe(0);

    const partial = request(`mutation { a: ${start} b: ${missing} }`);
    expect((await mutate(partial)).body).toMatchObject(isNotFound);
    const again = await mutate(partial);
    expect(again.body).toMatchObject({ errors: [{ extensions: { code: 'CONFLICT' } }] });
    expect(again.body.errors?.[0]?.message).toContain('was not stored');
    expect(await conversations(tenant)).toBe(1);
  });

  test.each([
    [new DatabaseUnavailable(), 'was not stored'],
    [new Error('unexpected'), 'was not stored'],
    [new AppError('CONFLICT', 'It is disabled.'), 'It is disabled.'],
  ])('does not execute an operation again that may have made changes: %s', async (error, message) => {
    const request = {
      owner: 'unit',
      route: 'POST /graphql',
      key: randomUUID(),
      input: null,
    };
    let executions = 0;
    const run = () =>
      app.services.idempotency.claimFirst(request, async () => {
        executions += 1;
        throw error;
      });
    await expect(run()).rejects.toBe(error);
    await expect(run()).rejects.toThrow(message);
    expect(executions).toBe(error instanceof AppError ? 2 : 1);
  });

  test('of an admin key creates one API key, and stores it encrypted', async () => {
    const tenant = await app.newTenant();
    const variables = { input: { scope: 'read', customerId: tenant.customerId } };
    const mutation = { query: CREATE_KEY, variables, key: app.admin, idempotencyKey: 'k' };
    const body = await expectReplayed(mutation);
    const keys = app.models.ApiKey.countDocuments({ customerId: tenant.customerId });
    expect(await keys).toBe(3);
    const key = String(body.data?.createApiKey?.key);
    const records = await app.models.Idempotency.find({ _id: /^key-/ }).lean();
    expect(records).toHaveLength(1);
    expect(JSON.stringify(records)).not.toContain(key);
    expect((await app.graphql('{ viewer { scope } }', {}, key)).body.errors).toBeUndefined();
  });

  test('is not stored with errors, and returns a repetition of a move that changes nothing', async () => {
    const tenant = await app.newTenant();
    const { id } = await app.services.moves.start(tenant.tenant, { visitorId: 'v1' });
    const end = (conversationId: string) => ({
      query: 'mutation ($id: ID!) { endConversation(conversationId: $id) { id status } }',
      variables: { id: conversationId },
      key: tenant.write,
      idempotencyKey: 'k',
    });
    const missing = await mutate(end('665f1c2ab8e4d3a1f0c9b7e6'));
    expect(missing.body).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
    await expectReplayed(end(id));
    await expectReplayed({ ...end(id), idempotencyKey: 'again' });
  });

  test('is checked for a mutation only', async () => {
    const tenant = await app.newTenant();
    const query = '{ viewer { scope } }';
    const answer = await mutate({ query, key: tenant.write, idempotencyKey: '' });
    expect(answer.body.errors).toBeUndefined();
    const refused = await mutate({
      query: START,
      variables: { input: { visitorId: 'v' } },
      key: tenant.write,
      idempotencyKey: '',
    });
    expect(refused.body).toMatchObject({
      errors: [{ extensions: { code: 'VALIDATION_FAILED', details: [{ path: 'Idempotency-Key' }] } }],
    });
    expect(await conversations(tenant)).toBe(0);
  });
});

describe('a mutation that makes its changes in one commit', () => {
  /** Arguments and selection by field; `$ID` is the id of a conversation. */
  const MUTATIONS: Record<string, string> = {
    startConversation: '(input: { visitorId: "v" }) { id }',
    appendMessages: '(conversationId: $ID, messages: [{ role: visitor, text: "Hello" }]) { id }',
    resolveIdentity: '(conversationId: $ID, identity: { resolvedPersonId: "p" }) { id }',
    recordConversion: '(conversationId: $ID, input: { goal: "g" }) { id }',
    recordResolution: '(conversationId: $ID, input: { resolvedPersonId: "p" }) { id }',
    requestHandoff: '(conversationId: $ID, input: { schemaName: "s", urgency: low }) { id }',
    endConversation: '(conversationId: $ID) { id }',
    closeConversation: '(conversationId: $ID) { id }',
    markOutcome: '(conversationId: $ID, category: "qualified") { id }',
    recordEvent: '(input: { type: "page", visitorId: "v" }) { id }',
    createWebhookEndpoint: '(input: { url: "http://127.0.0.1:9/hooks" }) { secret }',
    rotateWebhookSecret: '(id: $ENDPOINT) { secret }',
  };
  const declared = Object.values(buildSchemas().graphql.getMutationType()?.getFields() ?? {})
    .filter(({ extensions }) => extensions.commitsOnce === true)
    .map(({ name }) => name);

  test('is a mutation that its field declares as such', () => {
    expect(declared.sort()).toEqual(Object.keys(MUTATIONS).sort());
  });

  test.each(Object.entries(MUTATIONS))('stores the result of %s with it', async (name, rest) => {
    const tenant = await app.newTenant();
    const { id } = await app.services.moves.start(tenant.tenant, { visitorId: 'v1' });
    const { endpoint } = await app.services.endpoints.create(tenant.tenant, {
      url: 'http://127.0.0.1:9/other',
    });
    const call = rest.replace('$ID', JSON.stringify(id)).replace('$ENDPOINT', String(endpoint.id));
    await expectReplayed({ query: `mutation { ${name}${call} }`, key: tenant.write, idempotencyKey: 'k' });
    const record = await app.models.Idempotency.findById(`${tenant.customerId}:POST /graphql:k`).lean();
    expect(record).toMatchObject({ result: expect.any(String), claimedUntil: null });
  });
});

/** Spends a customer's budgets for the stored responses of a day. */
async function spendBudgets({ customerId }: TestTenant, protocols: ('claimed' | 'committed')[]) {
  const spent = 256 * 1024 * 1024;
  const at = new Date();
  const expiresAt = new Date(at.getTime() + 24 * 60 * 60 * 1000);
  for (const protocol of protocols)
    await app.models.QuotaWindow.collection.insertOne({
      _id: `idempotency:${customerId}:${protocol}` as never,
      ...{ reserved: spent, before: spent, at, expiresAt },
    });
}

const storedResponses = ({ customerId }: TestTenant) =>
  app.models.Idempotency.countDocuments({ _id: new RegExp(`^${customerId}:`), response: { $ne: null } });

describe('a response that was lost after its change was committed', () => {
  test('is made again from the result that the commit stored', async () => {
    const tenant = await app.newTenant();
    const mutation = {
      query: START,
      variables: { input: { visitorId: 'v1' } },
      key: tenant.write,
      idempotencyKey: 'k',
    };
    const first = await mutate(mutation);
    const id = `${tenant.customerId}:POST /graphql:k`;
    const { modifiedCount } = await app.models.Idempotency.updateOne(
      { _id: id },
      { $set: { response: null } },
    );
    expect(modifiedCount).toBe(1);
    const again = await mutate(mutation);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await conversations(tenant)).toBe(1);
  });

  test('is stored even if responses that cannot be made again have spent their budget', async () => {
    const tenant = await app.newTenant();
    await spendBudgets(tenant, ['claimed']);
    const start = `startConversation(input: { visitorId: "v1" }) { id }`;
    const query = `mutation { ${start} }`;
    await expectReplayed({ query, key: tenant.write, idempotencyKey: 'one' });
    const two = { query: `mutation { a: ${start} b: ${start} }`, key: tenant.write, idempotencyKey: 'two' };
    expect((await mutate(two)).body.errors).toBeUndefined();
    expect(await storedResponses(tenant)).toBe(1);
  });

  test('that is beyond the budget of its customer for a day as well; one of several changes is a 409', async () => {
    const tenant = await app.newTenant();
    await spendBudgets(tenant, ['claimed', 'committed']);
    const start = `startConversation(input: { visitorId: "v1" }) { id }`;
    await expectReplayed({ query: `mutation { ${start} }`, key: tenant.write, idempotencyKey: 'one' });
    const two = {
      query: `mutation { a: ${start} b: ${start} }`,
      key: tenant.write,
      idempotencyKey: 'two',
    };
    expect((await mutate(two)).body.errors).toBeUndefined();
    expect((await mutate(two)).body).toMatchObject({
      errors: [{ message: expect.stringContaining('was not stored'), extensions: { code: 'CONFLICT' } }],
    });
    expect(await conversations(tenant)).toBe(3);
    expect(await storedResponses(tenant)).toBe(0);
  });

  test('of a conversion and of an endpoint as well', async () => {
    const tenant = await app.newTenant();
    const requests = [
      { path: '/v1/events', body: { type: 'conversion', goal: 'g', visitor_id: 'v', value: 2.5 } },
      {
        path: `/api/v1/customers/${tenant.customerId}/webhook-endpoints`,
        body: { url: 'http://127.0.0.1:9/hooks' },
      },
    ];
    for (const { path, body } of requests) {
      const send = () =>
        app.request('POST', path, { key: tenant.write, body, headers: { 'idempotency-key': 'k' } });
      const first = await send();
      expect(first.status).toBe(201);
      await app.models.Idempotency.updateMany({}, { $set: { response: null } });
      const again = await send();
      expect([again.status, again.body]).toEqual([201, first.body]);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    }
    const { customerId } = tenant;
    expect((await recordedEvents(app.models, { customerId })).count).toBe(1);
    expect(await app.models.Endpoint.countDocuments({ customerId })).toBe(1);
  });
});
