import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { EndpointBacklog } from '../../src/features/webhooks/delivery/backlogs.ts';
import { newObjectId } from '../../src/platform/mongo/object-id.ts';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { runCommand } from '../support/command.ts';
import { freshDatabase } from '../support/databases.ts';
import { holdJob, runJob } from '../support/jobs.ts';
import { readMetrics } from '../support/metrics.ts';
import { createEndpoint, listening, postConversion, receiving } from './support.ts';

const AGE = 'engagement_webhook_oldest_due_age_seconds';
const BACKLOG = 'engagement_webhook_endpoint_waiting_deliveries';

test('a slow receiver with a backlog does not raise the age that pages, and is named by metric, list and log', async () => {
  const lines: { msg: string; backlogs?: EndpointBacklog[] }[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const app = await startApp({ WEBHOOK_CONCURRENCY_PER_ENDPOINT: '2' }, { log });
  onTestFinished(() => app.stop());
  const { tenant, endpoint } = await listening(app, { status: 200, delayMs: 8_000 });
  const healthy = await receiving();
  const { id: endpointId } = await createEndpoint(app, tenant, { url: healthy.url });
  await Promise.all(Array.from({ length: 100 }, () => postConversion(app, tenant)));
  // Recorded as well as received: a result that is written later would be due for as long as the clock advances.
  const { customerId } = tenant;
  await eventually(
    async () =>
      (await app.models.Delivery.countDocuments({ customerId, endpointId, status: 'succeeded' })) === 100,
  );
  // Its own run, right after the clock has jumped, would find the leases in flight expired.
  await holdJob(app, 'webhooks.backlog');
  app.clock.advance(90_000);

  const labels = { customer: String(tenant.customerId), endpoint: String(endpoint.id), reason: 'slot' };
  const page = await eventually(async () => {
    const found = await readMetrics(app);
    return (found.value(BACKLOG, labels) ?? 0) > 50 ? found : null;
  }, 30_000);
  expect(page.value(AGE, { lane: 'inline' })).toBeLessThan(10);
  expect(page.value('engagement_webhook_waiting_deliveries', { reason: 'slot' }) ?? 0).toBeGreaterThan(50);
  expect(page.samples.filter(({ name }) => name === BACKLOG)).toHaveLength(1);

  const [worst, ...others] = await app.services.backlogs.list();
  expect(worst).toMatchObject({ customerId: tenant.customerId, endpointId: endpoint.id, reason: 'slot' });
  expect(worst?.inFlight).toBeGreaterThan(0);
  expect(others).toEqual([]);

  await runJob(app, 'webhooks.backlog');
  await runJob(app, 'webhooks.backlog');
  const logged = lines.filter(({ msg }) => msg === 'endpoints have a backlog');
  expect(logged).toHaveLength(1);
  expect(logged[0]?.backlogs).toMatchObject([
    { customerId: tenant.customerId, endpointId: endpoint.id, waitsFor: 'slot' },
  ]);
});

describe('without a worker', () => {
  /** A process that accepts requests and claims nothing. */
  let app: TestApp;
  const env = { MONGODB_URI: freshDatabase(), CONNECTOR_ENCRYPTION_KEY: '7'.repeat(64) };
  beforeAll(async () => {
    app = await startApp({ ROLE: 'api', ...env });
  });
  afterAll(() => app.stop());

  const command = (...args: string[]) => runCommand(['endpoints', ...args], env);

  test('the list requires its option and may be empty', async () => {
    expect((await command()).code).not.toBe(0);
    expect(await command('--backlog')).toMatchObject({ code: 0, stdout: 'No endpoint has a backlog.\n' });
  });

  test('due deliveries raise the age, and the list says what each endpoint waits for', async () => {
    // A failed try may have left its backlog.
    await app.models.Delivery.deleteMany();
    const { tenant, endpoint } = await listening(app);
    const paused = await createEndpoint(app, tenant, {
      url: 'http://127.0.0.1:9/hook?token=hidden',
      paused: true,
    });
    const store = (endpointId: number, count: number, more: object = {}) =>
      app.models.Delivery.collection.insertMany(
        Array.from({ length: count }, () => ({
          customerId: tenant.customerId,
          endpointId,
          eventId: newObjectId(app.clock.now()),
          event: 'conversion.recorded',
          status: 'pending',
          attempt: 0,
          lane: 'inline',
          dueAt: new Date(app.clock.now().getTime() - 120_000),
          ...more,
        })) as never,
      );
    await store(endpoint.id, 3);
    await store(paused.id, 5);
    // The lease of a process that has died.
    await store(endpoint.id, 1, { lease: 'expired' });

    const customer = String(tenant.customerId);
    await eventually(async () => {
      const page = await readMetrics(app);
      expect(page.value(AGE, { lane: 'inline' })).toBeGreaterThan(100);
      const series = page.samples.filter(({ name }) => name === BACKLOG);
      expect(series.map(({ labels, value }) => ({ ...labels, value }))).toEqual([
        { customer, endpoint: String(paused.id), reason: 'paused', value: 5 },
        { customer, endpoint: String(endpoint.id), reason: 'service', value: 4 },
      ]);
      return true;
    });

    const { code, stdout } = await command('--backlog');
    expect(code).toBe(0);
    const [heading, first, second] = stdout.split('\n');
    expect(heading).toMatch(/^CUSTOMER +ENDPOINT +HOST +DUE +OLDEST +WAITS FOR$/);
    expect(first).toMatch(new RegExp(`^${customer} +${paused.id} .* 5 .*the end of its pause$`));
    expect(second).toMatch(new RegExp(`^${customer} +${endpoint.id} .* 4 .*the service, which is late`));
    expect(stdout).not.toContain('hidden');
    const json = JSON.parse((await command('--backlog', '--json')).stdout);
    expect(json.data).toMatchObject([{ reason: 'paused' }, { reason: null, inFlight: 0 }]);
  });

  test('at most ten endpoints are named by the metric', async () => {
    const tenant = await app.newTenant();
    for (let index = 0; index < 12; index += 1) {
      const { id } = await createEndpoint(app, tenant, { url: 'http://127.0.0.1:9/', paused: true });
      await app.models.Delivery.collection.insertOne({
        customerId: tenant.customerId,
        endpointId: id,
        eventId: newObjectId(app.clock.now()),
        status: 'pending',
        lane: 'inline',
        dueAt: new Date(app.clock.now().getTime() - 60_000),
      } as never);
    }
    const page = await eventually(async () => {
      const found = await readMetrics(app);
      return found.samples.filter(({ name }) => name === BACKLOG).length > 2 ? found : null;
    }, 15_000);
    expect(page.samples.filter(({ name }) => name === BACKLOG)).toHaveLength(10);
    expect((await app.services.backlogs.list()).length).toBeGreaterThanOrEqual(12);
  });
});
