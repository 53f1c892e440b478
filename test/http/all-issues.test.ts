import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cpuMsOf } from '../support/cpu-time.ts';
import { send, startServer } from './support.ts';

const ENDPOINTS = '/api/v1/customers/42/webhook-endpoints';
/** Words of the validator and of graphql-js, which no client sees, apart from the event type `recorder_key.invalid`. */
const FOREIGN =
  /(?<!recorder_key\.)Invalid|expected|received|Too (big|small)|Unrecognized|cannot represent|Expected|of type|^Field/i;

let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer({ env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' } });
});
afterAll(() => server.stop());

type Details = Record<string, string>;

const byPath = (details: { path: string; message: string }[] = []): Details => {
  for (const { message } of details) expect(message).not.toMatch(FOREIGN);
  expect(details.length).toBe(new Set(details.map(({ path }) => path)).size);
  return Object.fromEntries(details.map(({ path, message }) => [path, message]));
};

async function rest(method: string, path: string, body?: unknown): Promise<Details> {
  const answer = await send(server, method, path, { body });
  expect([answer.status, answer.body.error?.code]).toEqual([422, 'VALIDATION_FAILED']);
  return byPath(answer.body.error?.details);
}

async function graphql(query: string, variables: object): Promise<Details> {
  const { status, body } = await send(server, 'POST', '/graphql', { body: { query, variables } });
  const errors = body.errors as { extensions: { code: string; details?: [] } }[];
  expect([status, errors.map(({ extensions }) => extensions.code)]).toEqual([200, ['VALIDATION_FAILED']]);
  return byPath(errors[0]?.extensions.details);
}

const URL_PROBLEM = expect.stringMatching(/^The address /);

describe('every invalid field is reported at once, in REST', () => {
  test('types, bounds, names and the rules of the service', async () => {
    expect(
      await rest('POST', ENDPOINTS, { url: 'not a URL', description: 7, events: ['nope'], unknown: 1 }),
    ).toEqual({
      url: URL_PROBLEM,
      description: 'Must be a string.',
      'events.0': expect.stringMatching(/^Must be one of /),
      unknown: 'Unknown field.',
    });
    expect(
      await rest('PATCH', `${ENDPOINTS}/1`, { url: '', description: 'a\nb', events: [], enabled: 'yes' }),
    ).toEqual({
      url: 'Must not be empty.',
      description: 'Must not contain control characters, line breaks or bidirectional marks.',
      events: expect.stringMatching(/^Must name at least one event type/),
      enabled: 'Must be true or false.',
    });
    expect(
      await rest('PATCH', `${ENDPOINTS}/1`, { url: 'ftp://example.com', description: 'x'.repeat(501) }),
    ).toEqual({ url: URL_PROBLEM, description: 'Must be at most 500 characters long.' });
  });

  test('missing fields, conditions between fields and times', async () => {
    expect(await rest('POST', '/v1/events', { type: 'conversion', value: 'x', visitor_id: '' })).toEqual({
      value: 'Must be a number.',
      visitor_id: 'Must not be empty.',
      goal: 'Is required for a conversion.',
    });
    expect(
      await rest('POST', '/v1/events', {
        type: 'Conversion',
        occurred_at: 'yesterday',
        goal: '',
        properties: { a: { b: { c: { d: { e: {} } } } } },
      }),
    ).toEqual({
      visitor_id: 'Is required.',
      occurred_at: expect.stringMatching(/^Must be an ISO 8601/),
      type: expect.stringMatching(/^Must be a lower-case letter/),
      goal: 'Must not be empty.',
      properties: 'Must be nested at most 5 levels deep.',
    });
  });

  test('query parameters', async () => {
    expect(
      await rest('GET', `${ENDPOINTS}/1/deliveries?limit=0&status=nope&event=nope&x=1&cursor=no`),
    ).toEqual({
      cursor: expect.stringMatching(/^Must be a cursor returned by this list/),
      limit: 'Must be 1 to 200.',
      status: expect.stringMatching(/^Must be one of /),
      event: expect.stringMatching(/^Must be one of /),
      x: 'Unknown query parameter.',
    });
    const cursor = 'x'.repeat(501);
    expect(await rest('GET', `${ENDPOINTS}?cursor=${cursor}&limit=x`)).toEqual({
      cursor: 'Must have at most 500 characters.',
      limit: 'Must be a 32-bit integer.',
    });
  });

  test('up to 50 details', async () => {
    const body = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`unknown_${i}`, 1]));
    expect(Object.keys(await rest('POST', ENDPOINTS, { url: '', ...body }))).toHaveLength(50);
  });

  test('without reading the items of a list that is too long', async () => {
    const cpuMs = await cpuMsOf(async () => {
      expect(await rest('POST', ENDPOINTS, { url: '', events: Array(100_000).fill('nope') })).toEqual({
        url: 'Must not be empty.',
        events: expect.stringMatching(/^Must have at most /),
      });
    });
    expect(cpuMs).toBeLessThan(500);
  });
});

describe('every invalid field is reported at once, in GraphQL', () => {
  const CREATE = `mutation ($input: CreateWebhookEndpointInput!) {
    createWebhookEndpoint(input: $input) { secret }
  }`;

  test('types, bounds, names and the rules of the service', async () => {
    const input = { url: 'not a URL', description: 7, events: ['nope'], unknown: 1 };
    expect(await graphql(CREATE, { input })).toEqual({
      'input.url': URL_PROBLEM,
      'input.description': 'Must be a string.',
      'input.events.0': expect.stringMatching(/^Must be one of /),
      'input.unknown': 'Unknown field.',
    });
    expect(await graphql(CREATE, { input: { url: 'ftp://example.com', description: 'a\nb' } })).toEqual({
      'input.url': URL_PROBLEM,
      'input.description': 'Must not contain control characters, line breaks or bidirectional marks.',
    });
  });

  test('with a variable of another name, and several variables', async () => {
    const query = `mutation ($id: Int!, $changes: UpdateWebhookEndpointInput!) {
      updateWebhookEndpoint(id: $id, input: $changes) { id }
    }`;
    expect(await graphql(query, { id: '1', changes: { url: 5, description: 'x'.repeat(501) } })).toEqual({
      id: 'Must be a 32-bit integer.',
      'changes.url': 'Must be a string.',
      'input.description': 'Must be at most 500 characters long.',
    });
    expect(await graphql(query, { changes: null })).toEqual({
      id: 'Is required.',
      changes: 'Must not be null.',
    });
  });

  test('a literal beside an invalid variable is not reported as missing', async () => {
    const query = `query ($first: Int) {
      meetingSearch(query: "budget", first: $first) { edges { cursor } }
    }`;
    expect(await graphql(query, { first: '1' })).toEqual({ first: 'Must be a 32-bit integer.' });
  });

  test('missing fields and items of lists', async () => {
    const query = `mutation ($conversationId: ID!, $messages: [MessageInput!]!) {
      appendMessages(conversationId: $conversationId, messages: $messages) { __typename }
    }`;
    const messages = [
      { role: 'visitor', text: '' },
      { role: 'stranger', sentAt: 'now' },
      null,
      { role: 'bot', text: 'x', extra: 1 },
    ];
    expect(await graphql(query, { conversationId: true, messages })).toEqual({
      conversationId: 'Must be a string.',
      'messages.0.text': 'Must not be empty.',
      'messages.1.role': 'Must be one of visitor, bot, operator.',
      'messages.1.text': 'Is required.',
      'messages.1.sentAt': expect.stringMatching(/^Must be an ISO 8601/),
      'messages.2': 'Must not be null.',
      'messages.3.extra': 'Unknown field.',
    });
  });

  test('accepts what GraphQL coerces: one item for a list, a number for an ID', async () => {
    const query = `mutation ($input: CreateWebhookEndpointInput!, $id: ID!) {
      createWebhookEndpoint(input: $input) { endpoint { events } }
      resendWebhookDelivery(id: $id) { id }
    }`;
    const variables = { input: { url: 'http://127.0.0.1:9/one', events: 'outcome.marked' }, id: 5 };
    const { body } = await send(server, 'POST', '/graphql', { body: { query, variables } });
    expect(JSON.stringify(body)).not.toContain('VALIDATION_FAILED');
  });

  test('the members of the request are described in the same words', async () => {
    const { status, body } = await send(server, 'POST', '/graphql', {
      body: { query: 5, operationName: 5, variables: 'x', extra: 1 },
    });
    const [error] = body.errors as { extensions: { details: { path: string; message: string }[] } }[];
    expect([status, byPath(error?.extensions.details)]).toEqual([
      400,
      {
        query: 'Must be a string.',
        operationName: 'Must be a string.',
        variables: 'Must be a JSON object.',
        extra: 'Unknown field.',
      },
    ]);
  });
});

describe('a time in any supported form', () => {
  test('is read in bodies, variables, literals and query parameters', async () => {
    const occurred_at = '2026-01-31t09:30:00.5z';
    const event = { type: 'signup', visitor_id: 'v_1', occurred_at };
    const recorded = await send(server, 'POST', '/v1/events', { body: event });
    expect([recorded.status, recorded.body]).toMatchObject([
      201,
      { occurred_at: '2026-01-31T09:30:00.500Z' },
    ]);
    const since = encodeURIComponent('2026-01-31t09:30:00+01:00');
    expect((await send(server, 'GET', `/v1/conversations?since=${since}`)).status).toBe(200);
    for (const form of ['2026-01-31', '2026-01-31T09:30Z', '2026-01-31T09:30:00+01:00'])
      expect((await send(server, 'GET', `/v1/conversations?since=${form}`)).status).toBe(200);
    const literal = `mutation { recordEvent(input: { type: "signup", visitorId: "v", occurredAt: "${occurred_at}" }) { occurredAt } }`;
    const { body } = await send(server, 'POST', '/graphql', { body: { query: literal } });
    expect(body).toMatchObject({ data: { recordEvent: { occurredAt: '2026-01-31T09:30:00.500Z' } } });
  });

  test.each(['2026-01-31 09:30:00Z', '2026-02-30t09:30:00z', '2026-01-31t09:30:00'])(
    '%s is refused',
    async (occurred_at) => {
      const details = await rest('POST', '/v1/events', { type: 'signup', visitor_id: 'v_1', occurred_at });
      expect(details).toEqual({ occurred_at: expect.stringMatching(/^Must be an ISO 8601/) });
    },
  );
});
