import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Answer, eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { startTestMongo, type TestMongo } from '../support/mongo.ts';
import { recordedEvents } from '../support/recorded-events.ts';

/** The contract says five seconds; the rest is for a slow machine. */
const MAX_WAIT_MS = 9_000;
const WAVES = 5;
const WAVE_INTERVAL_MS = 300;

let mongo: TestMongo;
let app: TestApp;
let tenant: TestTenant;

beforeEach(async () => {
  mongo = await startTestMongo();
  // A limit this low reserves each request in the database.
  app = await startApp({ MONGODB_URI: mongo.uri, RATE_LIMIT: '199/min' });
  tenant = await app.newTenant();
  expect((await list()).status).toBe(200);
});

afterEach(async () => {
  await app.stop().catch(() => {});
  await mongo.stop();
});

const list = (): Promise<Answer> => app.request('GET', '/v1/conversations', { key: tenant.read });
const recordEvent = (): Promise<Answer> =>
  app.request('POST', '/v1/events', { key: tenant.write, body: { type: 'page_view', visitor_id: 'v_1' } });
const viewer = (): Promise<Answer> => app.graphql('{ viewer { scope } }', {}, tenant.read);

/** Sends requests of every API in waves, so that later ones queue behind earlier ones. */
async function sendWaves(): Promise<{ rest: Answer[]; graphql: Answer[]; longestMs: number }> {
  let longestMs = 0;
  const timed = async (send: () => Promise<Answer>): Promise<Answer> => {
    const sentAt = performance.now();
    const response = await send();
    longestMs = Math.max(longestMs, performance.now() - sentAt);
    return response;
  };
  const rest: Promise<Answer>[] = [];
  const graphql: Promise<Answer>[] = [];
  for (let wave = 0; wave < WAVES; wave += 1) {
    rest.push(timed(list), timed(recordEvent), timed(recordEvent));
    graphql.push(timed(viewer));
    await sleep(WAVE_INTERVAL_MS);
  }
  return { rest: await Promise.all(rest), graphql: await Promise.all(graphql), longestMs };
}

describe('while the database is down, requests return 503 within the time limit', () => {
  const expectUnavailable = async () => {
    const { rest, graphql, longestMs } = await sendWaves();
    console.info(`longest response: ${Math.round(longestMs)} ms`);
    expect(rest.map(({ status }) => status)).toEqual(rest.map(() => 503));
    for (const { headers } of rest) expect(headers.get('retry-after')).toBe('5');
    for (const { body } of rest) {
      expect(body.error).toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        message: 'The database is unavailable; try again later.',
      });
      expect(JSON.stringify(body)).not.toMatch(/mongo|127\.0\.0\.1/i);
    }
    for (const { body } of graphql)
      expect(body).toMatchObject({ errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] });
    expect(longestMs).toBeLessThan(MAX_WAIT_MS);
  };

  test('when it was killed', async () => {
    await mongo.members[0]?.kill();
    await expectUnavailable();
    const health = await app.request('GET', '/api/health');
    expect([health.status, health.headers.get('retry-after')]).toEqual([503, '5']);
    // Requests without database access succeed.
    expect((await app.request('GET', '/v1/openapi.json')).status).toBe(200);
    expect((await app.request('GET', '/v1/nothing', { key: tenant.read })).status).toBe(404);
    expect((await app.request('GET', '/v1/conversations', { key: 'wrong' })).status).toBe(401);
  });

  test('when it hangs; after its recovery, jobs run, and no rejected request has been stored', async () => {
    const { pid } = mongo.members[0] ?? { pid: 0 };
    process.kill(pid, 'SIGSTOP');
    // The signal is delivered asynchronously: threads that run on another core can still respond.
    await sleep(100);
    try {
      await expectUnavailable();
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    // Writes are rejected until a heartbeat has found the primary; reads may succeed before.
    await eventually(async () => (await recordEvent()).status === 201, 30_000);
    expect((await list()).status).toBe(200);
    const jobs = app.models.Delivery.db.collection('agendaJobs');
    for (const name of ['webhooks.claim', 'webhooks.recover']) {
      const asked = new Date();
      await eventually(async () => jobs.findOne({ name, lastFinishedAt: { $gt: asked } }), 40_000);
    }
    expect((await recordedEvents(app.models, { customerId: tenant.customerId })).count).toBe(1);
  });
});
