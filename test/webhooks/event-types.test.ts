import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';

const LIST = '{ eventTypes { name description schema example } }';
const DRIFT = [
  ...['scope', 'stage', 'feature', 'score', 'threshold', 'checkedAt'],
  ...['model', 'alertId', 'since', 'reminder', 'features'],
];
/** The customer events of the specification, the custom ones and the operational ones, without the two keys that every event has. */
const KEYS = {
  'conversation.started': ['conversationId', 'visitorId'],
  'conversation.ended': ['conversationId', 'status', 'converted'],
  'identity.resolved': [
    'conversationId',
    'resolvedPersonId',
    'company',
    'firstName',
    'lastName',
    'jobTitle',
    'email',
  ],
  'conversion.recorded': ['conversionEventId', 'conversationId', 'conversionType', 'value'],
  'resolution.recorded': ['resolutionEventId', 'conversationId', 'resolvedPersonId', 'resolvedCompany'],
  'handoff.requested': ['escalationId', 'conversationId', 'schemaName', 'urgency', 'reason'],
  'outcome.marked': ['conversationId', 'category'],
  'custom.*': [
    ...['customEventId', 'type', 'visitorId', 'conversationId', 'goal', 'value'],
    ...['properties', 'occurredAt'],
  ],
  'drift.detected': DRIFT,
  'drift.cleared': DRIFT,
  'endpoint.failing': ['endpointId', 'failures', 'since'],
  'endpoint.disabled': ['endpointId', 'reason', 'disabledAt'],
  'endpoint.recovered': ['endpointId', 'recoveredAt'],
  'delivery.exhausted': ['endpointId', 'count', 'since'],
  'meeting_sync.failed': ['runId', 'code', 'message', 'failedAt'],
  'recorder_key.invalid': ['detectedAt'],
  'audit.recorded': [
    'auditEntryId',
    'action',
    'actorType',
    'actorId',
    'targetType',
    'targetId',
    'outcome',
    'count',
    'recordedAt',
  ],
  'person.erased': ['erasureId', 'suppressed', 'counts', 'erasedAt'],
  'key.expiring': ['keyId', 'name', 'scope', 'expiresAt', 'lastUsedAt'],
};

interface EventType {
  name: keyof typeof KEYS;
  description: string;
  schema: { required: string[]; properties: Record<string, unknown> };
  example: Record<string, unknown>;
}

let app: TestApp;
let tenant: TestTenant;

beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
});
afterAll(() => app.stop());

const catalog = async () =>
  (await app.request('GET', '/api/v1/event-types', { key: tenant.read })).body.data as unknown as EventType[];

describe('the event catalogue', () => {
  test('requires authentication', async () => {
    await expectProtected(app, { method: 'GET', path: '/api/v1/event-types', scope: 'read' }, tenant);
    await expectProtectedGraphQL(app, LIST, {}, []);
  });

  test('is a page with every event type in order, and the fields of its data', async () => {
    const { status, body } = await app.request('GET', '/api/v1/event-types', { key: tenant.read });
    expect([status, body.nextCursor, body.hasMore]).toEqual([200, null, false]);
    const types = body.data as unknown as EventType[];
    expect(types.map(({ name }) => name)).toEqual(Object.keys(KEYS));
    for (const { name, description, schema } of types) {
      expect(description).not.toBe('');
      const keys = ['customerId', 'orgId', ...KEYS[name]];
      expect(Object.keys(schema.properties)).toEqual(keys);
      expect(schema.required.toSorted()).toEqual(keys.toSorted());
    }
  });

  test('is paged as every list', async () => {
    const page = async (query: string) =>
      (await app.request('GET', `/api/v1/event-types?${query}`, { key: tenant.read })).body;
    const names: string[] = [];
    for (let query = 'limit=7'; names.length < 100; ) {
      const { data, nextCursor, hasMore } = await page(query);
      names.push(...(data as unknown as EventType[]).map(({ name }) => name));
      expect(hasMore).toBe(nextCursor !== null);
      if (!hasMore) break;
      query = `limit=7&cursor=${nextCursor}`;
    }
    expect(names).toEqual(Object.keys(KEYS));
    for (const query of ['limit=0', 'limit=201', 'cursor=x'])
      expect((await page(query)).error?.code).toBe('VALIDATION_FAILED');
  });

  test('has examples that are valid against their schemas, and schemas that reject invalid data', async () => {
    const ajv = new Ajv2020.default({ strict: true });
    addFormats.default(ajv);
    for (const { name, schema, example } of await catalog()) {
      const validate = ajv.compile(schema);
      expect({ name, valid: validate(example), errors: validate.errors }).toEqual({
        name,
        valid: true,
        errors: null,
      });
      const { customerId: _customerId, ...incomplete } = example;
      expect(validate(incomplete)).toBe(false);
      expect(validate({ ...example, unknown: 1 })).toBe(false);
    }
  });

  test('requires no tenant for an admin key', async () => {
    expect((await app.request('GET', '/api/v1/event-types', { key: app.admin })).status).toBe(200);
  });

  test('is the same over GraphQL', async () => {
    const { body } = await app.graphql(LIST, {}, tenant.read);
    expect(body.data?.eventTypes).toEqual(await catalog());
  });
});
