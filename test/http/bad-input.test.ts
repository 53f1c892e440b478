import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Route } from '../../src/http/rest/rest-routes.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { startFakeSidecar } from '../support/sidecar.ts';
import { receiving } from '../webhooks/support.ts';
import {
  type BadRequest,
  badFields,
  badQueries,
  elsewhere,
  ordered,
  readsBody,
  sampleOf,
  takesBody,
  unauthorised,
  unreadable,
} from './bad-requests.ts';
import { createFixture, everythingStored, type Fixture, REST_SAMPLES, ROUTES, restBody } from './samples.ts';

const CODES: Record<number, string> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'VALIDATION_FAILED',
};

let app: TestApp;
let fixture: Fixture;

beforeAll(async () => {
  app = await startApp({ WEBHOOK_ALLOW_PRIVATE_TARGETS: 'false' });
  fixture = await createFixture(app, 'https://receiver.example.com/hooks');
});
afterAll(() => app.stop());

const path = ({ pattern }: Route, params: Record<string, unknown>) =>
  pattern.replaceAll(/:(\w+)/g, (_all, name) => String(params[name]));

/** A key that may call a route. */
const keyFor = ({ scope }: Route, { admin }: TestApp, { tenant }: Fixture) =>
  scope === 'admin' ? admin : tenant.write;

/** Sends a bad request; what is wrong with the answer, or null. */
async function send(route: Route, bad: BadRequest, on = app): Promise<string | null> {
  const params = { ...fixture.ids, ...bad.params };
  const body = 'body' in bad ? bad.body : takesBody(route) ? sampleOf(route).body : undefined;
  const { status, body: answer } = await on.request(
    bad.method ?? route.method,
    path(route, params) + (bad.query ?? ''),
    { key: bad.key === undefined ? keyFor(route, app, fixture) : bad.key, body, headers: bad.headers },
  );
  const { code, details } = (answer.error ?? {}) as { code?: unknown; details?: unknown };
  const named = bad.names === undefined || JSON.stringify(details ?? '').includes(`"path":"${bad.names}`);
  if (status === bad.status && code === CODES[bad.status] && named) return null;
  return `${bad.what}: ${status} ${code} ${JSON.stringify(details)}, not ${bad.status}`;
}

/** Sends them all; nothing may be stored of any. */
async function expectRefusals(route: Route, requests: BadRequest[]): Promise<void> {
  const before = await everythingStored(app);
  const wrong: (string | null)[] = [];
  for (const request of requests) wrong.push(await send(route, request));
  expect(wrong.filter(Boolean)).toEqual([]);
  expect(await everythingStored(app)).toEqual(before);
}

test('every route has a sample', () => {
  expect(ROUTES.length).toBeGreaterThan(10);
  expect(ROUTES.map(({ fieldId }) => fieldId).filter((id) => !(id in REST_SAMPLES))).toEqual([]);
});

const NAMED = ROUTES.map((route) => [`${route.method} ${route.pattern}`, route] as const);

describe.each(NAMED)('%s', (_name, route) => {
  test('requires authentication', () => expectRefusals(route, unauthorised(route, fixture)));

  test('rejects an invalid query', () => expectRefusals(route, badQueries(route)));

  test('returns 404 for unknown ids and the ids of other tenants', () =>
    expectRefusals(route, elsewhere(route, fixture)));

  test('performs its checks in the order of the contract', () =>
    expectRefusals(route, ordered(route, fixture)));

  test('supports no other methods', async () => {
    const allowed = ROUTES.filter(({ pattern }) => pattern === route.pattern).map(
      ({ method }) => method as string,
    );
    const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !allowed.includes(method));
    await expectRefusals(
      route,
      others.map((method) => ({ what: method, status: 405, method, body: undefined })),
    );
    const { headers } = await app.request('PUT', path(route, fixture.ids), { key: fixture.tenant.write });
    const supported = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
    expect(headers.get('allow')?.split(', ').toSorted()).toEqual(supported.toSorted());
  });
});

describe.each(NAMED.filter(([, route]) => readsBody(route)))('the body of %s', (_name, route) => {
  test('is rejected if it is invalid', () => expectRefusals(route, badFields(route)));

  test('is rejected if it is unreadable', () => expectRefusals(route, unreadable(route)));

  test('is rejected if 1 MiB and one byte arrive in chunks', async () => {
    const before = await everythingStored(app);
    const chunk = new TextEncoder().encode(' '.repeat(64 * 1024));
    let left = 17;
    const body = new ReadableStream({
      pull: (stream) => (left-- > 0 ? stream.enqueue(chunk) : stream.close()),
    });
    const response = await fetch(app.url + path(route, fixture.ids), {
      method: route.method,
      headers: { authorization: `Bearer ${keyFor(route, app, fixture)}`, 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit);
    expect([response.status, await response.json()]).toMatchObject([413, { error: { code: CODES[413] } }]);
    expect(await everythingStored(app)).toEqual(before);
  });
});

test('every sample itself is accepted', async () => {
  const receiver = await receiving();
  const sidecar = await startFakeSidecar();
  const accepting = await startApp({ ML_SIDECAR_URL: sidecar.url, DRIFT_CHECK_SCHEDULE: 'off' });
  const there = await createFixture(accepting, receiver.url);
  // Deletions come last.
  const routes = ROUTES.toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
  const statuses: string[] = [];
  for (const route of routes) {
    const body = takesBody(route) ? restBody(route.fieldId, there) : undefined;
    const query = new URLSearchParams(sampleOf(route).query).toString();
    const answer = await accepting.request(route.method, `${path(route, there.ids)}${query && `?${query}`}`, {
      key: keyFor(route, accepting, there),
      body,
    });
    statuses.push(`${route.fieldId} ${answer.status}`);
  }
  expect(statuses).toEqual(routes.map(({ fieldId, responseStatus = 200 }) => `${fieldId} ${responseStatus}`));
  await accepting.stop();
  await sidecar.stop();
});
