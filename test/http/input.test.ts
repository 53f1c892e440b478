import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEYS, send, startServer } from './support.ts';

const ENDPOINTS = '/api/v1/customers/42/webhook-endpoints';
let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** Sends something wrong, and gives back what is said to be wrong with it. */
async function refusal(method: string, path: string, options: Parameters<typeof send>[3] = {}) {
  const answer = await send(server, method, path, options);
  expect(answer.status, answer.text).toBe(422);
  expect(answer.body.error).toMatchObject({ code: 'VALIDATION_FAILED', message: 'The input is not valid.' });
  return answer.body.error?.details?.map(({ path: at, message }) => `${at}: ${message}`);
}

describe('a body is not coerced', () => {
  test('values of the wrong type are rejected all at once, each with its path', async () => {
    expect(
      await refusal('POST', ENDPOINTS, {
        body: { url: 5, description: true, events: 'conversation.ended', nope: 1 },
      }),
    ).toEqual([
      'url: Must be a string.',
      'description: Must be a string.',
      'events: Must be an array.',
      'nope: Unknown field.',
    ]);
  });

  test('numbers, booleans and lists are not coerced from strings or single values', async () => {
    expect(
      await refusal('PATCH', `${ENDPOINTS}/1`, { body: { enabled: 'true', events: [1, null] } }),
    ).toEqual([
      'enabled: Must be true or false.',
      'events.0: Must be a string.',
      'events.1: Must not be null.',
    ]);
    expect(await refusal('POST', '/v1/events', { body: { type: 'a', visitor_id: 7, value: '1' } })).toEqual([
      'visitor_id: Must be a string.',
      'value: Must be a number.',
    ]);
    expect(
      await refusal('POST', '/v1/events', { body: { type: 'a', visitor_id: 'v', conversation_id: 7 } }),
    ).toEqual(['conversation_id: Must be a string.']);
  });

  test('missing required fields are named', async () => {
    expect(await refusal('POST', ENDPOINTS, { body: {} })).toEqual(['url: Is required.']);
    expect(await refusal('POST', '/v1/events', { body: { type: null } })).toEqual([
      'visitor_id: Is required.',
      'type: Must not be null.',
    ]);
  });

  test('schema violations have their path in the body, not in an argument', async () => {
    expect(await refusal('POST', ENDPOINTS, { body: { url: '', events: [] } })).toEqual([
      'url: Must not be empty.',
      expect.stringMatching(/^events: Must name at least one event/),
    ]);
  });

  test.each(['__proto__', 'constructor', '$where', 'customerId', 'input', 'id'])(
    'an unknown field %s is rejected by name',
    async (name) => {
      const raw = `{"url":"https://example.com/","${name}":{}}`;
      expect(await refusal('POST', ENDPOINTS, { raw })).toEqual([`${name}: Unknown field.`]);
    },
  );

  test('query operators instead of values are rejected', async () => {
    expect(
      await refusal('POST', '/v1/events', { body: { type: { $ne: '' }, visitor_id: { $gt: '' } } }),
    ).toEqual(['type: Must be a string.', 'visitor_id: Must be a string.']);
  });

  test.each([
    ['\\u0000', 'Must not contain NUL.'],
    ['\\ud800', 'Must be well-formed Unicode.'],
  ])('text with %s is rejected', async (text, message) => {
    const raw = `{"type":"signup","visitor_id":"a${text}b"}`;
    expect(await refusal('POST', '/v1/events', { raw })).toEqual([`visitor_id: ${message}`]);
  });

  test('at most fifty errors are reported', async () => {
    const body = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, 1]));
    expect(await refusal('POST', ENDPOINTS, { body })).toHaveLength(50);
  });

  test('a list that is too long is one detail, whatever its items', async () => {
    const max = 100;
    for (const count of [max + 1, 250_000]) {
      const events = Array.from({ length: count }, () => '');
      expect(await refusal('POST', ENDPOINTS, { body: { url: 'https://example.com/', events } })).toEqual([
        `events: Must have at most ${max} items.`,
      ]);
    }
  });

  test('the response has at most 64 KB, however long its field names are', async () => {
    const body = Object.fromEntries(
      Array.from({ length: 100 }, (_, i) => [`${'\u0001'.repeat(300)}${i}`, '\u0001'.repeat(300)]),
    );
    const answer = await send(server, 'POST', ENDPOINTS, { body });
    expect(answer.status).toBe(422);
    expect(answer.body.error?.details?.length).toBeGreaterThan(0);
    expect(Buffer.byteLength(answer.text)).toBeLessThanOrEqual(64_000);
  });

  test('an explicit null clears a field, and an omitted field keeps its value', async () => {
    const before = { events: ['conversation.ended'], description: 'kept' };
    await send(server, 'PATCH', `${ENDPOINTS}/1`, { body: before });
    const answer = await send(server, 'PATCH', `${ENDPOINTS}/1`, { body: { events: null } });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ events: null, description: 'kept', enabled: true });
  });

  test('an invalid date is rejected', async () => {
    const [detail] = (await refusal('POST', '/v1/events', {
      body: { type: 'signup', visitor_id: 'v', occurred_at: '2026-02-30T00:00:00Z' },
    })) as string[];
    expect(detail).toMatch(/^occurred_at: Must be an ISO 8601 date/);
  });
});

describe('a query string is validated strictly', () => {
  test.each(['banana', '', ' 5', '5 ', '1e1', '5.0', '0x5', '+5', '05', '2147483648', 'null'])(
    'limit=%s is not an integer',
    async (text) => {
      const path = `${ENDPOINTS}?limit=${encodeURIComponent(text)}`;
      expect(await refusal('GET', path)).toEqual(['limit: Must be a 32-bit integer.']);
    },
  );

  test.each(['0', '201', '-1'])('limit=%s is out of range', async (text) => {
    expect(await refusal('GET', `${ENDPOINTS}?limit=${text}`)).toEqual(['limit: Must be 1 to 200.']);
  });

  test('an unknown or repeated parameter is rejected by name', async () => {
    expect(await refusal('GET', `${ENDPOINTS}?x=1&limit=1&limit=2&limit[]=3&$where=1&__proto__=1`)).toEqual([
      'x: Unknown query parameter.',
      'limit: Must not be repeated.',
      'limit[]: Unknown query parameter.',
      '$where: Unknown query parameter.',
      '__proto__: Unknown query parameter.',
    ]);
  });

  test('an enum accepts only its values, and a string accepts no NUL', async () => {
    expect(await refusal('GET', `${ENDPOINTS}/1/deliveries?status=done&cursor=a%00`)).toEqual([
      'status: Must be one of pending, succeeded, retrying, failed, cancelled.',
      'cursor: Must not contain NUL.',
    ]);
  });

  test('a route with a body accepts no query parameters, which cannot replace fields of the body', async () => {
    expect(
      await refusal('POST', `${ENDPOINTS}?url=https://attacker.example/`, {
        body: { url: 'https://example.com/' },
      }),
    ).toEqual(['url: Unknown query parameter.']);
    expect(await refusal('DELETE', `${ENDPOINTS}/1?force=true`)).toEqual(['force: Unknown query parameter.']);
  });

  test('an empty query string is ignored', async () => {
    expect((await send(server, 'GET', `${ENDPOINTS}?`)).status).toBe(200);
  });
});

describe('Idempotency-Key', () => {
  const event = { type: 'signup', visitor_id: 'v1' };

  test('replays the first response, and marks the second as replayed', async () => {
    const request = { body: event, headers: { 'idempotency-key': 'once' } };
    const first = await send(server, 'POST', '/v1/events', request);
    expect(first.status).toBe(201);
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const second = await send(server, 'POST', '/v1/events', request);
    expect(second.status).toBe(201);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.body).toEqual(first.body);
  });

  test.each(['', 'é', 'a\tb', 'x'.repeat(256)])('%j is rejected', async (key) => {
    const [detail] = (await refusal('POST', '/v1/events', {
      body: event,
      headers: { 'idempotency-key': key },
    })) as string[];
    expect(detail).toMatch(/^Idempotency-Key: /);
  });

  test('is ignored by other methods', async () => {
    const headers = { 'idempotency-key': '' };
    expect((await send(server, 'GET', `${ENDPOINTS}/1`, { headers })).status).toBe(200);
    const request = { headers, body: { description: 'changed' } };
    expect((await send(server, 'PATCH', `${ENDPOINTS}/1`, request)).status).toBe(200);
  });
});

describe('checks follow the order of the contract', () => {
  const wrong = { raw: '{', headers: { 'content-type': 'text/plain' } };

  test('401, 403, 415, 400, the 404 of the tenant, 422, the 404 of the resource', async () => {
    const foreign = '/api/v1/customers/77/webhook-endpoints/999';
    const own = `${ENDPOINTS}/999`;
    const status = async (path: string, options: Parameters<typeof send>[3]) =>
      (await send(server, 'PATCH', path, options)).status;
    expect(await status(foreign, { ...wrong, key: null })).toBe(401);
    expect(await status(foreign, { ...wrong, key: KEYS.read })).toBe(403);
    expect(await status(foreign, wrong)).toBe(415);
    expect(await status(foreign, { raw: '{' })).toBe(400);
    expect(await status(foreign, { body: { nope: 1 } })).toBe(404);
    expect(await status(own, { body: { nope: 1 } })).toBe(422);
    expect(await status(own, { body: { url: '' } })).toBe(422);
    expect(await status(own, { body: { enabled: true } })).toBe(404);
    expect(await status(`${ENDPOINTS}/abc`, { body: { nope: 1 } })).toBe(422);
    expect(await status(`${ENDPOINTS}/abc`, { body: { enabled: true } })).toBe(404);
  });
});
