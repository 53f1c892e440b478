import { type GraphQLField, getNamedType, isLeafType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildSchemas } from '../../schema/index.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { recordedEvents } from '../support/recorded-events.ts';
import { sendRest } from '../support/rest.ts';
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
    expect((await recordedEvents(app.models, { customerId: other.customerId })).count).toBe(0);
  });
});

describe('X-Customer-Id with an admin key', () => {
  test('selects the tenant', async () => {
    expect(await postEvent(app.admin, header(other.customerId))).toBe(201);
    expect((await recordedEvents(app.models, { customerId: other.customerId })).count).toBe(1);
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

  test.each(['POST suspend', 'POST resume', 'GET deletion', 'POST deletion'])(
    'must not differ from the customer that %s changes',
    async (operation) => {
      const [method = '', action] = operation.split(' ');
      const { customerId } = await app.newTenant();
      const path = `/api/v1/customers/${customerId}/${action}`;
      const body =
        action === 'deletion' && method === 'POST' ? { orgId: `org_${customerId}`, dryRun: true } : undefined;
      const before = await app.models.Tenant.findOne({ customerId }).lean();
      for (const id of [other.customerId, 'banana', 2_000_000_000]) {
        const refused = await app.request(method, path, { key: app.admin, headers: header(id), body });
        expect([refused.status, refused.body.error?.details]).toEqual([
          422,
          [{ path: 'X-Customer-Id', message: 'Must match the customer id in the path.' }],
        ]);
      }
      expect(await app.models.Tenant.findOne({ customerId }).lean()).toEqual(before);
      const { status } = await app.request(method, path, {
        key: app.admin,
        headers: header(customerId),
        body,
      });
      expect(status).toBe(method === 'GET' ? 404 : action === 'deletion' ? 202 : 200);
    },
  );

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

/** Root fields by operation, from the schema itself: a new one is in the list at once. */
const { graphql } = buildSchemas();
const ROOT_FIELDS = (
  [
    ['query', graphql.getQueryType()],
    ['mutation', graphql.getMutationType()],
    ['subscription', graphql.getSubscriptionType()],
  ] as const
).flatMap(([operation, type]) =>
  Object.values(type?.getFields() ?? {}).map((field) => [operation, field.name, field] as const),
);

/** Returns an operation with a variable for each required argument; the 404 precedes the check of their values. */
function operationOf(operation: string, { name, args, type }: GraphQLField<unknown, unknown>): string {
  const required = args.filter((arg) => String(arg.type).endsWith('!') && arg.defaultValue === undefined);
  const variables = required.map((arg) => `$${arg.name}: ${arg.type}`).join(', ');
  const given = required.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  const call = required.length ? `${name}(${given})` : name;
  const selection = isLeafType(getNamedType(type)) ? '' : ' { __typename }';
  return `${operation} ${variables && `(${variables})`} { ${call}${selection} }`;
}

describe('X-Customer-Id of another customer in GraphQL', () => {
  const refusal = async (query: string, key: string, customerId: number) => {
    const { status, text } = await sendRest(app.url, 'POST', '/graphql', {
      key,
      headers: {
        ...header(customerId),
        accept: query.startsWith('subscription') ? 'text/event-stream' : '*/*',
      },
      body: { query },
    });
    return { status, text };
  };

  test('the schema has the fields that use no customer data', () => {
    const names = ROOT_FIELDS.map(([, name]) => name);
    expect(names).toEqual(
      expect.arrayContaining(['viewer', 'eventTypes', 'health', 'driftStatus', 'tenants']),
    );
  });

  test.each(ROOT_FIELDS)('is a 404 on %s %s', async (operation, name, field) => {
    const query = operationOf(operation, field);
    const own = await refusal(query, app.admin, 2_000_000_000);
    expect(own).toMatchObject({ status: 200, text: expect.stringContaining('"code":"NOT_FOUND"') });
    expect(own.text).toContain(`"path":["${name}"]`);
    const { text } = await refusal(query, tenant.write, other.customerId);
    expect(text).toMatch(/"code":"(?:NOT_FOUND|FORBIDDEN)"/);
    expect(text).toContain('"data":null');
  });

  test('is a 404 on an introspection', async () => {
    const { text } = await refusal('{ __schema { queryType { name } } }', tenant.read, other.customerId);
    expect(JSON.parse(text)).toMatchObject({ data: null, errors: [{ extensions: { code: 'NOT_FOUND' } }] });
  });

  test('is refused after a document that is not valid and a scope that is missing', async () => {
    const invalid = await refusal('{ unknownField }', tenant.read, other.customerId);
    expect(invalid).toMatchObject({ status: 400, text: expect.stringContaining('"code":"BAD_REQUEST"') });
    const forbidden = await refusal('{ tenants { edges { cursor } } }', tenant.read, other.customerId);
    expect(forbidden.text).toContain('"code":"FORBIDDEN"');
  });

  test('executes nothing', async () => {
    const { text } = await refusal(
      'mutation { startConversation(input: { visitorId: "v_1" }) { id } viewer: createTenant(input: { customerId: 1999999999, orgId: "o", name: "n" }) { orgId } }',
      app.admin,
      2_000_000_000,
    );
    expect(JSON.parse(text).errors).toHaveLength(2);
    expect(await app.models.Tenant.countDocuments({ customerId: 1_999_999_999 })).toBe(0);
  });
});
