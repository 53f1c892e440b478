import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { endpointsPath } from '../webhooks/support.ts';

const EVENT = { type: 'signup', visitor_id: 'v_1' };
const LIST = '{ webhookEndpoints { edges { cursor } } }';
let app: TestApp;
let tenant: TestTenant;
let other: TestTenant;

beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
  other = await app.newTenant();
});
afterAll(() => app.stop());

const header = (value: string | number) => ({ 'x-customer-id': String(value) });
const postEvent = async (key: string, headers: Record<string, string> = {}) =>
  (await app.request('POST', '/v1/events', { key, headers, body: EVENT })).status;
const list = async (key: string, customerId: number | string, headers: Record<string, string> = {}) =>
  (await app.request('GET', endpointsPath(customerId as number), { key, headers })).status;
const codeOf = async (key: string, headers: Record<string, string> = {}) => {
  const { body } = await app.graphql(LIST, {}, key, headers);
  return (body.errors as unknown as { extensions: { code: string } }[])?.[0]?.extensions.code ?? 'ok';
};

describe("X-Customer-Id with a tenant's key", () => {
  test('is not read before authentication', async () => {
    expect(await postEvent('', header(tenant.customerId))).toBe(401);
  });

  test('may be omitted or name its own tenant', async () => {
    for (const headers of [{}, header(tenant.customerId)]) {
      expect(await postEvent(tenant.write, headers)).toBe(201);
      expect(await list(tenant.read, tenant.customerId, headers)).toBe(200);
      expect(await codeOf(tenant.read, headers)).toBe('ok');
    }
  });

  test.each(['other', 'unknown', 'banana', '0', '-1'])('is a 404 when it names %s', async (name) => {
    const headers = header(name === 'other' ? other.customerId : name === 'unknown' ? 2_000_000_000 : name);
    expect(await postEvent(tenant.write, headers)).toBe(404);
    expect(await list(tenant.read, tenant.customerId, headers)).toBe(404);
    expect(await codeOf(tenant.read, headers)).toBe('NOT_FOUND');
    expect(await app.models.PreviewEvent.countDocuments({ customerId: other.customerId })).toBe(0);
  });
});

describe('X-Customer-Id with an admin key', () => {
  test('selects the tenant', async () => {
    expect(await postEvent(app.admin, header(other.customerId))).toBe(201);
    expect(await app.models.PreviewEvent.countDocuments({ customerId: other.customerId })).toBe(1);
    expect(await codeOf(app.admin, header(other.customerId))).toBe('ok');
  });

  test('is a 422 when it is missing or malformed, including /v1', async () => {
    for (const headers of [{}, header('banana'), header('0'), header(`${tenant.customerId}, 1`)]) {
      expect(await postEvent(app.admin, headers)).toBe(422);
      expect(await codeOf(app.admin, headers)).toBe('VALIDATION_FAILED');
    }
  });

  test('may be omitted where the path names the tenant, and must not differ from it', async () => {
    expect(await list(app.admin, tenant.customerId)).toBe(200);
    expect(await list(app.admin, tenant.customerId, header(tenant.customerId))).toBe(200);
    expect(await list(app.admin, tenant.customerId, header(other.customerId))).toBe(422);
    expect(await list(app.admin, tenant.customerId, header('banana'))).toBe(422);
  });

  test('is a 404 when the tenant does not exist', async () => {
    expect(await postEvent(app.admin, header(2_000_000_000))).toBe(404);
    expect(await codeOf(app.admin, header(2_000_000_000))).toBe('NOT_FOUND');
    expect(await list(app.admin, 2_000_000_000)).toBe(404);
    expect(await list(app.admin, 'banana')).toBe(404);
  });

  test('is not required for operations without tenant data', async () => {
    expect((await app.request('GET', '/api/v1/event-types', { key: app.admin })).status).toBe(200);
    expect(
      (await app.graphql('{ viewer { scope } eventTypes { name } }', {}, app.admin)).body,
    ).not.toHaveProperty('errors');
  });
});
