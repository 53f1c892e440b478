import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { KEYS, rawConnection, send, startServer } from './support.ts';

const LIMIT = 1024 * 1024;
const EVENT = { type: 'signup', visitor_id: 'v1' };
let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const post = (options: Parameters<typeof send>[3]) => send(server, 'POST', '/v1/events', options);
const head = (headers: string[]) =>
  ['POST /v1/events HTTP/1.1', 'Host: x', `Authorization: Bearer ${KEYS.write}`, ...headers, '', ''].join(
    '\r\n',
  );

describe('a body over 1 MiB is a 413', () => {
  test('by its length, before it is sent', async () => {
    const { socket, received, closed } = await rawConnection(server.port);
    socket.write(head(['Content-Type: application/json', `Content-Length: ${LIMIT + 1}`]));
    await eventually(() => received().includes('PAYLOAD_TOO_LARGE'));
    expect(received()).toMatch(/^HTTP\/1\.1 413 /);
    expect(received()).toMatch(/connection: close/i);
    socket.end();
    await closed;
  });

  test('in chunks, with a response that reaches the client while it is still sending', async () => {
    const { socket, received, closed } = await rawConnection(server.port);
    socket.write(head(['Content-Type: application/json', 'Transfer-Encoding: chunked']));
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    let resets = 0;
    socket.on('error', () => resets++);
    for (let sent = 0; sent < 4 * LIMIT; sent += 0x10000) {
      if (!socket.write(chunk)) await new Promise((resolve) => socket.once('drain', resolve));
    }
    await eventually(() => received().includes('PAYLOAD_TOO_LARGE'));
    expect(resets).toBe(0);
    socket.write('0\r\n\r\n');
    await closed;
    expect(received()).toMatch(/^HTTP\/1\.1 413 .*"code":"PAYLOAD_TOO_LARGE"/s);
  });

  test('without 100 Continue if the client waits for it', async () => {
    const { socket, received } = await rawConnection(server.port);
    socket.write(
      head(['Content-Type: application/json', 'Expect: 100-continue', `Content-Length: ${LIMIT + 1}`]),
    );
    await eventually(() => received().includes('\r\n\r\n'));
    expect(received()).toMatch(/^HTTP\/1\.1 413 /);
    socket.destroy();
  });

  test('an unauthorized request is rejected before its body size is checked', async () => {
    const { socket, received } = await rawConnection(server.port);
    socket.write(`POST /v1/events HTTP/1.1\r\nHost: x\r\nContent-Length: ${LIMIT + 1}\r\n\r\n`);
    await eventually(() => received().includes('\r\n\r\n'));
    expect(received()).toMatch(/^HTTP\/1\.1 401 /);
    socket.destroy();
  });

  test('exactly 1 MiB is accepted', async () => {
    const text = JSON.stringify({ ...EVENT, extra: '' });
    const raw = JSON.stringify({ ...EVENT, extra: 'x'.repeat(LIMIT - text.length) });
    expect(raw).toHaveLength(LIMIT);
    const { status, body } = await post({ raw });
    expect(status).toBe(422);
    expect(body.error?.details).toEqual([{ path: 'extra', message: 'Unknown field.' }]);
  });
});

test('100 Continue is sent to a client that waits for it', async () => {
  const text = JSON.stringify(EVENT);
  const { socket, received } = await rawConnection(server.port);
  socket.write(
    head(['Content-Type: application/json', 'Expect: 100-continue', `Content-Length: ${text.length}`]),
  );
  await eventually(() => received().includes('100 Continue'));
  socket.write(text);
  await eventually(() => received().includes('201 Created'));
  socket.destroy();
});

describe('a body that is not declared as plain JSON is a 415', () => {
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=latin1',
    'application/jsonp',
    'application/graphql+json',
    '',
  ])('%s', async (type) => {
    const answer = await post({ raw: JSON.stringify(EVENT), headers: { 'content-type': type } });
    expect(answer.status).toBe(415);
    expect(answer.body.error?.code).toBe('UNSUPPORTED_MEDIA_TYPE');
  });

  test('compressed', async () => {
    expect((await post({ raw: 'x', headers: { 'content-encoding': 'gzip' } })).status).toBe(415);
  });

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    '%s is accepted',
    async (type) => {
      const answer = await post({ raw: JSON.stringify(EVENT), headers: { 'content-type': type } });
      expect(answer.status).toBe(201);
    },
  );
});

describe('an unreadable body is a 400', () => {
  test.each(['{', 'null,', '{"type":}', "{'type':'x'}", '\u{feff}{}', '{"a":1}{"b":2}'])(
    '%s',
    async (raw) => {
      const answer = await post({ raw });
      expect(answer.status).toBe(400);
      expect(answer.body.error).toMatchObject({
        code: 'BAD_REQUEST',
        message: 'The request body is not valid JSON.',
      });
    },
  );

  test('bytes that are not UTF-8', async () => {
    const answer = await post({ raw: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) });
    expect(answer.status).toBe(400);
  });

  test('an empty body where one is required', async () => {
    expect((await post({ raw: '' })).status).toBe(400);
  });

  test.each([101, 5_000, 100_000])(
    'nested %i levels deep, which is refused before anything else',
    async (levels) => {
      // The event and its properties are two levels.
      const lists = '['.repeat(levels - 2) + ']'.repeat(levels - 2);
      const raw = `{"type":"signup","visitor_id":"v","properties":{"a":${lists}}}`;
      const headers = { 'idempotency-key': `nested-${levels}` };
      for (const answer of [
        await post({ raw }),
        await post({ raw, headers }),
        await post({ raw, headers }),
      ]) {
        expect(answer.status, answer.text).toBe(400);
        expect(answer.body.error?.message).toBe('The request body is nested more than 100 levels deep.');
      }
      const refused = await post({ raw: raw.replace(lists, lists.slice(1, -1)), headers });
      expect(refused.status, refused.text).toBe(levels === 101 ? 422 : 400);
    },
  );

  test('nested deeply in the variables of a mutation with an Idempotency-Key', async () => {
    const input = `{"type":"seen","visitorId":"v","properties":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`;
    const query = 'mutation ($input: RecordEventInput!) { recordEvent(input: $input) { id } }';
    const raw = `{"query":"${query}","variables":{"input":${input}}}`;
    const headers = { 'idempotency-key': 'nested-variables' };
    for (let attempt = 0; attempt < 2; attempt += 1) {
      const answer = await send(server, 'POST', '/graphql', { key: KEYS.write, raw, headers });
      expect(answer.status, answer.text).toBe(400);
    }
    const variables = new URLSearchParams({
      query: '{ viewer { scope } }',
      variables: `{"a":${'['.repeat(100)}${']'.repeat(100)}}`,
    });
    const get = await send(server, 'GET', `/graphql?${variables}`, { key: KEYS.write });
    expect([get.status, get.text]).toEqual([
      400,
      expect.stringContaining('nested more than 100 levels deep'),
    ]);
  });

  test.each([
    ['{"type":"signup","visitor_id":"v","type":"login"}', 'type'],
    ['{"type":"signup","visitor_id":"v","properties":{"a":[{"b":1,"\\u0062":2}]}}', 'b'],
  ])('with a member twice: %s', async (raw, name) => {
    const answer = await post({ raw });
    expect(answer.status, answer.text).toBe(400);
    expect(answer.body.error?.message).toBe(
      `The request body contains the member "${name}" twice in one object.`,
    );
  });
});

describe('a JSON body that is not an object is a 422', () => {
  test.each(['[]', 'null', '"text"', '1', 'true', `[${JSON.stringify(EVENT)}]`])('%s', async (raw) => {
    const answer = await post({ raw });
    expect(answer.status).toBe(422);
    expect(answer.body.error?.details).toEqual([{ path: 'body', message: 'Must be a JSON object.' }]);
  });
});

test('an empty body is accepted where none is required', async () => {
  const path = '/api/v1/customers/42/webhook-endpoints/1/rotate-secret';
  expect((await send(server, 'POST', path)).status).toBe(200);
  expect((await send(server, 'POST', path, { body: {} })).status).toBe(200);
  expect((await send(server, 'POST', path, { body: { x: 1 } })).status).toBe(422);
});

test.each<[status: number, request: Parameters<typeof send>[3]]>([
  [200, {}],
  [200, { raw: '' }],
  [200, { raw: '', headers: { 'content-type': 'application/json' } }],
  [200, { raw: '', headers: { 'content-type': 'text/plain' } }],
  [200, { body: {} }],
  [422, { body: { suppress: false } }],
  [422, { body: [] }],
  [415, { raw: 'suppress=false', headers: { 'content-type': 'text/plain' } }],
  [400, { raw: '{' }],
])('a DELETE is a %i with %o', async (status, options) => {
  const made = await send(server, 'POST', '/api/v1/customers/42/webhook-endpoints', {
    body: { url: 'http://127.0.0.1:9/hooks', events: ['conversion.recorded'] },
  });
  const path = `/api/v1/customers/42/webhook-endpoints/${JSON.parse(made.text).endpoint.id}`;
  const answer = await send(server, 'DELETE', path, options);
  expect([answer.status, answer.body.error?.details?.[0]?.path]).toEqual([
    status,
    status !== 422 ? undefined : Array.isArray(options?.body) ? 'body' : 'suppress',
  ]);
  expect((await send(server, 'GET', path)).status).toBe(status === 200 ? 404 : 200);
});

test('a client that disconnects while sending its body does not affect the server', async () => {
  const { socket, received, closed } = await rawConnection(server.port);
  const headers = ['Content-Type: application/json', 'Expect: 100-continue', 'Content-Length: 1000'];
  socket.write(`${head(headers)}{"type"`);
  await eventually(() => received().includes('100 Continue'));
  socket.destroy();
  await closed;
  expect((await post({ body: EVENT })).status).toBe(201);
});

test('a malformed chunk in the middle of a body is a 400 and closes the connection', async () => {
  const { socket, received, closed } = await rawConnection(server.port);
  const headers = ['Content-Type: application/json', 'Expect: 100-continue', 'Transfer-Encoding: chunked'];
  socket.write(`${head(headers)}1\r\n{\r\n`);
  await eventually(() => received().includes('100 Continue'));
  socket.write('ZZ\r\n');
  await closed;
  expect(received()).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 .*"code":"BAD_REQUEST"/s);
  expect(received().match(/HTTP\/1\.1/g)).toHaveLength(2);
  expect((await post({ body: EVENT })).status).toBe(201);
});
