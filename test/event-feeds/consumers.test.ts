import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startConversation } from '../conversations/support.ts';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { runJob } from '../support/jobs.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import { act, conversionsOf, convert, feedPath, pull, pullAnswer } from './support.ts';

const ACK = `mutation ($name: String!, $cursor: String!, $consumer: String) {
  ackEventFeed(name: $name, cursor: $cursor, consumer: $consumer) { name cursor consumer heldUntil }
}`;
const SEEK = `mutation ($name: String!, $to: String!, $consumer: String) {
  seekEventFeed(name: $name, to: $to, consumer: $consumer) { name cursor consumer }
}`;
const HOUR = 3_600_000;
let app: TestApp;

beforeAll(async () => {
  app = await startApp({ DELIVERY_RETENTION: '1h' });
});
afterAll(() => app.stop());

describe('acknowledging', () => {
  test('requires authentication', async () => {
    const tenant = await app.newTenant();
    const { cursor } = await pull(app, tenant, '?consumer=a');
    const path = `${feedPath(tenant)}/ack`;
    await expectProtected(
      app,
      { method: 'POST', path, body: { cursor, consumer: 'a' }, scope: 'write' },
      tenant,
    );
    await expectProtectedGraphQL(app, ACK, { name: 'crm', cursor, consumer: 'a' }, [tenant.read]);
  });

  test('moves the position forward, never back', async () => {
    const tenant = await app.newTenant();
    const ids = await convert(app, tenant, 3);
    const one = await pull(app, tenant, '?consumer=a&limit=1');
    const two = await pull(app, tenant, '?consumer=a&limit=2');
    const { status, body } = await act(app, tenant, { action: 'ack', cursor: two.cursor, consumer: 'a' });
    expect([status, body]).toMatchObject([200, { name: 'crm', cursor: two.cursor, consumer: 'a' }]);
    const late = await act(app, tenant, { action: 'ack', cursor: one.cursor, consumer: 'a' });
    expect(late.body.cursor).toBe(two.cursor);
    expect(conversionsOf(await pull(app, tenant, '?consumer=a'))).toEqual(ids.slice(2));
  });

  test('keeps a position for each name', async () => {
    const tenant = await app.newTenant();
    const ids = await convert(app, tenant, 2);
    const { cursor } = await pull(app, tenant, '?consumer=a', 'one');
    await act(app, tenant, { action: 'ack', name: 'one', cursor, consumer: 'a' });
    expect((await pull(app, tenant, '?consumer=a', 'one')).data).toEqual([]);
    expect(conversionsOf(await pull(app, tenant, '?consumer=a', 'two'))).toEqual(ids);
  });

  test('rejects a cursor that no feed of the customer has returned, and a feed that does not exist', async () => {
    const tenant = await app.newTenant();
    const { cursor } = await pull(app, tenant, '?consumer=a');
    const [, list] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const beyond = Buffer.from(JSON.stringify([1_000, list])).toString('base64url');
    for (const wrong of ['x', beyond])
      expect((await act(app, tenant, { action: 'ack', cursor: wrong, consumer: 'a' })).status).toBe(422);
    const unknown = await act(app, tenant, { action: 'ack', name: 'other', cursor, consumer: 'a' });
    expect(unknown.status).toBe(404);
  });
});

describe('several consumers of a feed', () => {
  test('are refused while one holds it, with its name; one continues after the holder has died', async () => {
    const tenant = await app.newTenant();
    const ids = await convert(app, tenant, 2);
    expect(conversionsOf(await pull(app, tenant, '?consumer=worker-1'))).toEqual(ids);
    const { status, body } = await pullAnswer(app, tenant, '?consumer=worker-2');
    expect([status, body.error?.code]).toEqual([409, 'CONFLICT']);
    expect(body.error?.message).toMatch(/worker-1 until \d{4}-/);
    app.clock.advance(16_000);
    const again = await pull(app, tenant, '?consumer=worker-2');
    expect(conversionsOf(again)).toEqual(ids);
    for (const action of ['ack', 'seek'] as const) {
      const position = action === 'ack' ? { cursor: again.cursor } : { to: 'end' };
      const late = await act(app, tenant, { action, ...position, consumer: 'worker-1' });
      expect([late.status, late.body.error?.message]).toMatchObject([
        409,
        expect.stringContaining('worker-2'),
      ]);
    }
  });

  test('are the keys if they have no names', async () => {
    const tenant = await app.newTenant();
    await pull(app, tenant);
    const { status, body } = await pullAnswer(app, { ...tenant, read: tenant.write });
    expect([status, body.error?.message]).toMatchObject([409, expect.stringContaining('key:')]);
  });

  test('one of them at a time wins a race', async () => {
    const tenant = await app.newTenant();
    await convert(app, tenant, 1);
    await pull(app, tenant, '?consumer=w-0');
    app.clock.advance(16_000);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => pullAnswer(app, tenant, `?consumer=w-${i}`)),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 7 }, () => 409)]);
  });

  test('a client that disconnects while it waits releases the feed', async () => {
    const tenant = await app.newTenant();
    await pull(app, tenant, '?consumer=a');
    const gone = new AbortController();
    const waiting = fetch(`${app.url}${feedPath(tenant)}?wait=20&consumer=a`, {
      headers: { authorization: `Bearer ${tenant.read}` },
      signal: gone.signal,
    });
    setTimeout(() => gone.abort(), 300);
    await waiting.catch(() => {});
    await eventually(async () => (await pullAnswer(app, tenant, '?consumer=b')).status === 200);
  });
});

describe('a consumer whose pull waits', () => {
  /** Starts a pull that waits; `end` disconnects its client. */
  async function waitingPull(tenant: TestTenant) {
    const heldUntil = new Date(app.clock.now().getTime() + 35_000);
    const connection = new AbortController();
    const answered = fetch(`${app.url}${feedPath(tenant)}?wait=20&consumer=a`, {
      headers: { authorization: `Bearer ${tenant.read}` },
      signal: connection.signal,
    }).catch(() => null);
    const { customerId } = tenant;
    await eventually(() => app.models.EventFeed.exists({ customerId, expiresAt: { $gte: heldUntil } }));
    const end = async () => {
      connection.abort();
      await answered;
    };
    onTestFinished(end);
    return { end };
  }
  const isHeld = async (tenant: TestTenant) => (await pullAnswer(app, tenant, '?consumer=b')).status === 409;

  test('holds the feed as long, also if it acknowledges meanwhile', async () => {
    const tenant = await app.newTenant();
    const { cursor } = await pull(app, tenant, '?consumer=a');
    await waitingPull(tenant);
    expect((await act(app, tenant, { action: 'ack', cursor, consumer: 'a' })).status).toBe(200);
    app.clock.advance(16_000);
    expect(await isHeld(tenant)).toBe(true);
  });

  test('holds it if another pull of it waits for less time', async () => {
    const tenant = await app.newTenant();
    await waitingPull(tenant);
    await pull(app, tenant, '?consumer=a&wait=1');
    app.clock.advance(17_000);
    expect(await isHeld(tenant)).toBe(true);
  });

  test('holds it if it pulls again before the end of its connection is noticed', async () => {
    const tenant = await app.newTenant();
    const first = await waitingPull(tenant);
    app.clock.advance(1_000);
    await waitingPull(tenant);
    await first.end();
    await sleep(500);
    expect(await isHeld(tenant)).toBe(true);
  });
});

describe('seeking', () => {
  test('requires authentication', async () => {
    const tenant = await app.newTenant();
    const path = `${feedPath(tenant)}/seek`;
    const body = { to: 'beginning', consumer: 'a' };
    await expectProtected(app, { method: 'POST', path, body, scope: 'write' }, tenant);
    await expectProtectedGraphQL(app, SEEK, { name: 'crm', ...body }, [tenant.read]);
  });

  test('moves to the beginning, the end, a time and a cursor', async () => {
    const tenant = await app.newTenant();
    const ids = await convert(app, tenant, 2);
    app.clock.advance(60_000);
    const time = app.clock.now().toISOString();
    ids.push(...(await convert(app, tenant, 2)));
    const { cursor } = await pull(app, tenant, '?consumer=a&limit=1');
    const eventsAfter = async (to: string) => {
      const { status } = await act(app, tenant, { action: 'seek', to, consumer: 'a' });
      return [status, conversionsOf(await pull(app, tenant, '?consumer=a'))];
    };
    expect(await eventsAfter('end')).toEqual([200, []]);
    expect(await eventsAfter(time)).toEqual([200, ids.slice(2)]);
    expect(await eventsAfter('beginning')).toEqual([200, ids]);
    expect(await eventsAfter(cursor)).toEqual([200, ids.slice(1)]);
    expect(await eventsAfter('2000-01-01T00:00:00Z')).toEqual([200, ids]);
  });

  test('creates the feed', async () => {
    const tenant = await app.newTenant();
    await convert(app, tenant, 1);
    expect((await act(app, tenant, { action: 'seek', to: 'end', consumer: 'a' })).status).toBe(200);
    expect((await pull(app, tenant, '?consumer=a')).data).toEqual([]);
  });

  test('rejects any other position', async () => {
    const { status, body } = await act(app, await app.newTenant(), { action: 'seek', to: 'yesterday' });
    expect([status, body.error?.details]).toMatchObject([422, [{ path: 'to' }]]);
  });
});

describe('events that retention has removed', () => {
  test('are a 410 that says how many, for a position and for a cursor, until the feed seeks', async () => {
    const tenant = await app.newTenant();
    await convert(app, tenant, 3);
    const { cursor } = await pull(app, tenant, '?consumer=a&limit=1');
    app.clock.advance(HOUR + 61_000);
    const kept = await convert(app, tenant, 1);
    await pull(app, tenant, '?consumer=a');
    await runJob(app, 'webhooks.retention');
    const { status, body } = await pullAnswer(app, tenant, '?consumer=a');
    expect([status, body.error?.code]).toEqual([410, 'POSITION_GONE']);
    expect(body.error?.message).toMatch(
      /^Up to 3 events .* the oldest stored event is of \d{4}-.*Seek to "beginning"/,
    );
    const ahead = await pullAnswer(app, tenant, `?consumer=a&cursor=${cursor}`);
    expect([ahead.status, ahead.body.error?.message]).toMatchObject([
      410,
      expect.stringMatching(/^Up to 2 /),
    ]);
    const seek = { action: 'seek', consumer: 'a' } as const;
    expect((await act(app, tenant, { ...seek, to: cursor })).status).toBe(410);
    expect((await act(app, tenant, { ...seek, to: 'beginning' })).status).toBe(200);
    const page = await pull(app, tenant, '?consumer=a');
    expect([conversionsOf(page), page.oldest]).toEqual([kept, page.data[0]?.createdAt]);
  });

  test('keep their numbers, also if none is left', async () => {
    const tenant = await app.newTenant();
    await convert(app, tenant, 3);
    const { cursor } = await pull(app, tenant, '?consumer=a');
    await act(app, tenant, { action: 'ack', cursor, consumer: 'a' });
    app.clock.advance(HOUR + 61_000);
    await runJob(app, 'webhooks.retention');
    expect(await pull(app, tenant, '?consumer=a')).toMatchObject({ data: [], oldest: null });
    const later = await convert(app, tenant, 2);
    expect(conversionsOf(await pull(app, tenant, '?consumer=a'))).toEqual(later);
  });
});

test('events that an erasure has removed are left out, and the feed goes on', async () => {
  const tenant = await app.newTenant();
  const { id } = await startConversation(app, tenant, { visitorId: 'v_erased' });
  const [kept = ''] = await convert(app, tenant, 1);
  await pull(app, tenant, '?consumer=a');
  const path = `/api/v1/customers/${tenant.customerId}/conversations/${id}`;
  expect((await app.request('DELETE', path, { key: tenant.write })).status).toBe(200);
  const page = await pull(app, tenant, '?consumer=a');
  expect(conversionsOf(page)).toEqual([kept]);
  expect(page.data).toHaveLength(1);

  const entries = () => app.models.EventLogEntry.countDocuments({ customerId: tenant.customerId });
  expect(await entries()).toBe(2);
  app.clock.advance(HOUR + 61_000);
  await runJob(app, 'webhooks.retention');
  await runJob(app, 'eventFeeds.retention');
  expect(await entries()).toBe(0);
  const later = await convert(app, tenant, 1);
  await act(app, tenant, { action: 'seek', to: 'beginning', consumer: 'a' });
  expect(conversionsOf(await pull(app, tenant, '?consumer=a'))).toEqual(later);
});

test('a customer has at most 100 feeds', async () => {
  const tenant = await app.newTenant();
  for (let i = 0; i < 100; i += 20)
    await Promise.all(Array.from({ length: 20 }, (_, j) => pull(app, tenant, '', `feed-${i + j}`)));
  const { status, body } = await pullAnswer(app, tenant, '', 'one-more');
  expect([status, body.error?.message]).toMatchObject([409, expect.stringContaining('100 event feeds')]);
});
