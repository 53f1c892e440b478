import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pull, pullAnswer } from '../event-feeds/support.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { cpuMsOf } from '../support/cpu-time.ts';
import { createEndpoint, endpointsPath, postConversion } from './support.ts';

const TYPE = 'custom.page';
const PATH = 'data.properties.a';
const ENDPOINTS = 50;
const EVENTS = 40;
/** A fraction of what the unbounded evaluation took. */
const MAX_HEALTH_MS = 1_500;

/** Among the worst filters that are accepted: all of its patterns are evaluated, and none matches. */
const HOSTILE = { $or: Array.from({ length: 5 }, () => ({ [PATH]: { $regex: '(?:a?b?){8}[cd]' } })) };
const TOO_LARGE = {
  $or: Array.from({ length: 5 }, () => ({ [PATH]: { $regex: '(?:[a-h]{1,62}[b-e]){8}[0-9]' } })),
};
const TEXT = 'abba'.repeat(4_000);

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const record = (tenant: TestTenant) =>
  postConversion(app, tenant, { type: 'page', goal: null, properties: { a: TEXT } });

/** Returns the most CPU time that passes during a request to the health route, beside some work. Milliseconds. */
async function slowestHealth(work: () => Promise<unknown>): Promise<number> {
  let isRunning = true;
  let slowest = 0;
  const probing = (async () => {
    while (isRunning) {
      const cpuMs = await cpuMsOf(async () =>
        expect((await app.request('GET', '/api/health')).status).toBe(200),
      );
      slowest = Math.max(slowest, cpuMs);
      await sleep(5);
    }
  })();
  await work().finally(() => {
    isRunning = false;
  });
  await probing;
  return slowest;
}

const feedQuery = (filter: object) => `?events=${TYPE}&filter=${encodeURIComponent(JSON.stringify(filter))}`;

describe('patterns that are too large', () => {
  const message = expect.stringMatching(
    /^The patterns of a filter must have at most 200 instructions together, .*; with this one they have \d+\./,
  );

  test('are a 422 in a new endpoint, and in a change, which changes nothing', async () => {
    const tenant = await app.newTenant();
    const create = { url: 'https://receiver.example.com/hooks', events: [TYPE] };
    const refused = await app.request('POST', endpointsPath(tenant.customerId), {
      key: tenant.write,
      body: { ...create, filter: TOO_LARGE },
    });
    expect(refused.status).toBe(422);
    expect(refused.body.error).toMatchObject({
      details: [{ path: `filter.$or.0.${PATH}.$regex`, message }],
    });
    const { path } = await createEndpoint(app, tenant, { ...create, filter: HOSTILE });
    const change = { key: tenant.write, body: { filter: TOO_LARGE } };
    expect((await app.request('PATCH', path, change)).status).toBe(422);
    expect((await app.request('GET', path, { key: tenant.read })).body.filter).toEqual(HOSTILE);
  });

  test('are a 422 in a pull from a feed', async () => {
    const tenant = await app.newTenant();
    const { status, body } = await pullAnswer(app, tenant, feedQuery(TOO_LARGE));
    expect(status).toBe(422);
    expect(body.error).toMatchObject({
      details: [expect.objectContaining({ message })],
    });
  });
});

describe('the largest filters do not hold other requests', () => {
  test('of 50 endpoints that match an event', async () => {
    const tenant = await app.newTenant();
    for (let index = 0; index < ENDPOINTS; index += 1)
      await createEndpoint(app, tenant, {
        url: 'http://127.0.0.1:9',
        paused: true,
        events: [TYPE],
        filter: HOSTILE,
      });
    let eventId: unknown;
    const slowest = await slowestHealth(async () => {
      for (let index = 0; index < 5; index += 1) eventId = (await record(tenant)).event_id;
    });
    expect(slowest).toBeLessThan(MAX_HEALTH_MS);
    const stored = await app.models.Event.findById(eventId).lean();
    expect(stored?.filteredOut).toHaveLength(ENDPOINTS);
  });

  test('of a pull that reads many events', async () => {
    const tenant = await app.newTenant();
    await pull(app, tenant, `?events=${TYPE}`);
    for (let index = 0; index < EVENTS; index += 1) await record(tenant);
    const slowest = await slowestHealth(async () => {
      expect(await pull(app, tenant, feedQuery(HOSTILE))).toMatchObject({ data: [], hasMore: false });
      expect((await pull(app, tenant, `?events=${TYPE}`)).data).toHaveLength(EVENTS);
    });
    expect(slowest).toBeLessThan(MAX_HEALTH_MS);
  });

  test('of a pull whose client has gone', async () => {
    const tenant = await app.newTenant();
    await pull(app, tenant, `?events=${TYPE}`);
    await record(tenant);
    const principal = await app.services.keys.authenticate(`Bearer ${tenant.read}`);
    const gone = app.services.eventFeeds.pull(
      tenant.tenant,
      principal,
      {
        ...{ name: 'gone', consumer: null, events: [TYPE], filter: HOSTILE },
        ...{ cursor: null, start: 'beginning', limit: 1, waitMs: 0 },
      },
      { signal: AbortSignal.abort(), stopping: new AbortController().signal },
    );
    await expect(gone).rejects.toMatchObject({ name: 'AbortError' });
  });
});
