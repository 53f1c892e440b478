import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { deliveriesOf, listening } from '../webhooks/support.ts';
import { CONVERSION, countEvents, post } from './support.ts';

const HOUR = 60 * 60_000;
let app: TestApp;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('recording an event with an Idempotency-Key', () => {
  test('requires authentication for a replay as well', async () => {
    const tenant = await app.newTenant();
    await post(app, tenant, CONVERSION, 'k1');
    const request = { body: CONVERSION, headers: { 'idempotency-key': 'k1' } };
    expect((await app.request('POST', '/v1/events', request)).status).toBe(401);
    expect((await app.request('POST', '/v1/events', { ...request, key: tenant.read })).status).toBe(403);
  });

  test('replays the first response for the same body, and records nothing', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    const first = await post(app, tenant, { ...CONVERSION, value: 1 }, 'k1');
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const reordered = { value: 1, visitor_id: 'v_1', goal: 'demo_booked', type: 'conversion' };
    for (const body of [{ ...CONVERSION, value: 1 }, reordered]) {
      const again = await post(app, tenant, body, 'k1');
      expect([again.status, again.body]).toEqual([201, first.body]);
      expect(again.headers.get('idempotent-replayed')).toBe('true');
    }
    await receiver.waitFor(1);
    expect(await countEvents(app, tenant)).toBe(1);
    expect(await deliveriesOf(app, tenant, endpoint)).toHaveLength(1);
  });

  test('returns 409 for another body', async () => {
    const tenant = await app.newTenant();
    await post(app, tenant, CONVERSION, 'k1');
    for (const change of [{ goal: 'other' }, { value: 1 }, { properties: { a: 1 } }])
      expect(await post(app, tenant, { ...CONVERSION, ...change }, 'k1')).toMatchObject({
        status: 409,
        body: { error: { code: 'CONFLICT' } },
      });
    expect(await countEvents(app, tenant)).toBe(1);
  });

  test('runs one of 20 identical parallel requests, and returns its response to all', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => post(app, tenant, CONVERSION, 'twin')),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(201));
    expect(new Set(answers.map(({ body }) => String(body.id))).size).toBe(1);
    const replayed = answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true');
    expect(replayed).toHaveLength(19);
    await receiver.waitFor(1);
    await eventually(
      async () => (await deliveriesOf(app, tenant, endpoint, '?status=succeeded')).length === 1,
    );
    expect(await countEvents(app, tenant)).toBe(1);
    expect(receiver.received).toHaveLength(1);
  });

  test('records one of two parallel bodies, and returns 409 for the other', async () => {
    const tenant = await app.newTenant();
    const answers = await Promise.all(
      ['a', 'b'].map((goal) => post(app, tenant, { ...CONVERSION, goal }, 'both')),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    expect(await countEvents(app, tenant)).toBe(1);
  });

  test('is scoped to the tenant', async () => {
    const [tenant, other] = [await app.newTenant(), await app.newTenant()];
    const answers = [
      await post(app, tenant, CONVERSION, 'shared'),
      await post(app, other, CONVERSION, 'shared'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers[1]?.headers.has('idempotent-replayed')).toBe(false);
    expect(answers[0]?.body.id).not.toBe(answers[1]?.body.id);
  });

  test('expires after 24 hours', async () => {
    const tenant = await app.newTenant();
    const first = await post(app, tenant, CONVERSION, 'daily');
    app.clock.advance(24 * HOUR - 60_000);
    expect((await post(app, tenant, CONVERSION, 'daily')).body.id).toBe(first.body.id);
    app.clock.advance(120_000);
    const next = await post(app, tenant, { ...CONVERSION, goal: 'another' }, 'daily');
    expect(next.status).toBe(201);
    expect(next.headers.has('idempotent-replayed')).toBe(false);
    expect(next.body.id).not.toBe(first.body.id);
    const replay = await post(app, tenant, { ...CONVERSION, goal: 'another' }, 'daily');
    expect(replay.body.id).toBe(next.body.id);
  });

  test('stores only successful responses', async () => {
    const tenant = await app.newTenant();
    expect((await post(app, tenant, { type: 'conversion', visitor_id: 'v' }, 'k')).status).toBe(422);
    const unknown = { ...CONVERSION, conversation_id: '665f1c2ab8e4d3a1f0c9b7e6' };
    expect((await post(app, tenant, unknown, 'k')).status).toBe(404);
    const { status, headers } = await post(app, tenant, CONVERSION, 'k');
    expect([status, headers.has('idempotent-replayed')]).toEqual([201, false]);
  });

  test.each([
    ['an empty one', ''],
    ['256 characters', 'x'.repeat(256)],
    ['a character beyond ASCII', 'sch\u00f6n'],
  ])('rejects %s with 422', async (_what, key) => {
    const tenant = await app.newTenant();
    expect(await post(app, tenant, CONVERSION, key)).toMatchObject({
      status: 422,
      body: { error: { details: [{ path: 'Idempotency-Key' }] } },
    });
    expect(await countEvents(app, tenant)).toBe(0);
  });
});
