import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { runCommand } from '../support/command.ts';
import { freshDatabase } from '../support/databases.ts';

const KEYS = { CONNECTOR_ENCRYPTION_KEY: '5e'.repeat(32), WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' };

let app: TestApp;
let dataDir: string;
let key: string;

/** Runs `demo seed`, and gives the tenant's read key. */
async function seed(mongodbUri: string, variables: Partial<typeof KEYS> = {}): Promise<string> {
  const { code, stdout, stderr } = await runCommand(['demo', 'seed', '--json'], {
    MONGODB_URI: mongodbUri,
    DATA_DIR: dataDir,
    ...KEYS,
    ...variables,
  });
  expect([code, stderr]).toEqual([0, '']);
  const { keys } = JSON.parse(stdout) as { keys: { scope: string; key: string }[] };
  return keys.find(({ scope }) => scope === 'read')?.key ?? '';
}

/** Starts a service without a demo customer, which the end of the test stops. */
async function startEmpty(): Promise<TestApp> {
  const started = await startApp(KEYS);
  onTestFinished(() => started.stop());
  return started;
}

const counts = async ({ models }: TestApp) => ({
  conversations: await models.Conversation.countDocuments({ customerId: 42 }),
  messages: await models.Message.countDocuments({ customerId: 42 }),
  endpoints: await models.Endpoint.countDocuments({ customerId: 42 }),
  deliveries: await models.Delivery.countDocuments({ customerId: 42 }),
});

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'engagement-demo-'));
  const mongodbUri = freshDatabase();
  key = await seed(mongodbUri);
  app = await startApp({ MONGODB_URI: mongodbUri, ...KEYS });
});
afterAll(async () => {
  await app.stop();
  await rm(dataDir, { recursive: true, force: true });
});

interface Item {
  id: string;
  status: string;
  converted: boolean;
  started_at: string;
  transcript?: object[];
}

async function list(query: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let after = ''; ; ) {
    const { status, body } = await app.request('GET', `/v1/conversations?limit=100&${query}${after}`, {
      key,
    });
    expect(status).toBe(200);
    const { data, has_more } = body as unknown as { data: Item[]; has_more: boolean };
    items.push(...data);
    if (!has_more) return items;
    after = `&starting_after=${items.at(-1)?.id}`;
  }
}

describe('the demo tenant', () => {
  test('lists its conversations, newest first, under every filter', async () => {
    const all = await list('');
    expect(all).toHaveLength(150);
    const starts = all.map(({ started_at }) => started_at);
    expect(starts).toEqual([...starts].sort().reverse());
    for (const status of ['active', 'handed_off', 'ended', 'converted', 'closed']) {
      const some = await list(`status=${status}`);
      expect(some.length).toBeGreaterThan(0);
      expect(some).toEqual(all.filter((one) => one.status === status));
    }
    expect(await list('converted=true')).toEqual(all.filter(({ converted }) => converted));
    const since = all[30]?.started_at ?? '';
    expect(await list(`since=${since}`)).toEqual(all.filter(({ started_at }) => started_at >= since));
  });

  test('has conversations that can be imported elsewhere as returned', async () => {
    const items = await list('');
    const lines = await Promise.all(
      items.map(async ({ id }, index) => ({
        number: index + 1,
        bytes: Buffer.from(
          JSON.stringify((await app.request('GET', `/v1/conversations/${id}`, { key })).body),
        ),
        end: 0,
      })),
    );
    const { tenant } = await app.newTenant();
    const report = await app.services.imports.importLines(tenant, asStream(lines), {
      emit: false,
      progress: () => {},
    });
    expect(report).toMatchObject({ imported: 150, rejected: 0, errors: [] });
  });

  test('has transcripts, records and the corresponding events', async () => {
    const [closed] = await list('status=closed');
    const { body } = await app.graphql(
      `query($id: ID!) { conversation(id: $id) {
        messageCount transcript(first: 100) { edges { node { role text } } }
        handoffs { schemaName urgency } events { event payload } } }`,
      { id: closed?.id },
      key,
    );
    const conversation = body.data?.conversation;
    expect(conversation?.transcript?.edges).toHaveLength(Number(conversation?.messageCount));
    const events = conversation?.events as unknown as { event: string; payload: string }[];
    expect(events[0]?.event).toBe('conversation.started');
    for (const { event, payload } of events)
      expect(JSON.parse(payload)).toMatchObject({
        event,
        data: { customerId: 42, conversationId: closed?.id },
      });
  });

  test('has past deliveries of those events, and none that are due', async () => {
    const { models } = app;
    const deliveries = await models.Delivery.find({ customerId: 42 }).lean();
    expect(deliveries.length).toBeGreaterThan(60);
    const statuses = new Set(deliveries.map(({ status }) => status));
    expect([...statuses].sort()).toEqual(['cancelled', 'failed', 'succeeded']);
    expect(deliveries.filter(({ dueAt, lease }) => dueAt || lease)).toEqual([]);
    for (const { status, attempt, attempts, createdAt, finishedAt } of deliveries) {
      expect(attempts).toHaveLength(attempt);
      expect(attempts.at(-1)?.responseStatus === 200).toBe(status === 'succeeded');
      expect(createdAt <= new Date() && (finishedAt ?? createdAt) <= new Date()).toBe(true);
    }
    const ids = new Set((await list('')).map(({ id }) => id));
    const events = await models.Event.find({ customerId: 42 }).lean();
    expect(events.every(({ conversationId }) => ids.has(conversationId ?? ''))).toBe(true);
    const eventIds = new Set(events.map(({ _id }) => String(_id)));
    expect(deliveries.every(({ eventId }) => eventIds.has(String(eventId)))).toBe(true);
    const [endpoint] = await models.Endpoint.find({ customerId: 42 }).lean();
    expect(endpoint).toMatchObject({ enabled: false, disabledReason: 'manual' });
    expect(deliveries.every(({ createdAt }) => endpoint && createdAt >= endpoint.createdAt)).toBe(true);
  });

  test('has statistics of all attempts of those deliveries', async () => {
    const { models } = app;
    const deliveries = await models.Delivery.find({ customerId: 42 }).lean();
    const attempts = deliveries.flatMap((delivery) => delivery.attempts);
    const withStatus = (status: string): number =>
      deliveries.filter((delivery) => delivery.status === status).length;
    for (const step of ['hour', 'day']) {
      const counted = await models.WebhookStatistics.collection.find({ customerId: 42, step }).toArray();
      const sum = (name: string): number =>
        counted.reduce((total, counters) => total + Number(counters[name] ?? 0), 0);
      expect(sum('attempts')).toBe(attempts.length);
      expect(sum('failedAttempts')).toBe(attempts.filter(({ error }) => error !== null).length);
      expect([sum('succeeded'), sum('failed')]).toEqual([withStatus('succeeded'), withStatus('failed')]);
    }
  });

  test('is seeded once', async () => {
    const before = await counts(app);
    expect(before).toMatchObject({ conversations: 150, endpoints: 1 });
    await seed(await databaseOf(app));
    expect(await counts(app)).toEqual(before);
  });

  test('receives its remaining conversations after an interrupted seeding', async () => {
    const interrupted = await startEmpty();
    const uri = await databaseOf(interrupted);
    await seed(uri);
    const { Conversation } = interrupted.models;
    const some = await Conversation.find({ customerId: 42 }).sort({ _id: 1 }).limit(40).lean();
    await Conversation.deleteMany({ _id: { $in: some.map(({ _id }) => _id) } });
    await seed(uri);
    expect(await counts(interrupted)).toMatchObject({ conversations: 150, endpoints: 1 });
  });

  test('is not seeded if it has conversations of its own', async () => {
    const used = await startEmpty();
    const tenant = await used.services.tenants.create({ customerId: 42, orgId: 'org_42', name: 'Ours' });
    await used.services.moves.start(tenant, { visitorId: 'v_1' });
    await seed(await databaseOf(used));
    expect(await counts(used)).toMatchObject({ conversations: 1, endpoints: 0, deliveries: 0 });
  });

  test('is not seeded if it is suspended or was deleted', async () => {
    const used = await startEmpty();
    const { tenants, tenantDeletions } = used.services;
    await tenants.create({ customerId: 42, orgId: 'org_42', name: 'Demo' });
    await tenants.suspend(42);
    const variables = { MONGODB_URI: await databaseOf(used), DATA_DIR: dataDir, ...KEYS };
    const refused = {
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('The demo customer 42 cannot be used'),
    };
    expect(await runCommand(['demo', 'seed'], variables)).toMatchObject(refused);
    await tenants.resume(42);
    await tenantDeletions.start(42, { orgId: 'org_42' }, null);
    expect(await runCommand(['demo', 'seed'], variables)).toMatchObject(refused);
    expect(await counts(used)).toMatchObject({ conversations: 0, endpoints: 0 });
  });

  test('is seeded where webhooks have no private targets, with an endpoint to set the URL of', async () => {
    const external = await startEmpty();
    const uri = await databaseOf(external);
    await seed(uri, { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'false' });
    expect(await counts(external)).toMatchObject({ conversations: 150, endpoints: 1 });
    const [endpoint] = await external.models.Endpoint.find({ customerId: 42 }).lean();
    expect(endpoint).toMatchObject({ enabled: false, url: 'https://hooks.example.com/webhooks' });
    await seed(uri, { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'false' });
    expect(await counts(external)).toMatchObject({ conversations: 150, endpoints: 1 });
  });

  test('is seeded if it existed before without conversations', async () => {
    const older = await startEmpty();
    const tenant = await older.services.tenants.create({ customerId: 42, orgId: 'org_42', name: 'Demo' });
    await older.services.endpoints.create(tenant, { url: 'http://127.0.0.1:9000/webhooks' });
    await seed(await databaseOf(older));
    expect(await counts(older)).toMatchObject({ conversations: 150, endpoints: 1, deliveries: 0 });
  });
});

async function* asStream<T>(items: T[]): AsyncGenerator<T> {
  yield* items;
}

/** The connection string of an app's own database. */
async function databaseOf({ models }: TestApp): Promise<string> {
  const uri = new URL(inject('mongoUri'));
  uri.pathname = `/${models.Tenant.db.name}`;
  return uri.toString();
}
