import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Answer, eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { startTestMongo, type TestMongo } from '../support/mongo.ts';
import { engagement, type ServiceProcess, sharedDataDir, startProcess } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';
import { recordedEvents } from '../support/recorded-events.ts';

/** The contract says five seconds; the rest is for a slow machine. */
const MAX_WAIT_MS = 6_000;
/** Time limit of a shutdown. */
const MAX_SHUTDOWN_MS = 10_000;
const POSTS = 16;
const UNCONFIRMED =
  'The database did not confirm the change in time, so it may have been made; retry with the same Idempotency-Key, or read the current state first.';
const REFUSED = 'The database confirms no changes at present, and nothing was changed; try again later.';

let mongo: TestMongo;

beforeAll(async () => {
  mongo = await startTestMongo({ members: 3 });
});
afterEach(() => mongo.unlockSecondaries().catch(() => {}));
afterAll(() => mongo.stop());

interface Timed {
  answer: Answer;
  ms: number;
}

async function timed(send: () => Promise<Answer>): Promise<Timed> {
  const sentAt = performance.now();
  const answer = await send();
  return { answer, ms: performance.now() - sentAt };
}

/** Sends reads one after the other until it is stopped. */
function keepReading(read: () => Promise<Answer>) {
  let stopped = false;
  const reads: Answer[] = [];
  const done = (async () => {
    while (!stopped) {
      reads.push(await read());
      await sleep(100);
    }
  })();
  return {
    /** Number of reads that have ended. */
    count: () => reads.length,
    async stop(): Promise<Answer[]> {
      stopped = true;
      await done;
      return reads;
    },
  };
}

const postEvent = (app: TestApp, { write }: TestTenant, index: number): Promise<Answer> =>
  app.request('POST', '/v1/events', {
    key: write,
    headers: { 'Idempotency-Key': `event-${index}` },
    // Those that are conversions cause a delivery.
    body: {
      type: index % 2 === 0 ? 'page_view' : 'conversion',
      goal: 'demo_booked',
      visitor_id: `v_${index}`,
    },
  });

const health = async (app: TestApp): Promise<Answer> => app.request('GET', '/api/health');

async function seriesOf(app: TestApp, name: string): Promise<number> {
  const { body } = await app.request('GET', '/metrics');
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(String(body))?.[1]);
}

test('while a majority does not acknowledge, reads are served and writes are a 503 within the limit', async () => {
  const app = await startApp({ MONGODB_URI: mongo.uri, DRIFT_CHECK_SCHEDULE: 'off' });
  const receiver = await startReceiver();
  const tenant = await app.newTenant();
  try {
    const path = `/api/v1/customers/${tenant.customerId}/webhook-endpoints`;
    const endpoint = await app.request('POST', path, { key: tenant.write, body: { url: receiver.url } });
    expect(endpoint.status).toBe(201);
    await mongo.lockSecondaries();
    const reading = keepReading(() => app.request('GET', '/v1/conversations', { key: tenant.read }));
    const posts = await Promise.all(
      Array.from({ length: POSTS }, (_, index) => timed(() => postEvent(app, tenant, index))),
    );
    expect(posts.map(({ answer }) => answer.status)).toEqual(posts.map(() => 503));
    // Reads do not wait for the writes.
    expect(reading.count()).toBeGreaterThan(0);
    expect(Math.max(...posts.map(({ ms }) => ms))).toBeLessThan(MAX_WAIT_MS);
    for (const { answer } of posts) expect(answer.headers.get('retry-after')).toBe('5');
    const messages = new Set(posts.map(({ answer }) => answer.body.error?.message));
    expect(messages).toContain(UNCONFIRMED);
    expect([UNCONFIRMED, REFUSED]).toEqual(expect.arrayContaining([...messages]));

    // From the sixth second on, background work has met the outage as well.
    await sleep(6_000);
    expect((await postEvent(app, tenant, POSTS)).body.error?.message).toBe(REFUSED);
    const mutation = await app.graphql(
      'mutation { createWebhookEndpoint(input: { url: "https://example.com" }) { secret } }',
      {},
      tenant.write,
    );
    expect(mutation.body).toMatchObject({ errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] });
    // Its probe has a time limit of a second, which a busy machine can exceed.
    await eventually(async () => {
      const { status, body } = await health(app);
      return status === 200 && body.database?.latencyMs !== null && body;
    });
    expect((await health(app)).body).toMatchObject({ status: 'degraded', database: { status: 'down' } });
    expect(await seriesOf(app, 'engagement_database_majority_lag_seconds')).toBeGreaterThan(4);
    // Reads that waited for the time limit of a write would not be as many before this timeout.
    await eventually(() => reading.count() > 30);
    const reads = await reading.stop();
    expect(reads.map(({ status }) => status)).toEqual(reads.map(() => 200));

    await mongo.unlockSecondaries();
    await eventually(async () => (await postEvent(app, tenant, POSTS)).status === 201, 30_000);
    const retries = await Promise.all(
      Array.from({ length: POSTS }, (_, index) => postEvent(app, tenant, index)),
    );
    expect(retries.map((retry) => retry.status)).toEqual(retries.map(() => 201));
    expect((await recordedEvents(app.models, { customerId: tenant.customerId })).count).toBe(POSTS + 1);
    await eventually(() => {
      const received = receiver.received.map(({ headers }) => headers['webhook-id']);
      return new Set(received).size === POSTS / 2;
    }, 60_000);
    await eventually(async () => String((await health(app)).body.database?.status) === 'up', 30_000);
    await eventually(async () => (await seriesOf(app, 'engagement_database_majority_lag_seconds')) < 2);
  } finally {
    await app.stop();
    await receiver.stop();
  }
}, 180_000);

async function startWithKey(dataDir: string): Promise<{ service: ServiceProcess; key: string }> {
  const service = await startProcess(dataDir, {
    mongodbUri: mongo.uri,
    env: { DRIFT_CHECK_SCHEDULE: 'off' },
  });
  const run = (...args: string[]) => engagement<{ key: string }>(dataDir, mongo.uri, ...args);
  const { key } = await run('key', 'create', '--scope', 'write', '--customer', '7');
  return { service, key };
}

/** Returns the exit code and the time until the process has ended. */
async function terminate(service: ServiceProcess): Promise<{ code: number | null; ms: number }> {
  const startedAt = performance.now();
  const code = await service.end('SIGTERM');
  return { code, ms: performance.now() - startedAt };
}

const sendEvents = ({ url }: ServiceProcess, key: string) =>
  Array.from({ length: POSTS }, () =>
    fetch(`${url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'conversion', goal: 'demo_booked', visitor_id: 'v_1' }),
    }).catch(() => null),
  );

test('SIGTERM ends the process in time while a majority does not acknowledge', async () => {
  await using dataDir = await sharedDataDir();
  const { service, key } = await startWithKey(dataDir.path);
  await mongo.lockSecondaries();
  const posts = sendEvents(service, key);
  await sleep(1_000);
  const { code, ms } = await terminate(service);
  await Promise.all(posts);
  expect(ms).toBeLessThan(MAX_SHUTDOWN_MS);
  expect(code).toBe(0);
});

test('SIGTERM ends the process in time while the database hangs', async () => {
  await using dataDir = await sharedDataDir();
  const { service, key } = await startWithKey(dataDir.path);
  for (const { pid } of mongo.members) process.kill(pid, 'SIGSTOP');
  try {
    const posts = sendEvents(service, key);
    await sleep(1_000);
    const { code, ms } = await terminate(service);
    await Promise.all(posts);
    expect(ms).toBeLessThan(MAX_SHUTDOWN_MS);
    expect(code).toBe(0);
  } finally {
    for (const { pid } of mongo.members) process.kill(pid, 'SIGCONT');
  }
});
