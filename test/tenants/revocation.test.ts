import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawConnection } from '../http/support.ts';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { endpointsPath } from '../webhooks/support.ts';

const SUBSCRIPTION = 'subscription { webhookDeliveryUpdated { id } }';
let app: TestApp;
let tenant: TestTenant;

beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
});
afterAll(() => app.stop());

const newKey = (scope: 'read' | 'write', expiresAt: Date | null = null) =>
  app.services.keys.create({ scope, customerId: tenant.customerId, expiresAt });

/** Sends the headers of a request, waits until the server asks for the body, and sends it after `between`. */
async function inTwoParts(
  { path, key, body, accept = '*/*' }: { path: string; key: string; body: object; accept?: string },
  between: () => Promise<unknown>,
) {
  const { socket, received, closed } = await rawConnection(Number(new URL(app.url).port));
  const json = JSON.stringify(body);
  const headers = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(json)}`,
    `Accept: ${accept}`,
    'Expect: 100-continue',
  ];
  socket.write(`${headers.join('\r\n')}\r\n\r\n`);
  await eventually(() => received().includes('100 Continue'));
  await between();
  socket.write(json);
  const answer = () => received().split('100 Continue\r\n\r\n')[1] ?? '';
  await eventually(() => answer().includes('\r\n\r\n'));
  socket.end();
  return { answer, closed, status: Number(/^HTTP\/1.1 (\d+)/.exec(answer())?.[1]) };
}

describe('a key that stops being valid between the headers and the body of a request', () => {
  const create = { url: 'https://example.com/hooks' };
  const ends = [
    ['revoked', async (id: string) => app.services.keys.revoke(id)],
    ['expired', async () => app.clock.advance(60_000)],
  ] as const;

  test.each(ends)('creates no endpoint once it is %s', async (_how, end) => {
    const { apiKey, key } = await newKey('write', new Date(app.clock.now().getTime() + 60_000));
    const path = endpointsPath(tenant.customerId);
    const { status, answer } = await inTwoParts(
      { path, key, body: create },
      () => end(apiKey.id) as Promise<unknown>,
    );
    expect(status).toBe(401);
    expect(answer()).toMatch(/www-authenticate: Bearer/i);
    expect(await app.models.Endpoint.countDocuments({ customerId: tenant.customerId })).toBe(0);
  });

  test('is rejected before its body is validated', async () => {
    const { apiKey, key } = await newKey('write');
    const path = endpointsPath(tenant.customerId);
    const body = { nope: 'x' };
    expect((await inTwoParts({ path, key, body }, () => app.services.keys.revoke(apiKey.id))).status).toBe(
      401,
    );
  });

  test('opens no subscription', async () => {
    const { apiKey, key } = await newKey('read');
    const request = { path: '/graphql', key, body: { query: SUBSCRIPTION }, accept: 'text/event-stream' };
    expect((await inTwoParts(request, () => app.services.keys.revoke(apiKey.id))).status).toBe(401);
  });

  test('does not affect a key that stays valid', async () => {
    const { key } = await newKey('read');
    const request = { path: '/graphql', key, body: { query: '{ viewer { scope } }' } };
    expect((await inTwoParts(request, async () => {})).status).toBe(200);
  });
});

describe('a subscription', () => {
  async function subscribe(key: string) {
    const leave = new AbortController();
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ query: SUBSCRIPTION }),
      signal: leave.signal,
    });
    let text = '';
    void (async () => {
      for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString();
    })().catch(() => {});
    return { response, text: () => text, leave: () => leave.abort() };
  }

  test('receives every event after its headers', async () => {
    const { tenant: owner, ...keys } = await app.newTenant();
    const url = 'http://127.0.0.1:9/hooks';
    const path = endpointsPath(owner.customerId);
    expect((await app.request('POST', path, { key: keys.write, body: { url } })).status).toBe(201);
    for (let i = 0; i < 3; i += 1) {
      const { response, text, leave } = await subscribe(keys.read);
      expect(response.status).toBe(200);
      const event = { type: 'conversion', goal: 'demo', visitor_id: 'v_1' };
      expect((await app.request('POST', '/v1/events', { key: keys.write, body: event })).status).toBe(201);
      await eventually(() => text().includes('event: next'), 10_000);
      leave();
    }
  });

  test('ends when its key is revoked right after its headers', async () => {
    for (let i = 0; i < 3; i += 1) {
      const { apiKey, key } = await newKey('read');
      const { text } = await subscribe(key);
      await app.services.keys.revoke(apiKey.id);
      await eventually(() => text().endsWith('event: complete\ndata:\n\n'), 10_000);
    }
  });
});
