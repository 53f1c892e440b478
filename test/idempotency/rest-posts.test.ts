import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { recordedEvents } from '../support/recorded-events.ts';
import { type FakeSidecar, startFakeSidecar } from '../support/sidecar.ts';
import { deliveriesOf, endpointsPath, listening } from '../webhooks/support.ts';

let app: TestApp;
let sidecar: FakeSidecar;

beforeAll(async () => {
  sidecar = await startFakeSidecar();
  app = await startApp({ ML_SIDECAR_URL: sidecar.url, DRIFT_CHECK_SCHEDULE: 'off' });
});
afterAll(async () => {
  await app.stop();
  await sidecar.stop();
});

interface Post {
  path: string;
  key: string;
  idempotencyKey: string;
  body?: unknown;
  headers?: Record<string, string>;
}

const post = ({ path, key, idempotencyKey, body, headers }: Post): Promise<Answer> =>
  app.request('POST', path, { key, body, headers: { 'idempotency-key': idempotencyKey, ...headers } });

/** Sends a request three times: the second and third response repeat the first one. */
async function expectReplayed(request: Post): Promise<Answer> {
  const first = await post(request);
  expect(first.status, JSON.stringify(first.body)).toBeLessThan(300);
  expect(first.headers.get('idempotent-replayed')).toBeNull();
  for (const again of [await post(request), await post(request)]) {
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
  }
  return first;
}

const records = (tenant: TestTenant) =>
  app.models.Idempotency.find({ _id: new RegExp(`^${tenant.customerId}:`) }).lean();

describe('an Idempotency-Key on a POST of /api/v1', () => {
  test('creates one endpoint, and stores its secret encrypted', async () => {
    const tenant = await app.newTenant();
    const path = endpointsPath(tenant.customerId);
    const body = { url: 'http://127.0.0.1:9/hooks', description: 'orders' };
    const request = { path, key: tenant.write, body, idempotencyKey: 'create' };
    const { body: created } = await expectReplayed(request);
    expect(created.secret).toMatch(/^whsec_/);
    expect(await app.models.Endpoint.countDocuments({ customerId: tenant.customerId })).toBe(1);
    expect(JSON.stringify(await records(tenant))).not.toMatch(/whsec_|orders|fingerprint":"\{/);

    const reordered = { description: 'orders', url: body.url };
    expect((await post({ ...request, body: reordered })).body).toEqual(created);
    const other = await post({ ...request, body: { ...body, description: 'invoices' } });
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    expect(other.headers.get('retry-after')).toBeNull();
  });

  test('returns the operators of a filter as the first response did', async () => {
    const tenant = await app.newTenant();
    const filter = { 'data.visitorId': { $not: { $regex: '^a' } } };
    const { body } = await expectReplayed({
      path: endpointsPath(tenant.customerId),
      key: tenant.write,
      body: { url: 'http://127.0.0.1:9/hooks', filter },
      idempotencyKey: 'filter',
    });
    expect(body.endpoint).toMatchObject({ filter });
  });

  test('rotates a secret once; the key is bound to the endpoint of its first request', async () => {
    const { tenant, endpoint } = await listening(app);
    const path = `${endpoint.path}/rotate-secret`;
    const { body } = await expectReplayed({ path, key: tenant.write, idempotencyKey: 'rotate' });
    expect(body.secret).not.toBe(endpoint.secret);
    const next = await post({ path, key: tenant.write, idempotencyKey: 'rotate again' });
    expect(next.body.secret).not.toBe(body.secret);

    const second = await app.request('POST', endpointsPath(tenant.customerId), {
      key: tenant.write,
      body: { url: 'http://127.0.0.1:9/hooks' },
    });
    const elsewhere = `${endpointsPath(tenant.customerId)}/${second.body.endpoint?.id}/rotate-secret`;
    const request = { path: elsewhere, key: tenant.write, idempotencyKey: 'rotate' };
    expect((await post(request)).status).toBe(409);
  });

  test('sends one test event, one resend and one recovery', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    const base = { key: tenant.write };
    const event = { event: 'conversion.recorded' };
    const { body: delivery } = await expectReplayed({
      ...base,
      path: `${endpoint.path}/test`,
      body: event,
      idempotencyKey: 'k',
    });
    await receiver.waitFor(1);
    // The result of an attempt is recorded after the response of the receiver.
    await eventually(
      async () => (await deliveriesOf(app, tenant, endpoint, '?status=succeeded')).length === 1,
    );
    // The same key on other routes is another request.
    const resend = `${endpoint.path}/deliveries/${delivery.id}/resend`;
    await expectReplayed({ ...base, path: resend, idempotencyKey: 'k' });
    await receiver.waitFor(2);
    const since = new Date(Date.now() - 60_000).toISOString();
    await expectReplayed({
      ...base,
      path: `${endpoint.path}/recover`,
      body: { since },
      idempotencyKey: 'k',
    });
    expect(receiver.received).toHaveLength(2);
    expect(await app.models.Delivery.countDocuments({ customerId: tenant.customerId })).toBe(1);
  });

  test('is free again after an error', async () => {
    const tenant = await app.newTenant();
    const path = endpointsPath(tenant.customerId);
    const request = { path, key: tenant.write, idempotencyKey: 'k' };
    expect((await post({ ...request, body: { url: 'no URL' } })).status).toBe(422);
    const missing = { ...request, path: `${path}/123456/test`, body: { event: 'conversion.recorded' } };
    expect((await post(missing)).status).toBe(404);
    expect(await records(tenant)).toEqual([]);
    expect((await post({ ...request, body: { url: 'http://127.0.0.1:9/hooks' } })).status).toBe(201);
  });

  test('runs one of 20 parallel requests', async () => {
    const tenant = await app.newTenant();
    const request = {
      path: endpointsPath(tenant.customerId),
      key: tenant.write,
      body: { url: 'http://127.0.0.1:9/hooks' },
      idempotencyKey: 'twins',
    };
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(request)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(new Set(answers.map(({ body }) => body.secret)).size).toBe(1);
    expect(await app.models.Endpoint.countDocuments({ customerId: tenant.customerId })).toBe(1);
  });
});

test('an Idempotency-Key on an event costs no write besides its commit', async () => {
  const tenant = await app.newTenant();
  const body = { type: 'page', visitor_id: 'v', value: 2.5, occurred_at: '2026-11-01T09:30:00.000Z' };
  await expectReplayed({ path: '/v1/events', key: tenant.write, body, idempotencyKey: 'k' });
  const { customerId } = tenant;
  expect((await recordedEvents(app.models, { customerId })).count).toBe(1);
  expect(await records(tenant)).toMatchObject([{ result: expect.any(String), response: null }]);
});

describe('an Idempotency-Key on a procedure', () => {
  const path = '/api/drift.triggerCheck';
  const checks = () => sidecar.requests.filter((line) => line === 'POST /drift/check').length;
  /** Keys per try: the admin key of the file has used those of a failed try. */
  const newKey = () => randomUUID();

  afterEach(() => sidecar.behave('well'));

  test('runs one check; the key belongs to the API key or to the customer that it acts for', async () => {
    const request = { path, key: app.admin, body: {}, idempotencyKey: newKey() };
    const before = checks();
    await expectReplayed(request);
    expect(checks() - before).toBe(1);
    const tenant = await app.newTenant();
    const headers = { 'x-customer-id': String(tenant.customerId) };
    await expectReplayed({ ...request, headers });
    const { key } = await app.services.keys.create({ scope: 'admin', customerId: null, expiresAt: null });
    await expectReplayed({ ...request, key });
    expect((await post({ ...request, key, headers })).headers.get('idempotent-replayed')).toBe('true');
    expect(checks() - before).toBe(3);
  });

  test('is free again after an error, and is not used by a request without the scope', async () => {
    const tenant = await app.newTenant();
    const request = { path, key: app.admin, body: {}, idempotencyKey: newKey() };
    expect((await post({ ...request, key: tenant.write })).status).toBe(403);
    sidecar.behave({ status: 500 });
    expect((await post(request)).status).toBe(503);
    sidecar.behave('well');
    await expectReplayed(request);
  });

  test('waits for a request in progress for ten seconds at most, and says when to retry', async () => {
    sidecar.behave('hang');
    const idempotencyKey = newKey();
    const request = { path, key: app.admin, body: {}, idempotencyKey };
    const id = new RegExp(`:${idempotencyKey}$`);
    const before = checks();
    const first = post(request);
    await expect.poll(() => app.models.Idempotency.countDocuments({ _id: id })).toBe(1);
    // As if the process that executes the request was another one: this one does not see it end.
    const [record] = await app.models.Idempotency.find({ _id: id }).lean();
    const id2 = `${record?._id}-elsewhere`;
    await app.models.Idempotency.collection.insertOne({ ...record, _id: id2 } as never);
    const startedAt = performance.now();
    const refused = await post({ ...request, idempotencyKey: `${idempotencyKey}-elsewhere` });
    expect(performance.now() - startedAt).toBeGreaterThan(9_000);
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    expect(refused).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await first).status).toBe(503);

    await app.models.Idempotency.updateOne({ _id: id2 }, { $set: { claimedUntil: new Date(0) } });
    const unknown = await post({ ...request, idempotencyKey: `${idempotencyKey}-elsewhere` });
    expect(unknown.status).toBe(409);
    expect(unknown.headers.get('retry-after')).toBeNull();
    expect(unknown.body.error?.message).toContain('was not stored');
    // A retry within the first request, which the service itself repeated.
    expect(checks() - before).toBeLessThanOrEqual(2);
  });
});
