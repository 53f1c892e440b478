import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { expectProtectedGraphQL } from '../support/protection.ts';
import { deliveriesOf, listening } from '../webhooks/support.ts';
import { countEvents } from './support.ts';

const RECORD = `mutation ($input: RecordEventInput!) {
  recordEvent(input: $input) { id type goal visitorId conversationId value occurredAt createdAt }
}`;
const CONVERSION = { type: 'conversion', goal: 'demo_booked', visitorId: 'v_1' };
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const record = (tenant: TestTenant, input: Record<string, unknown>, headers: Record<string, string> = {}) =>
  app.graphql(RECORD, { input }, tenant.write, headers);

describe('recording an event over GraphQL', () => {
  test('requires authentication', async () => {
    const tenant = await app.newTenant();
    await expectProtectedGraphQL(app, RECORD, { input: CONVERSION }, [tenant.read]);
    expect(await countEvents(app, tenant)).toBe(0);
  });

  test('of a conversion returns it, and delivers it', async () => {
    const { tenant, receiver } = await listening(app);
    const { body } = await record(tenant, {
      ...CONVERSION,
      value: 3,
      occurredAt: '2026-01-31T11:30:00+02:00',
    });
    expect(body).toEqual({
      data: {
        recordEvent: {
          id: expect.stringMatching(/^[0-9a-f]{24}$/),
          ...CONVERSION,
          conversationId: null,
          value: 3,
          occurredAt: '2026-01-31T09:30:00.000Z',
          createdAt: expect.any(String),
        },
      },
    });
    const [request] = await receiver.waitFor(1);
    expect(request?.envelope.data.conversionEventId).toBe(body.data?.recordEvent?.id);
  });

  test('of a custom type notifies no endpoint', async () => {
    const { tenant, endpoint } = await listening(app);
    const { body } = await record(tenant, { type: 'page.viewed', visitorId: 'v_1', properties: { $gt: '' } });
    expect(body.data?.recordEvent).toMatchObject({ type: 'page.viewed', goal: null, value: null });
    expect(await deliveriesOf(app, tenant, endpoint)).toEqual([]);
  });

  test.each([
    [{ type: 'conversion', visitorId: 'v_1' }, 'VALIDATION_FAILED'],
    [{ ...CONVERSION, type: 'Conversion' }, 'VALIDATION_FAILED'],
    [{ ...CONVERSION, value: '5' }, 'VALIDATION_FAILED'],
    [{ ...CONVERSION, occurredAt: '2026-02-30T00:00:00Z' }, 'VALIDATION_FAILED'],
    [{ ...CONVERSION, properties: { a: 'x'.repeat(16_384) } }, 'VALIDATION_FAILED'],
    [{ ...CONVERSION, properties: { a: { b: { c: { d: { e: {} } } } } } }, 'VALIDATION_FAILED'],
    [{ ...CONVERSION, visitor_id: 'v_1' }, 'VALIDATION_FAILED'],
    [{ ...CONVERSION, conversationId: '665f1c2ab8e4d3a1f0c9b7e6' }, 'NOT_FOUND'],
  ])('rejects %j with %s', async (input, code) => {
    const tenant = await app.newTenant();
    const { status, body } = await record(tenant, input);
    expect(status).toBe(200);
    expect(body).toMatchObject({ errors: [{ extensions: { code } }] });
    expect(await countEvents(app, tenant)).toBe(0);
  });

  test('honours an Idempotency-Key as POST /v1/events does', async () => {
    const tenant = await app.newTenant();
    const headers = { 'idempotency-key': 'k1' };
    const first = await record(tenant, CONVERSION, headers);
    const again = await record(tenant, CONVERSION, headers);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await record(tenant, { ...CONVERSION, goal: 'other' }, headers);
    expect(other.body).toMatchObject({ errors: [{ extensions: { code: 'CONFLICT' } }] });
    expect(await countEvents(app, tenant)).toBe(1);
  });

  test('rejects a malformed Idempotency-Key as VALIDATION_FAILED, which other operations ignore', async () => {
    const tenant = await app.newTenant();
    const headers = { 'idempotency-key': 'x'.repeat(256) };
    const { status, body } = await record(tenant, CONVERSION, headers);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      errors: [{ extensions: { code: 'VALIDATION_FAILED', details: [{ path: 'Idempotency-Key' }] } }],
    });
    expect(await countEvents(app, tenant)).toBe(0);
    const viewer = await app.request('POST', '/graphql', {
      key: tenant.read,
      headers,
      body: { query: '{ viewer { scope } }' },
    });
    expect(viewer.body).toEqual({ data: { viewer: { scope: 'read' } } });
  });
});
