import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createCipher } from '../../src/platform/cipher.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';

const HOST = 'console.example.com';
/** Headers that a browser over HTTPS, and the console itself, add to a request of the console. */
const OWN_PAGE = {
  host: HOST,
  origin: `https://${HOST}`,
  'sec-fetch-site': 'same-origin',
  'x-engagement-console': '1',
};
/** The same without HTTPS: browsers then add no `Sec-Fetch-Site`. */
const PLAIN_PAGE = { host: HOST, origin: `http://${HOST}`, 'x-engagement-console': '1' };
const QUERY = { query: '{ viewer { scope tenant { customerId } } }' };
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const ENCRYPTION_KEY = randomBytes(32).toString('hex');

let app: TestApp;
/** A second process of the service: the same database and encryption key. */
let other: TestApp;
let tenant: TestTenant;
beforeAll(async () => {
  const env = {
    MONGODB_URI: freshDatabase(),
    CONNECTOR_ENCRYPTION_KEY: ENCRYPTION_KEY,
    CORS_ORIGINS: '*',
  };
  app = await startApp(env);
  other = await startApp(env);
  tenant = await app.newTenant();
});
afterAll(async () => {
  await other.stop();
  await app.stop();
});

const start = (key: string | null, headers: Record<string, string> = OWN_PAGE, path = '/console/session') =>
  app.request('POST', path, { key, headers });

/** Starts a session and returns its cookie as the browser sends it. */
async function sessionOf(key: string): Promise<string> {
  const { status, headers } = await start(key);
  expect(status).toBe(201);
  return headers.get('set-cookie')?.split(';')[0] ?? '';
}

const query = (cookie: string, headers: Record<string, string> = OWN_PAGE, on = app) =>
  on.request('POST', '/graphql', { headers: { ...headers, cookie }, body: QUERY });

/** Returns the message of the refusal of a session. */
async function refusal(cookie: string, headers?: Record<string, string>, on?: TestApp): Promise<string> {
  const { status, body } = await query(cookie, headers, on);
  expect(status).toBe(401);
  const [error] = body.errors as unknown as { message: string; extensions: { code: string } }[];
  expect(error?.extensions.code).toBe('UNAUTHENTICATED');
  return error?.message ?? '';
}

const newKey = (expiresAt: Date | null = null) =>
  app.services.keys.create({ scope: 'read', customerId: tenant.customerId, expiresAt });

const NO_SESSION = 'There is no valid session; sign in with an API key.';
const NO_COOKIE = 'The browser no longer has the session: it was closed, or it blocks cookies.';
const EXPIRED = 'The session has expired: a session lasts 12 hours.';
const IDLE = 'The session has ended after 30 minutes without use.';
const SIGNED_OUT = 'The session was ended by a sign-out.';
const NO_KEY = /^A valid API key is required/;

describe('a session', () => {
  test('has the rights of its key, in a cookie that no script can read and that does not contain the key', async () => {
    const { status, headers, body } = await start(tenant.read);
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect(body).toEqual({
      keyId: expect.stringMatching(/^[0-9a-f]{24}$/),
      scope: 'read',
      customerId: tenant.customerId,
      resources: null,
      expiresAt: expect.any(String),
    });
    const leftMs = Date.parse(String(body.expiresAt)) - Date.now();
    expect(leftMs).toBeGreaterThan(11.9 * HOUR_MS);
    expect(leftMs).toBeLessThanOrEqual(12 * HOUR_MS);
    const [pair = '', ...attributes] = (headers.get('set-cookie') ?? '').split('; ');
    expect(attributes.sort()).toEqual(['HttpOnly', 'Path=/', 'SameSite=Strict', 'Secure']);
    expect(pair).toMatch(/^__Host-engagement-session-[0-9a-f]{16}=v1\./);
    const token = pair.slice(pair.indexOf('=') + 1);
    expect(JSON.parse(createCipher([ENCRYPTION_KEY]).decrypt(token, 'console-session'))).toEqual({
      id: expect.stringMatching(/^[\w-]{22}$/),
      keyId: body.keyId,
      expiresAt: Date.parse(String(body.expiresAt)),
      usedAt: Date.parse(String(body.expiresAt)) - 12 * HOUR_MS,
    });

    const answer = await query(pair);
    expect(answer.body.data).toEqual({
      viewer: { scope: 'read', tenant: { customerId: tenant.customerId } },
    });
    const foreign = { ...OWN_PAGE, 'x-customer-id': '1' };
    const lists = { query: '{ webhookEndpoints { edges { node { id } } } }' };
    const refused = await app.request('POST', '/graphql', {
      headers: { ...foreign, cookie: pair },
      body: lists,
    });
    expect(JSON.stringify(refused.body)).toContain('NOT_FOUND');
  });

  test('is accepted by every process, and is no longer sent after its end', async () => {
    const cookie = await sessionOf(tenant.read);
    expect((await query(cookie, OWN_PAGE, other)).status).toBe(200);
    const { status, headers } = await app.request('DELETE', '/console/session', { headers: OWN_PAGE });
    expect(status).toBe(204);
    const [name] = cookie.split('=');
    const [removed, ...attributes] = (headers.get('set-cookie') ?? '').split('; ');
    expect(removed).toBe(`${name}=`);
    expect(attributes).toEqual(expect.arrayContaining(['Max-Age=0', 'Path=/', 'Secure']));
  });

  test('has a cookie of its own for each port and scheme of a host, without Secure over HTTP', async () => {
    const names = new Set<string | undefined>();
    for (const host of ['localhost:4000', 'localhost:4001']) {
      const { headers } = await start(tenant.read, { ...PLAIN_PAGE, host, origin: `http://${host}` });
      const cookie = headers.get('set-cookie') ?? '';
      expect(cookie.split('; ').slice(1).sort()).toEqual(['HttpOnly', 'Path=/', 'SameSite=Strict']);
      names.add(cookie.split('=')[0]);
    }
    expect(names.size).toBe(2);
    const cookie = await sessionOf(tenant.read);
    for (const headers of [{ ...OWN_PAGE, host: 'localhost:4001' }, PLAIN_PAGE])
      expect(await refusal(cookie, headers)).toBe(NO_COOKIE);
  });

  test('ends with its key, in every process, and says why', async () => {
    const { key, apiKey } = await newKey();
    const cookie = await sessionOf(key);
    for (const process of [app, other]) expect((await query(cookie, OWN_PAGE, process)).status).toBe(200);
    const stream = await openStream(await cookieFor(key, app.url));
    expect(stream.status).toBe(200);
    await app.services.keys.revoke(apiKey.id);
    for (const process of [app, other])
      expect(await refusal(cookie, OWN_PAGE, process)).toBe('The API key of this session was revoked.');
    expect(await stream.text()).toContain('complete');

    const brief = await newKey(new Date(app.clock.now().getTime() + 20 * MINUTE_MS));
    const expiring = await sessionOf(brief.key);
    app.clock.advance(20 * MINUTE_MS + 1_000);
    expect(await refusal(expiring)).toBe('The API key of this session has expired.');
  });

  test('ends with the next sign-in of the browser, whatever its key', async () => {
    const cookie = await sessionOf(tenant.read);
    const { status } = await start(tenant.write, { ...OWN_PAGE, cookie });
    expect(status).toBe(201);
    expect(await refusal(cookie)).toBe(SIGNED_OUT);
  });

  test('lasts 12 hours while it is used, and ends after 30 minutes without use', async () => {
    let cookie = await sessionOf(tenant.read);
    const unused = cookie;
    for (let minutes = 0; minutes < 12 * 60 - 25; minutes += 25) {
      app.clock.advance(25 * MINUTE_MS);
      const { status, headers } = await query(cookie);
      expect(status).toBe(200);
      cookie = headers.get('set-cookie')?.split(';')[0] ?? '';
      expect(cookie).toMatch(/^__Host-engagement-session-/);
      if (minutes === 25) expect(await refusal(unused)).toBe(IDLE);
    }
    // No cookie for each request: within a minute, the use is known.
    expect((await query(cookie)).headers.get('set-cookie')).toBeNull();
    app.clock.advance(25 * MINUTE_MS);
    expect(await refusal(cookie)).toBe(EXPIRED);
  });

  test('is not used by requests that the page sends by itself', async () => {
    const cookie = await sessionOf(tenant.read);
    const background = { ...OWN_PAGE, 'x-engagement-console': 'background' };
    app.clock.advance(29 * MINUTE_MS);
    const { status, headers } = await query(cookie, background);
    expect([status, headers.get('set-cookie')]).toEqual([200, null]);
    app.clock.advance(MINUTE_MS);
    expect(await refusal(cookie, background)).toBe(IDLE);
  });

  test('ends in every process with its sign-out, and no other one does', async () => {
    const [cookie, second] = [await sessionOf(tenant.read), await sessionOf(tenant.read)];
    for (const process of [app, other])
      for (const each of [cookie, second]) expect((await query(each, OWN_PAGE, process)).status).toBe(200);
    const { status } = await app.request('DELETE', '/console/session', { headers: { ...OWN_PAGE, cookie } });
    expect(status).toBe(204);
    for (const process of [app, other]) {
      expect(await refusal(cookie, OWN_PAGE, process)).toBe(SIGNED_OUT);
      expect((await query(second, OWN_PAGE, process)).status).toBe(200);
    }
    // A copy of a token that was replaced is of the same session.
    app.clock.advance(2 * MINUTE_MS);
    const renewed = (await query(second)).headers.get('set-cookie')?.split(';')[0] ?? '';
    expect(renewed).not.toBe('');
    await other.request('DELETE', '/console/session', { headers: { ...OWN_PAGE, cookie: renewed } });
    for (const token of [second, renewed]) expect(await refusal(token)).toBe(SIGNED_OUT);
  });

  test('ends with all of its key by one request, in every process, and later ones are valid', async () => {
    const { key } = await newKey();
    const cookies = [await sessionOf(key), await sessionOf(key)];
    const foreign = await sessionOf(tenant.read);
    for (const headers of [OWN_PAGE, { ...OWN_PAGE, cookie: 'x=y' }]) {
      const refused = await app.request('DELETE', '/console/sessions', { headers });
      expect(refused.status).toBe(401);
    }
    const end = (cookie = '') =>
      app.request('DELETE', '/console/sessions', { headers: { ...OWN_PAGE, cookie } });
    const { status, headers } = await end(cookies[0]);
    expect([status, headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    for (const process of [app, other])
      for (const cookie of cookies) expect(await refusal(cookie, OWN_PAGE, process)).toBe(SIGNED_OUT);
    expect((await end(cookies[1])).status).toBe(401);
    expect((await query(foreign)).status).toBe(200);
    app.clock.advance(1);
    expect((await query(await sessionOf(key))).status).toBe(200);
  });

  test('ends its streams with its sign-out', async () => {
    const cookie = await cookieFor(tenant.read, app.url);
    const stream = await openStream(cookie);
    expect(stream.status).toBe(200);
    const response = await fetch(`${app.url}/console/session`, {
      method: 'DELETE',
      headers: { 'x-engagement-console': '1', origin: app.url, cookie },
    });
    expect(response.status).toBe(204);
    expect(await stream.text()).toContain('complete');
  });

  test('ends alone, however often its sign-out is repeated', async () => {
    const { key, apiKey } = await newKey();
    const [cookie, kept] = [await sessionOf(key), await sessionOf(key)];
    for (let i = 0; i < 120; i += 1) {
      const { status } = await app.request('DELETE', '/console/session', {
        headers: { ...OWN_PAGE, cookie },
      });
      expect(status).toBe(204);
    }
    expect(await refusal(cookie)).toBe(SIGNED_OUT);
    expect((await query(kept)).status).toBe(200);
    expect((await app.models.ApiKey.findById(apiKey.id).lean())?.endedSessions).toHaveLength(1);
  });

  test('stays ended beside a hundred others: a further sign-out ends all sessions of the key', async () => {
    const { key, apiKey } = await newKey();
    const sessions = await Promise.all(Array.from({ length: 102 }, () => sessionOf(key)));
    const kept = sessions.pop() ?? '';
    const last = sessions.pop() ?? '';
    const tokens = sessions.map((cookie) => cookie.slice(cookie.indexOf('=') + 1));
    for (const token of tokens) await app.services.consoleSessions.end(token);
    expect((await query(kept)).status).toBe(200);
    await app.services.consoleSessions.end(last.slice(last.indexOf('=') + 1));
    for (const cookie of [sessions[0] ?? '', last, kept]) expect(await refusal(cookie)).toBe(SIGNED_OUT);
    const stored = await app.models.ApiKey.findById(apiKey.id).lean();
    expect(stored?.endedSessions?.length).toBeLessThanOrEqual(100);
    expect(JSON.stringify(await app.services.keys.list({ limit: 5, after: null }))).not.toMatch(/session/i);
  });

  test('is not renewed by a client that the networks of its key refuse', async () => {
    const input = { scope: 'read', customerId: tenant.customerId, expiresAt: null } as const;
    const { key, apiKey } = await app.services.keys.create({ ...input, networks: ['203.0.113.0/24'] });
    const principal = await app.services.keys.authenticate(`Bearer ${key}`);
    const { token } = await app.services.consoleSessions.start(principal, '203.0.113.7');
    const startedAt = app.clock.now().getTime();
    const [name] = (await sessionOf(tenant.read)).split('=');
    app.clock.advance(20 * MINUTE_MS);
    const { status, headers } = await query(`${name}=${token}`);
    expect([status, headers.get('set-cookie')]).toEqual([403, null]);
    await app.services.keys.flushLastUsed();
    const stored = await app.models.ApiKey.findById(apiKey.id).lean();
    expect(stored?.sessions?.[0]?.usedAt.getTime()).toBeLessThanOrEqual(startedAt);
  });

  test('is not ended by a client that the networks of its key refuse, which may sign in with another key', async () => {
    const input = { scope: 'read', customerId: tenant.customerId, expiresAt: null } as const;
    const { key } = await app.services.keys.create({ ...input, networks: ['203.0.113.0/24'] });
    const principal = await app.services.keys.authenticate(`Bearer ${key}`);
    const { token } = await app.services.consoleSessions.start(principal, '203.0.113.7');
    const [name] = (await sessionOf(tenant.read)).split('=');
    const headers = { ...OWN_PAGE, cookie: `${name}=${token}` };
    for (const path of ['/console/session', '/console/sessions'])
      expect((await app.request('DELETE', path, { headers })).status).toBe(403);
    expect((await start(tenant.read, headers)).status).toBe(201);
    await expect(app.services.consoleSessions.authenticate(token)).resolves.toMatchObject({ principal: {} });
  });

  test('of a suspended customer is ended by a sign-out, and by a sign-in with another key', async () => {
    const suspended = await app.newTenant();
    const [first, second] = [await sessionOf(suspended.read), await sessionOf(suspended.write)];
    await app.services.tenants.suspend(suspended.customerId);
    const { status, headers } = await app.request('DELETE', '/console/session', {
      headers: { ...OWN_PAGE, cookie: first },
    });
    expect([status, headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')]);
    expect((await start(tenant.read, { ...OWN_PAGE, cookie: second })).status).toBe(201);
    await app.services.tenants.resume(suspended.customerId);
    for (const cookie of [first, second]) expect(await refusal(cookie)).toBe(SIGNED_OUT);
  });

  test('is listed with those of its key, and each is ended alone by an act of the audit log', async () => {
    const LIST = '{ consoleSessions { id startedAt lastUsedAt expiresAt address isCurrent } }';
    const END = 'mutation ($id: ID!) { endConsoleSession(id: $id) { id } }';
    const input = { scope: 'write', customerId: tenant.customerId, expiresAt: null } as const;
    const { key } = await app.services.keys.create(input);
    const send = (query: string, variables: object, cookie?: string, by = key) =>
      cookie
        ? app.request('POST', '/graphql', { headers: { ...OWN_PAGE, cookie }, body: { query, variables } })
        : app.graphql(query, { ...variables }, by);
    const list = async (cookie?: string) =>
      (await send(LIST, {}, cookie)).body.data?.consoleSessions as unknown as {
        id: string;
        lastUsedAt: string;
        isCurrent: boolean;
      }[];
    expect((await app.graphql(LIST, {}, '')).status).toBe(401);
    expect((await app.graphql(END, { id: 'x' }, '')).status).toBe(401);
    expect((await app.graphql(END, { id: 'x' }, tenant.read)).body).toMatchObject({
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    });
    expect(await list()).toEqual([]);
    const first = await sessionOf(key);
    const second = await sessionOf(key);
    const [newest, oldest] = await list(second);
    expect(await list(second)).toMatchObject([
      { isCurrent: true, address: '127.0.0.1', startedAt: expect.any(String) },
      { isCurrent: false },
    ]);
    expect((await list()).every(({ isCurrent }) => !isCurrent)).toBe(true);

    // The session of another key is as unknown as one that does not exist.
    const id = oldest?.id ?? '';
    for (const [asked, by] of [
      [id, tenant.write],
      ['unknown', key],
    ] as const) {
      const { body } = await send(END, { id: asked }, undefined, by);
      expect(body).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
    }
    expect((await query(first)).status).toBe(200);
    expect((await send(END, { id }, second)).body.data).toEqual({ endConsoleSession: { id } });
    expect(await refusal(first)).toBe(SIGNED_OUT);
    expect(await refusal(first, OWN_PAGE, other)).toBe(SIGNED_OUT);
    expect((await query(second)).status).toBe(200);
    expect((await list(second)).map((session) => session.id)).toEqual([newest?.id]);
    const [entry] = await app.models.AuditEntry.find({ action: 'endConsoleSession' }).lean();
    expect(entry).toMatchObject({
      log: tenant.customerId,
      actor: { type: 'session' },
      target: { type: 'consoleSession', id },
    });

    // A used session stays in the list, and one that has ended without use does not.
    app.clock.advance(20 * MINUTE_MS);
    expect((await query(second)).status).toBe(200);
    await app.services.keys.flushLastUsed();
    const [used] = await list();
    expect(Date.parse(used?.lastUsedAt ?? '')).toBeGreaterThan(app.clock.now().getTime() - MINUTE_MS);
    app.clock.advance(33 * MINUTE_MS);
    expect(await list()).toEqual([]);
  });

  test('ends its streams when it expires', async () => {
    const cookie = await cookieFor(tenant.read, app.url);
    app.clock.advance(30 * MINUTE_MS - 5_000);
    const stream = await openStream(cookie);
    expect(stream.status).toBe(200);
    expect(await stream.text()).toContain('complete');
  });

  test('ends a stream that opens while it expires', async () => {
    const { consoleSessions } = app.services;
    const { authenticate } = consoleSessions;
    const spy = vi.spyOn(consoleSessions, 'authenticate').mockImplementation(async (token, lookUp) => {
      const authenticated = await authenticate(token, lookUp);
      if (lookUp?.uncached) app.clock.advance(12 * HOUR_MS);
      return authenticated;
    });
    const stream = await openStream(await cookieFor(tenant.read, app.url));
    expect(stream.status).toBe(200);
    expect(await stream.text()).toContain('complete');
    spy.mockRestore();
  });

  test('counts as a use of its key', async () => {
    const { key, apiKey } = await newKey();
    const cookie = await sessionOf(key);
    // The start of the session uses the key itself.
    await app.services.keys.flushLastUsed();
    app.clock.advance(20 * MINUTE_MS);
    const usedFrom = app.clock.now().getTime();
    await query(cookie);
    await app.services.keys.flushLastUsed();
    const stored = await app.models.ApiKey.findById(apiKey.id).lean();
    expect(stored?.lastUsedAt?.getTime()).toBeGreaterThanOrEqual(usedFrom);
  });

  test('is read again with its reason if the body of the request comes after the headers', async () => {
    const authenticate = vi.spyOn(app.services.consoleSessions, 'authenticate');
    async function withLateBody(cookie: string, before: () => void | Promise<void>): Promise<string> {
      authenticate.mockClear();
      const body = JSON.stringify(QUERY);
      const pending = request(`${app.url}/graphql`, {
        method: 'POST',
        headers: {
          ...OWN_PAGE,
          cookie,
          'content-type': 'application/json',
          'content-length': body.length,
        },
      });
      const response = new Promise<string>((resolve, reject) => {
        pending.on('error', reject).on('response', (message) => resolve(text(message)));
      });
      pending.flushHeaders();
      await eventually(() => authenticate.mock.settledResults[0]?.type === 'fulfilled');
      await before();
      pending.end(body);
      return response;
    }
    const { key, apiKey } = await newKey();
    const revoked = await withLateBody(await sessionOf(key), async () => {
      await app.services.keys.revoke(apiKey.id);
    });
    expect(revoked).toContain('The API key of this session was revoked.');
    const cookie = await sessionOf(tenant.read);
    expect(await withLateBody(cookie, () => {})).toContain(String(tenant.customerId));
    expect(await withLateBody(cookie, () => app.clock.advance(12 * HOUR_MS))).toContain(EXPIRED);
    authenticate.mockRestore();
  });
});

/** Starts a session for requests of `fetch`, which determines the host. */
async function cookieFor(key: string, url: string): Promise<string> {
  const response = await fetch(`${url}/console/session`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'x-engagement-console': '1', origin: url },
  });
  expect(response.status).toBe(201);
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}

/** Opens a subscription. `fetch` sets Host and the like itself. */
const openStream = (cookie: string): Promise<Response> =>
  fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: {
      'x-engagement-console': '1',
      origin: app.url,
      cookie,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ query: 'subscription { webhookDeliveryUpdated { id } }' }),
  });

describe('refused are', () => {
  test('cookies that were modified, belong to another service or contain something else', async () => {
    const cookie = await sessionOf(tenant.read);
    const [name = '', token = ''] = cookie.split('=');
    const stranger = await startApp({ RATE_LIMIT: '100000/1m' });
    const elsewhere = await stranger.request('POST', '/console/session', {
      key: stranger.admin,
      headers: OWN_PAGE,
    });
    const flipped = token.slice(0, -2) + (token.at(-2) === 'A' ? 'B' : 'A') + token.slice(-1);
    for (const value of ['', 'x', tenant.read, flipped, `${token}${token}`, '%', 'v1.00000000.x.y'])
      expect(await refusal(`${name}=${value}`), value).toBe(NO_SESSION);
    expect(await refusal(elsewhere.headers.get('set-cookie')?.split(';')[0] ?? '')).toBe(NO_SESSION);
    expect(await refusal('')).toBe(NO_COOKIE);

    // A session that the service did not issue counts as a failed authentication of the address.
    const own = elsewhere.headers.get('set-cookie')?.split(';')[0] ?? '';
    for (let i = 0; i < 300; i += 1)
      expect((await query(`${name}=${flipped}`, OWN_PAGE, stranger)).status).toBe(401);
    expect((await query(`${name}=${flipped}`, OWN_PAGE, stranger)).status).toBe(429);
    expect((await query(own, OWN_PAGE, stranger)).status).toBe(200);
    // The tabs of a session that has ended do not affect their address.
    expect(await refusal('', OWN_PAGE, stranger)).toBe(NO_COOKIE);
    stranger.clock.advance(12 * HOUR_MS);
    expect(await refusal(own, OWN_PAGE, stranger)).toBe(EXPIRED);
    await stranger.stop();
  });

  test.each([
    [
      'without the header of the console',
      { ...OWN_PAGE, 'x-engagement-console': '' },
      ['x-engagement-console'],
    ],
    ['of another site', { ...OWN_PAGE, 'sec-fetch-site': 'cross-site' }, []],
    ['of another port', { ...OWN_PAGE, 'sec-fetch-site': 'same-site', origin: `https://${HOST}:8443` }, []],
    ['of the address bar', { ...OWN_PAGE, 'sec-fetch-site': 'none' }, []],
    ['of another origin over HTTP', { ...PLAIN_PAGE, origin: 'http://evil.example' }, []],
    ['of another port over HTTP', { ...PLAIN_PAGE, origin: `http://${HOST}:8080` }, []],
    ['of an opaque origin', { ...PLAIN_PAGE, origin: 'null' }, []],
    ['without an origin', PLAIN_PAGE, ['origin']],
  ])('requests %s', async (_, headers, absent) => {
    const sent = Object.fromEntries(Object.entries(headers).filter(([name]) => !absent.includes(name)));
    const cookie = await sessionOf(tenant.read);
    expect(await refusal(cookie, sent)).toMatch(NO_KEY);
    for (const method of ['POST', 'DELETE']) {
      const answer = await app.request(method, '/console/session', { key: tenant.read, headers: sent });
      expect([answer.status, answer.headers.get('set-cookie')], method).toEqual([403, null]);
    }
  });

  test('sessions where only keys are accepted, and where a key is sent as well', async () => {
    const headers = { ...OWN_PAGE, cookie: await sessionOf(tenant.write) };
    const paths = ['/v1/events', '/api/drift.triggerCheck', '/console/session'];
    for (const path of paths)
      expect((await app.request('POST', path, { headers, body: {} })).status).toBe(401);
    for (const path of ['/v1/conversations', '/api/v1/event-types', `/graphql?query=${QUERY.query}`])
      expect((await app.request('GET', encodeURI(path), { headers })).status, path).toBe(401);
    const wrong = await app.request('POST', '/graphql', { key: 'eg_r_unknown', headers, body: QUERY });
    expect(wrong.status).toBe(401);
    const own = await app.request('POST', '/graphql', { key: app.admin, headers, body: QUERY });
    expect(own.body.data).toMatchObject({ viewer: { scope: 'admin' } });
  });

  test('keys that are not valid, and scripts of other origins, even where CORS permits these the APIs', async () => {
    for (const key of [null, 'eg_r_unknown']) {
      const { status, headers } = await start(key);
      expect([status, headers.get('set-cookie')]).toEqual([401, null]);
    }
    for (const path of ['/console/session', '/graphql']) {
      const { headers } = await app.request('OPTIONS', path, {
        headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
      });
      expect(headers.get('access-control-allow-credentials'), path).toBeNull();
      expect(headers.get('access-control-allow-origin'), path).toBe(path === '/graphql' ? '*' : null);
    }
  });
});
