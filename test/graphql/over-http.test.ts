import { describe, expect, test } from 'vitest';
import { type Answer, KEYS, send } from '../http/support.ts';
import { server } from './endpoint.ts';

const QUERY = '{ viewer { scope } }';
const MUTATION = 'mutation { createWebhookEndpoint(input: { url: "https://example.com/get" }) { secret } }';
const SUBSCRIPTION = 'subscription { webhookDeliveryUpdated { id } }';
const JSON_TYPE = 'application/json; charset=utf-8';
const GRAPHQL_TYPE = 'application/graphql-response+json; charset=utf-8';
const EVENTS_TYPE = 'text/event-stream; charset=utf-8';

type Headers = Record<string, string>;

const post = (query: string, accept: string, headers: Headers = {}) =>
  send(server, 'POST', '/graphql', { body: { query }, headers: { accept, ...headers } });

const get = (
  parameters: Record<string, string>,
  { key = KEYS.write, headers = {} }: { key?: string | null; headers?: Headers } = {},
) => send(server, 'GET', `/graphql?${new URLSearchParams(parameters)}`, { key, headers });

const typeOf = ({ headers }: Answer) => headers.get('content-type');
const codeOf = ({ text }: Answer): string => JSON.parse(text).errors[0].extensions.code;

const countEndpoints = async (): Promise<number> => server.models.Endpoint.countDocuments();

describe('the type of the response', () => {
  test.each([
    [JSON_TYPE, '*/*'],
    [JSON_TYPE, 'application/*'],
    [JSON_TYPE, 'application/json'],
    [JSON_TYPE, 'application/json, multipart/mixed'],
    [JSON_TYPE, 'application/graphql-response+json;q=0.5, application/json'],
    [JSON_TYPE, 'application/graphql-response+json;q=0, */*'],
    [JSON_TYPE, 'application/graphql-response+json; charset=latin1'],
    [JSON_TYPE, 'image/png'],
    [JSON_TYPE, 'text/html;q=x, ;;,'],
    [JSON_TYPE, `application/graphql-response+json${', a/b'.repeat(200)}`],
    [GRAPHQL_TYPE, 'application/graphql-response+json'],
    [GRAPHQL_TYPE, 'application/graphql-response+json,application/json;q=0.9'],
    [GRAPHQL_TYPE, 'application/graphql-response+json; charset=utf-8, application/json; charset=utf-8'],
    [GRAPHQL_TYPE, 'application/json;q=0, */*'],
    [EVENTS_TYPE, 'text/event-stream'],
    [EVENTS_TYPE, 'application/json;q=0.1, text/event-stream'],
  ])('is %s for %s', async (type, accept) => {
    const answer = await post(QUERY, accept);
    expect(answer.status).toBe(200);
    expect(typeOf(answer)).toBe(type);
  });

  test('applies to errors of the whole request', async () => {
    const accept = 'application/graphql-response+json';
    const anonymous = await send(server, 'POST', '/graphql', { key: null, headers: { accept } });
    expect([anonymous.status, typeOf(anonymous)]).toEqual([401, GRAPHQL_TYPE]);
    const unsupported = await send(server, 'POST', '/graphql', {
      raw: 'x',
      headers: { accept, 'content-type': 'text/plain' },
    });
    expect([unsupported.status, typeOf(unsupported)]).toEqual([415, GRAPHQL_TYPE]);
  });
});

test.each([
  ['a document that cannot be parsed', '{', 400, 400],
  ['a document that is not valid', '{ nonsense }', 400, 400],
  ['a variable that cannot be coerced', 'query ($id: Int!) { webhookEndpoint(id: $id) { id } }', 400, 200],
  ['a failed field', '{ conversation(id: "none") { id } }', 200, 200],
  ['a mutation with invalid input', MUTATION.replace('https://example.com/get', ''), 200, 200],
])('%s has the status of the response type', async (_what, query, status, jsonStatus) => {
  const answer = await post(query, 'application/graphql-response+json');
  expect(answer.status).toBe(status);
  expect('data' in JSON.parse(answer.text)).toBe(status === 200);
  expect((await post(query, 'application/json')).status).toBe(jsonStatus);
});

describe('a GET request', () => {
  test('executes a query with its variables', async () => {
    const answer = await get({
      query: 'query A { viewer { scope } } query B($id: Int!) { webhookEndpoint(id: $id) { id } }',
      operationName: 'B',
      variables: '{"id":1}',
      extensions: '{}',
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ data: { webhookEndpoint: { id: 1 } } });
  });

  test('with an empty operation name executes the only operation', async () => {
    expect((await get({ query: 'query A { viewer { scope } }', operationName: '' })).status).toBe(200);
    const query = 'query A { viewer { scope } } query B { viewer { scope } }';
    expect((await get({ query, operationName: '' })).status).toBe(400);
  });

  test.each([
    ['a mutation', MUTATION, '*/*'],
    ['a mutation as an event stream', MUTATION, 'text/event-stream'],
    ['a subscription without an event stream', SUBSCRIPTION, 'application/json'],
  ])('does not execute %s', async (_what, query, accept) => {
    const before = await countEndpoints();
    const answer = await get({ query }, { headers: { accept } });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST');
    expect(codeOf(answer)).toBe('METHOD_NOT_ALLOWED');
    expect(await countEndpoints()).toBe(before);
  });

  test.each([
    ['no query', 'operationName=A'],
    ['two queries', `query=${encodeURIComponent(QUERY)}&query=x`],
    ['an unknown parameter', `query=${encodeURIComponent(QUERY)}&id=1`],
    ['a parameter named __proto__', `query=${encodeURIComponent(QUERY)}&__proto__=1`],
    ['variables that are not JSON', `query=${encodeURIComponent(QUERY)}&variables=%7B`],
    ['variables that are a list', `query=${encodeURIComponent(QUERY)}&variables=%5B%5D`],
    ['empty extensions', `query=${encodeURIComponent(QUERY)}&extensions=`],
    ['a malformed escape', 'query=%E0%A4%A'],
  ])('with %s is a 400', async (_what, queryString) => {
    const answer = await send(server, 'GET', `/graphql?${queryString}`);
    expect(answer.status).toBe(400);
    expect(codeOf(answer)).toBe('BAD_REQUEST');
  });

  test('is bounded by the size of the headers', async () => {
    expect((await get({ query: `{ viewer { scope } } # ${'x'.repeat(16_384)}` })).status).toBe(431);
  });

  test('is answered with GraphiQL only if it prefers a page and has no query', async () => {
    const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const page = await send(server, 'GET', '/graphql', { key: null, headers: { accept } });
    expect(typeOf(page)).toBe('text/html; charset=utf-8');
    expect(page.headers.get('vary')).toBe('Accept');
    const operation = await get({ query: QUERY }, { headers: { accept } });
    expect(operation.body).toEqual({ data: { viewer: { scope: 'write' } } });
    for (const other of ['*/*', 'application/json', 'text/html;q=0.1, application/json']) {
      const anonymous = await send(server, 'GET', '/graphql', { key: null, headers: { accept: other } });
      expect([anonymous.status, typeOf(anonymous)]).toEqual([401, JSON_TYPE]);
    }
  });
});

describe('a request that a page of another origin can send without a preflight executes nothing', () => {
  const simple: Headers = {
    origin: 'https://attacker.example',
    cookie: `authorization=Bearer ${KEYS.write}; key=${KEYS.write}`,
    'sec-fetch-site': 'cross-site',
  };

  test.each(['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain'])(
    'by POST with %s',
    async (type) => {
      const before = await countEndpoints();
      const raw = JSON.stringify({ query: MUTATION });
      const headers = { ...simple, 'content-type': type };
      expect((await send(server, 'POST', '/graphql', { key: null, raw, headers })).status).toBe(401);
      expect(await countEndpoints()).toBe(before);
    },
  );

  test('by GET', async () => {
    const answer = await get({ query: QUERY }, { key: null, headers: simple });
    expect(answer.status).toBe(401);
    expect(answer.text).not.toContain('data');
  });
});

describe('an event stream', () => {
  const events = (text: string) =>
    text.split('\n\n').flatMap((event) => {
      const data = /^event: next\ndata: (.*)$/m.exec(event)?.[1];
      return data ? [JSON.parse(data)] : [];
    });

  test.each([
    ['a query', QUERY, { data: { viewer: { scope: 'write' } } }],
    [
      'a document that is not valid',
      'subscription { nonsense }',
      { errors: [{ extensions: { code: 'BAD_REQUEST' } }] },
    ],
    ['a mutation', MUTATION, { data: { createWebhookEndpoint: { secret: expect.any(String) } } }],
  ])('is the result of %s, then the end', async (_what, query, expected) => {
    const { status, text } = await post(query, 'text/event-stream');
    expect(status).toBe(200);
    expect(events(text)).toMatchObject([expected]);
    expect(text).toMatch(/\n\nevent: complete\ndata:\n\n$/);
  });

  test('reports that a subscription cannot start', async () => {
    // An admin key must name a customer.
    const { status, text } = await send(server, 'POST', '/graphql', {
      key: KEYS.admin,
      body: { query: SUBSCRIPTION },
      headers: { accept: 'text/event-stream' },
    });
    expect(status).toBe(200);
    expect(events(text)).toMatchObject([{ errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] }]);
  });

  test('reports a Last-Event-ID that no event has', async () => {
    const { status, text } = await post(SUBSCRIPTION, 'text/event-stream', { 'last-event-id': '82AB' });
    expect(status).toBe(200);
    expect(events(text)).toMatchObject([
      {
        errors: [{ extensions: { code: 'VALIDATION_FAILED', details: [{ path: 'Last-Event-ID' }] } }],
      },
    ]);
  });

  test.each<Headers>([{ 'last-event-id': '' }, { accept: 'Text/Event-Stream' }])(
    'begins with live events with the header %o',
    async (headers) => {
      expect(await readEvents(headers, 1)).toHaveLength(1);
    },
  );

  test('is not begun for a client that has disconnected', async () => {
    const feed = server.services.deliveryFeed;
    const { subscribe } = feed;
    const stop = new AbortController();
    const ended = Promise.withResolvers<void>();
    feed.subscribe = (principal, tenant, options) => {
      options.signal?.addEventListener('abort', () => ended.resolve());
      stop.abort();
      return subscribe(principal, tenant, options);
    };
    const request = fetch(`${server.url}/graphql?${new URLSearchParams({ query: SUBSCRIPTION })}`, {
      headers: { authorization: `Bearer ${KEYS.write}`, accept: 'text/event-stream' },
      signal: stop.signal,
    });
    await expect(request).rejects.toThrow();
    await ended.promise;
    feed.subscribe = subscribe;
  });

  test('resumes after the event that Last-Event-ID names', async () => {
    const first = await readEvents({}, 1);
    const missed = await Promise.all([record(), record()]);
    const resumed = await readEvents({ 'last-event-id': first.at(-1)?.id ?? '' }, 2);
    expect(missed).toHaveLength(2);
    const ids = [...first, ...resumed].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual([...ids].sort());
    // The key of another customer may not receive them.
    const foreign = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${KEYS.otherWrite}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
        'last-event-id': first.at(-1)?.id ?? '',
      },
      body: JSON.stringify({ query: SUBSCRIPTION }),
    });
    const reader = foreign.body?.getReader();
    let text = '';
    const timeout = setTimeout(() => void reader?.cancel(), 1_000);
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
      text += Buffer.from(part.value).toString();
    clearTimeout(timeout);
    expect(text).not.toContain('webhookDeliveryUpdated');
  });
});

/** Causes a delivery to the endpoint of customer 42. */
const record = () =>
  send(server, 'POST', '/graphql', {
    body: {
      query: 'mutation { recordEvent(input: { type: "conversion", goal: "order", visitorId: "v" }) { id } }',
    },
  });

/** Reads events of a subscription by GET, while events are recorded. */
async function readEvents(headers: Headers, count: number): Promise<{ id: string; data: unknown }[]> {
  const stop = new AbortController();
  const response = await fetch(`${server.url}/graphql?${new URLSearchParams({ query: SUBSCRIPTION })}`, {
    headers: { authorization: `Bearer ${KEYS.write}`, accept: 'text/event-stream', ...headers },
    signal: stop.signal,
  });
  expect(response.status).toBe(200);
  if (!headers['last-event-id']) await record();
  const read: { id: string; data: unknown }[] = [];
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    const parts = text.split('\n\n');
    text = parts.pop() ?? '';
    for (const part of parts) {
      const [, id, data] = /^id: (\w+)\nevent: next\ndata: (.*)$/.exec(part) ?? [];
      if (id && data) read.push({ id, data: JSON.parse(data) });
    }
    if (read.length >= count) break;
  }
  stop.abort();
  return read.slice(0, count);
}
