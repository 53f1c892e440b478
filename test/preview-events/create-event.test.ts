import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { plainRows } from '../support/decrypted.ts';
import { expectProtected } from '../support/protection.ts';
import { listening } from '../webhooks/support.ts';
import { CONVERSION, countEvents, post } from './support.ts';

const CUSTOM = { type: 'page.viewed', visitor_id: 'v_1' };
let app: TestApp;
let tenant: TestTenant;

beforeAll(async () => {
  app = await startApp();
  tenant = await app.newTenant();
});
afterAll(() => app.stop());

/** Properties nested so deep, themselves the first level. */
const nested = (levels: number): Record<string, unknown> => (levels === 1 ? {} : { a: nested(levels - 1) });
/** Properties of exactly so many bytes of JSON, all but a few of them in characters of three bytes. */
function sized(bytes: number): Record<string, unknown> {
  const room = bytes - Buffer.byteLength('{"a":""}');
  return { a: 'x'.repeat(room % 3) + '€'.repeat(Math.floor(room / 3)) };
}

describe('recording an event', () => {
  test('requires authentication', async () => {
    const call = { method: 'POST', path: '/v1/events', body: CONVERSION, scope: 'write' } as const;
    await expectProtected(app, call, tenant);
    expect(await countEvents(app, tenant)).toBe(0);
  });

  test('of a conversion returns 201, and its id is the `conversionEventId` of the webhook', async () => {
    const { tenant, receiver } = await listening(app);
    const { status, body, headers } = await post(app, tenant, { ...CONVERSION, value: 12.5 });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      event_id: expect.stringMatching(/^[0-9a-f]{24}$/),
      suppressed: false,
      type: 'conversion',
      goal: 'demo_booked',
      visitor_id: 'v_1',
      conversation_id: null,
      value: 12.5,
      occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      created_at: body.occurred_at,
    });
    expect(headers.has('idempotent-replayed')).toBe(false);
    const [request] = await receiver.waitFor(1);
    expect(request?.envelope).toMatchObject({
      event: 'conversion.recorded',
      data: { conversionEventId: body.id, conversionType: 'demo_booked', conversationId: null, value: 12.5 },
    });
    expect(request?.headers['webhook-id']).toBe(body.event_id);
  });

  test('of a custom type requires no goal, and notifies no endpoint', async () => {
    const { tenant, receiver } = await listening(app);
    const { status, body } = await post(app, tenant, CUSTOM);
    expect(status).toBe(201);
    expect(body).toMatchObject({ event_id: null, type: 'page.viewed', goal: null, value: null });
    await post(app, tenant, CONVERSION);
    await receiver.waitFor(1);
    expect(await app.models.Event.countDocuments({ customerId: tenant.customerId })).toBe(1);
  });

  test.each(['a', 'signup', 'a_b.c:d-e9', 'x'.repeat(64)])('accepts the type %s', async (type) => {
    expect((await post(app, tenant, { ...CUSTOM, type })).status).toBe(201);
  });

  test.each(['2026-01-31T09:30:00Z', '2026-01-31T11:30:00+02:00', '2026-01-31T09:30:00.000Z'])(
    'returns the time of %s in UTC',
    async (occurred_at) => {
      const { body } = await post(app, tenant, { ...CUSTOM, occurred_at });
      expect(body.occurred_at).toBe('2026-01-31T09:30:00.000Z');
      expect(body.created_at).not.toBe(body.occurred_at);
    },
  );

  test.each([0, -1, 0.1, 1e21, null])('accepts the value %s', async (value) => {
    expect(await post(app, tenant, { ...CUSTOM, value })).toMatchObject({ status: 201, body: { value } });
  });

  test('accepts null for every optional field', async () => {
    const absent = { goal: null, conversation_id: null, value: null, occurred_at: null, properties: null };
    expect((await post(app, tenant, { ...CUSTOM, ...absent })).status).toBe(201);
  });

  test.each([
    ['16 KiB', sized(16_384)],
    ['five levels', nested(5)],
    ['keys that look like operators', JSON.parse('{"$gt":"","a.b":1,"__proto__":{"x":1},"constructor":1}')],
  ])('stores properties of %s unchanged', async (_what, properties) => {
    const { status, body } = await post(app, tenant, { ...CUSTOM, properties });
    expect(status).toBe(201);
    const [stored] = await plainRows(app, app.models.PreviewEvent.find({ _id: body.id }));
    expect(JSON.parse(stored?.properties ?? '')).toEqual(properties);
  });

  test.each([
    ['a conversion without a goal', { ...CONVERSION, goal: undefined }, 'goal'],
    ['a conversion whose goal is null', { ...CONVERSION, goal: null }, 'goal'],
    ['an empty goal', { ...CONVERSION, goal: '' }, 'goal'],
    ['a goal of 501 characters', { ...CONVERSION, goal: 'x'.repeat(501) }, 'goal'],
    ['a type in capitals', { ...CUSTOM, type: 'Signup' }, 'type'],
    ['a type that begins with a digit', { ...CUSTOM, type: '1st' }, 'type'],
    ['a type with a line break behind it', { ...CUSTOM, type: 'signup\n' }, 'type'],
    ['a type of 65 characters', { ...CUSTOM, type: 'x'.repeat(65) }, 'type'],
    ['an empty type', { ...CUSTOM, type: '' }, 'type'],
    ['no visitor', { type: 'signup' }, 'visitor_id'],
    ['an empty visitor', { ...CUSTOM, visitor_id: '' }, 'visitor_id'],
    ['a visitor of 501 characters', { ...CUSTOM, visitor_id: 'x'.repeat(501) }, 'visitor_id'],
    ['a visitor with a NUL', { ...CUSTOM, visitor_id: 'a\0b' }, 'visitor_id'],
    ['a value in quotes', { ...CUSTOM, value: '5' }, 'value'],
    ['a time without an offset', { ...CUSTOM, occurred_at: '2026-01-31T09:30:00' }, 'occurred_at'],
    [
      'a time beyond the year 9999 in UTC',
      { ...CUSTOM, occurred_at: '9999-12-31T23:59:59-12:00' },
      'occurred_at',
    ],
    ['a day that does not exist', { ...CUSTOM, occurred_at: '2026-02-30T00:00:00Z' }, 'occurred_at'],
    ['a time as a number', { ...CUSTOM, occurred_at: 1_769_851_800 }, 'occurred_at'],
    ['properties above 16 KiB', { ...CUSTOM, properties: sized(16_385) }, 'properties'],
    ['properties of six levels', { ...CUSTOM, properties: nested(6) }, 'properties'],
    ['six levels with lists', { ...CUSTOM, properties: { a: [[[[[]]]]] } }, 'properties'],
    ['properties that are a list', { ...CUSTOM, properties: [] }, 'properties'],
    ['an unknown field', { ...CUSTOM, customerId: 1 }, 'customerId'],
    [
      'a name as the other API writes it',
      { type: 'signup', visitorId: 'v_1', visitor_id: 'v_1' },
      'visitorId',
    ],
  ])('rejects %s with 422', async (_what, body, path) => {
    const before = await countEvents(app, tenant);
    expect(await post(app, tenant, body)).toMatchObject({
      status: 422,
      body: { error: { code: 'VALIDATION_FAILED', details: [{ path }] } },
    });
    expect(await countEvents(app, tenant)).toBe(before);
  });

  test('rejects a value that is not a finite number', async () => {
    const body = JSON.stringify({ ...CUSTOM, value: 0 }).replace('"value":0', '"value":1e999');
    expect((await post(app, tenant, body)).status).toBe(422);
  });

  test('returns 404 for an unknown conversation', async () => {
    for (const conversation_id of ['665f1c2ab8e4d3a1f0c9b7e6', 'nope'])
      expect(await post(app, tenant, { ...CONVERSION, conversation_id })).toMatchObject({
        status: 404,
        body: { error: { code: 'NOT_FOUND' } },
      });
  });
});
