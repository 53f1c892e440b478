import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { type Page, readMetrics } from '../support/metrics.ts';
import { startTestMongo } from '../support/mongo.ts';
import { startProfile } from '../support/profile.ts';
import { appOfTest } from '../support/test-scoped.ts';
import { deliveryLike, listening, postConversion, receiving, scheduled } from '../webhooks/support.ts';

const ATTEMPTS = 'engagement_webhook_delivery_attempts_total';
/** Characters of the page, whatever the number of customers, endpoints and meetings. */
const MAX_PAGE_LENGTH = 100_000;
/** How long the depth of the queue is cached. */
const QUEUE_MAX_AGE_MS = 5_000;

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('requests', () => {
  test('are counted by method, route pattern and status', async () => {
    const { customerId, read } = await app.newTenant();
    const path = `/api/v1/customers/${customerId}/webhook-endpoints`;
    await app.request('GET', path, { key: read });
    await app.request('GET', `${path}/99`, { key: read });
    await app.request('GET', `/.env?customer=${customerId}`);
    for (const method of ['GET', 'POST', 'PUT']) await app.request(method, `/${method}/unknown`);
    for (const method of ['PUT', 'TRACE', 'PROPFIND']) await app.request(method, path, { key: read });
    await app.request('HEAD', path, { key: read });
    await app.request('OPTIONS', path);
    const page = await readMetrics(app);
    const list = '/api/v1/customers/:customerId/webhook-endpoints';
    const counted = (labels: Record<string, string>) => page.value('engagement_http_requests_total', labels);
    expect(counted({ method: 'GET', route: list, status: '200' })).toBe(1);
    expect(counted({ method: 'GET', route: `${list}/:endpointId`, status: '404' })).toBe(1);
    expect(counted({ method: 'HEAD', route: list, status: '200' })).toBe(1);
    expect(counted({ method: 'OPTIONS', route: list, status: '204' })).toBe(1);
    expect(counted({ method: 'other', route: 'unmatched', status: '404' })).toBe(4);
    expect(counted({ method: 'other', route: list, status: '405' })).toBe(3);
    const known = ['GET', 'HEAD', 'OPTIONS', 'other'];
    for (const { name, labels } of page.samples) {
      if (name === 'engagement_http_requests_total') expect(known).toContain(labels.method);
    }
    const seconds = { method: 'GET', route: list };
    expect(page.value('engagement_http_request_duration_seconds_count', seconds)).toBe(1);
    expect(page.value('engagement_http_request_duration_seconds_sum', seconds)).toBeGreaterThan(0);
  });
});

test('server errors are counted over REST and GraphQL, where they are a 200; refusals are none', async () => {
  const other = await appOfTest({ ML_SIDECAR_URL: 'http://127.0.0.1:9', DRIFT_CHECK_SCHEDULE: 'off' });
  const failures = async () => (await readMetrics(other)).value('engagement_http_failures_total');
  expect(await failures()).toBe(0);
  expect((await other.request('GET', '/api/drift.getStatus', { key: other.admin })).status).toBe(503);
  await eventually(async () => (await failures()) === 1);
  expect((await other.graphql('{ driftStatus { driftScore } }', {}, other.admin)).status).toBe(200);
  await eventually(async () => (await failures()) === 2);
  await other.request('GET', '/api/drift.getStatus', { key: null });
  await other.graphql('{ conversation(id: "x") { id } unknown }', {}, other.admin);
  await other.graphql('{ conversation(id: "x") { id } }', {}, other.admin);
  expect(await failures()).toBe(2);
});

describe('deliveries', () => {
  /** By how much a series has grown since `before`. */
  const growth = (before: Page, after: Page, name: string, labels: Record<string, string> = {}) =>
    (after.value(name, labels) ?? 0) - (before.value(name, labels) ?? 0);

  test('are counted by outcome, with attempt duration and latency to the first success', async () => {
    const before = await readMetrics(app);
    const { tenant, endpoint } = await listening(app, { status: 200, delayMs: 60 });
    await postConversion(app, tenant);
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    const after = await readMetrics(app);
    expect(growth(before, after, ATTEMPTS, { outcome: 'succeeded' })).toBe(1);
    expect(
      growth(before, after, 'engagement_webhook_deliveries_finished_total', { status: 'succeeded' }),
    ).toBe(1);
    expect(growth(before, after, 'engagement_webhook_events_total', { event: 'conversion.recorded' })).toBe(
      1,
    );
    const duration = 'engagement_webhook_delivery_attempt_duration_seconds';
    expect(growth(before, after, `${duration}_count`, { outcome: 'succeeded' })).toBe(1);
    const latency = 'engagement_webhook_delivery_latency_seconds';
    expect(growth(before, after, `${latency}_count`)).toBe(1);
    expect(growth(before, after, `${latency}_sum`)).toBeGreaterThanOrEqual(0.059);
    expect(growth(before, after, `${latency}_sum`)).toBeLessThan(5);
  });

  test('that fail are counted by status class or failure reason', async () => {
    const before = await readMetrics(app);
    const closed = await receiving();
    await closed.stop();
    const answers = [503, 404, 302, 'reset', { status: 200, url: closed.url }] as const;
    for (const answer of answers) {
      const input = typeof answer === 'object' ? { url: answer.url } : {};
      const { tenant, endpoint } = await listening(app, typeof answer === 'object' ? 200 : answer, input);
      await postConversion(app, tenant);
      await scheduled(app, tenant, endpoint, 2);
    }
    const after = await readMetrics(app);
    for (const outcome of ['http_5xx', 'http_4xx', 'http_3xx', 'connection_reset', 'connection_refused'])
      expect([outcome, growth(before, after, ATTEMPTS, { outcome })]).toEqual([outcome, 2]);
    // Nothing is terminal yet, and no success took its time.
    expect(growth(before, after, 'engagement_webhook_deliveries_finished_total', { status: 'failed' })).toBe(
      0,
    );
    expect(growth(before, after, 'engagement_webhook_delivery_latency_seconds_count')).toBe(0);
  });

  test('that are retried long after acceptance do not count for the latency', async () => {
    const { tenant, endpoint, receiver } = await listening(app, 500);
    await postConversion(app, tenant);
    const failing = await scheduled(app, tenant, endpoint, 2);
    const before = await readMetrics(app);
    receiver.behave(200);
    await app.request('POST', `${endpoint.path}/deliveries/${failing.id}/resend`, { key: tenant.write });
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    const after = await readMetrics(app);
    expect(growth(before, after, ATTEMPTS, { outcome: 'succeeded' })).toBe(1);
    expect(growth(before, after, 'engagement_webhook_delivery_latency_seconds_count')).toBe(0);
  });
});

test('recent syncs are counted from the database, whichever process ran them', async () => {
  const other = await appOfTest({ ROLE: 'api' });
  const ago = (minutes: number) => new Date(other.clock.now().getTime() - minutes * 60_000);
  const run = (customerId: number, status: string, finishedAt: Date) => ({ customerId, status, finishedAt });
  await other.models.MeetingSyncRun.collection.insertMany([
    run(1, 'failed', ago(10)),
    run(2, 'failed', ago(170)),
    run(3, 'failed', ago(190)),
    run(4, 'succeeded', ago(190)),
    run(5, 'cancelled', ago(1)),
  ] as never);
  const recent = (status: string) => async () =>
    (await readMetrics(other)).value('engagement_meeting_syncs_recent', { status });
  await eventually(async () => (await recent('failed')()) === 2);
  expect(await recent('succeeded')()).toBe(0);
  // The plan of the count reads neither earlier failures nor recent runs of another status.
  const { executionStats } = (await other.models.MeetingSyncRun.find({
    status: 'failed',
    finishedAt: { $gte: ago(180) },
  }).explain('executionStats')) as unknown as { executionStats: { totalDocsExamined: number } };
  expect(executionStats.totalDocsExamined).toBe(2);
});

describe('the page', () => {
  test('has a help text for each metric, and its series from the start, at 0', async () => {
    const page = await readMetrics(app);
    for (const name of page.names) expect(page.help.get(name)).toMatch(/\w/);
    expect(page.value(ATTEMPTS, { outcome: 'timeout' })).toBe(0);
    expect(page.value('engagement_meeting_sync_runs_total', { status: 'failed' })).toBe(0);
    expect(page.value('engagement_build_info', { version: '0.1.0' })).toBe(1);
  });

  test('has no tenant, endpoint or address in a label', async () => {
    const { tenant, endpoint, receiver } = await listening(app);
    await postConversion(app, tenant, { visitor_id: 'v_in_no_label' });
    await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
    const { samples } = await readMetrics(app);
    const ours = samples.filter(({ name }) => name.startsWith('engagement_'));
    const names = new Set(ours.flatMap(({ labels }) => Object.keys(labels)));
    expect([...names].sort()).toEqual(
      [
        'event',
        'kind',
        'lane',
        'le',
        'limit',
        'method',
        'node',
        'operation',
        'outcome',
        'reason',
        'resource',
        'result',
        'route',
        'scope',
        'source',
        'state',
        'status',
        'version',
      ].sort(),
    );
    // Bounds of buckets are numbers, as ids are.
    const values = new Set(ours.flatMap(({ labels: { le: _, ...labels } }) => Object.values(labels)));
    const secret = [tenant.customerId, tenant.tenant.orgId, endpoint.id, new URL(receiver.url).host];
    for (const text of [...secret, 'v_in_no_label']) expect(values).not.toContain(String(text));
    for (const value of values) expect(value).not.toMatch(/127\.0\.0\.1|org_|v_in_no_label/);
  });

  test('stays small on a service with a dozen endpoints, none of which adds a series', async () => {
    const use = async (): Promise<void> => {
      const { tenant, endpoint } = await listening(app);
      await postConversion(app, tenant);
      await deliveryLike(app, tenant, endpoint, { status: 'succeeded' });
      await app.request('GET', endpoint.path, { key: tenant.read });
    };
    await use();
    const before = await readMetrics(app);
    await Promise.all(Array.from({ length: 11 }, use));
    const after = await readMetrics(app);
    const seriesOf = ({ samples }: Page) =>
      new Set(
        samples
          .filter(({ name }) => name.startsWith('engagement_'))
          .map(({ name, labels }) => `${name} ${JSON.stringify(labels)}`),
      );
    expect([...seriesOf(after).difference(seriesOf(before))]).toEqual([]);
    const text = await (await fetch(`${app.url}/metrics`)).text();
    expect(text.length).toBeLessThan(MAX_PAGE_LENGTH);
  });

  test('has process metrics: event loop, memory, CPU', async () => {
    const page = await readMetrics(app);
    for (const name of [
      'nodejs_eventloop_lag_p99_seconds',
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
    ])
      expect(page.value(name)).toBeGreaterThan(0);
    expect(page.value('engagement_webhook_slots')).toBe(256);
    // Once the work of the other tests is over.
    await eventually(async () => {
      const idle = await readMetrics(app);
      for (const name of [
        'engagement_webhook_slots_in_use',
        'engagement_webhook_waiting_in_memory',
        'engagement_webhook_unwritten_results',
        'engagement_commit_waiting_units',
      ])
        expect([name, idle.value(name)]).toEqual([name, 0]);
      return true;
    });
  });
});

describe('the queue', () => {
  const depth = (page: Page, lane: string, state: string) =>
    page.value('engagement_webhook_queue_depth', { lane, state });
  const age = (page: Page, lane: string) => page.value('engagement_webhook_oldest_due_age_seconds', { lane });

  /** Inserts deliveries directly: an API process does not send them. */
  async function store(other: TestApp, count: number, like: (index: number) => object): Promise<void> {
    const { collection } = other.models.Delivery;
    const eventId = () => new other.models.Delivery().id;
    for (let from = 0; from < count; from += 10_000) {
      const rows = Array.from({ length: Math.min(10_000, count - from) }, (_, i) => ({
        customerId: 1,
        endpointId: 1 + ((from + i) % 7),
        eventId: eventId(),
        status: 'retrying',
        lane: 'scheduled',
        ...like(from + i),
      }));
      await collection.insertMany(rows as never, { writeConcern: { w: 1 } });
    }
  }

  test('is reported by lane and state, with the age of the oldest due delivery', async () => {
    const other = await startApp({ ROLE: 'api' });
    try {
      const at = (ms: number) => ({ dueAt: new Date(other.clock.now().getTime() + ms) });
      await store(other, 5, (i) => at(-90_000 + i));
      await store(other, 4, () => at(600_000));
      // Of other endpoints: what waits behind attempts in flight to its own endpoint is counted apart.
      await store(other, 3, () => ({ endpointId: 8, lane: 'inline', ...at(20_000), lease: 'held' }));
      await store(other, 9, () => ({ status: 'succeeded', lane: 'inline' }));
      // The depth is left out while the database responds too late.
      const page = await eventually(async () => {
        const read = await readMetrics(other);
        return depth(read, 'scheduled', 'due') !== undefined && read;
      });
      expect(depth(page, 'scheduled', 'due')).toBe(5);
      expect(depth(page, 'scheduled', 'scheduled')).toBe(4);
      expect(depth(page, 'inline', 'due')).toBe(0);
      expect(depth(page, 'inline', 'scheduled')).toBe(3);
      expect(age(page, 'scheduled')).toBeGreaterThanOrEqual(90);
      expect(age(page, 'scheduled')).toBeLessThan(200);
      expect(age(page, 'inline')).toBe(0);
    } finally {
      await other.stop();
    }
  });

  test('is counted to 100,000 from its index alone, and not on every scrape', async () => {
    const other = await appOfTest({ ROLE: 'api' });
    const now = other.clock.now().getTime();
    await store(other, 100_050, (i) => ({ dueAt: new Date(now - 1_000_000 - i) }));
    await store(other, 5_000, () => ({ status: 'succeeded' }));
    // Due later than any lease expires: not looked at for what is in flight.
    await store(other, 500, () => ({ dueAt: new Date(now + 600_000) }));
    const { db } = other.models.Delivery.db;
    const { pages, commands } = await eventually(async () => {
      const profile = await startProfile(db);
      const scraped = [await readMetrics(other), await readMetrics(other)];
      const tried = { pages: scraped, commands: await profile.end() };
      if (scraped.every((page) => depth(page, 'scheduled', 'due') !== undefined)) return tried;
      // The depth is left out while the database responds too late, and this is cached.
      return sleep(QUEUE_MAX_AGE_MS, false);
    }, 60_000);
    for (const page of pages) {
      expect(depth(page, 'scheduled', 'due')).toBe(100_000);
      expect(age(page, 'scheduled')).toBeGreaterThan(1_100);
    }

    const all = await commands.find({ 'command.aggregate': 'webhookDeliveries' }).toArray();
    const isOfHeld = ({ command }: (typeof all)[number]) => JSON.stringify(command).includes('"held"');
    // Those that wait for an earlier event of their conversation have an index of their own.
    expect(all.filter(isOfHeld)).toHaveLength(1);
    // Two counts and the oldest, for each lane, and what is in flight: the second look asked nothing.
    const asked = all.filter((each) => !isOfHeld(each));
    expect(asked).toHaveLength(7);
    for (const { planSummary, docsExamined, keysExamined } of asked) {
      expect(planSummary).toMatch(/^(IXSCAN|DISTINCT_SCAN) \{ lane: 1, endpointId: 1, dueAt: 1 \}$/);
      expect(docsExamined).toBe(0);
      expect(keysExamined).toBeLessThanOrEqual(100_010);
    }
    const oldest = asked.filter(({ planSummary }) => planSummary.startsWith('DISTINCT'));
    for (const { keysExamined } of oldest) expect(keysExamined).toBeLessThanOrEqual(16);
    expect(oldest).toHaveLength(2);
  });

  test('is omitted, without the other metrics, while the database does not respond', async () => {
    const mongo = await startTestMongo();
    const other = await startApp({ MONGODB_URI: mongo.uri, ROLE: 'api' });
    try {
      const [member] = mongo.members;
      if (!member) throw new Error('no member');
      process.kill(member.pid, 'SIGSTOP');
      const begun = performance.now();
      const page = await readMetrics(other).finally(() => process.kill(member.pid, 'SIGCONT'));
      expect(performance.now() - begun).toBeLessThan(20_000);
      expect(depth(page, 'inline', 'due')).toBeUndefined();
      expect(age(page, 'inline')).toBeUndefined();
      // 0 would be a value.
      const stored = page.samples.filter(({ name }) =>
        /open_circuits|feeds_behind|syncs_recent|drift_detected|audit_findings|verified_timestamp/.test(name),
      );
      expect(stored).toEqual([]);
      expect(page.value(ATTEMPTS, { outcome: 'succeeded' })).toBe(0);
      await eventually(async () => (await other.request('GET', '/api/health')).status === 200);
    } finally {
      await other.stop();
      await mongo.stop();
    }
  });
});
