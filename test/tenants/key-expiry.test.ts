import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { compose } from '../../src/runtime/compose.ts';
import { ENCRYPTION_KEY } from '../privacy/privacy-support.ts';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { runJob } from '../support/jobs.ts';
import type { Receiver } from '../support/receiver.ts';
import { createEndpoint, receiving } from '../webhooks/support.ts';

const DAY_MS = 86_400_000;
const ENV = {
  MONGODB_URI: freshDatabase(),
  CONNECTOR_ENCRYPTION_KEY: ENCRYPTION_KEY,
  WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true',
  DELIVERY_RETENTION: '400d',
};
const logged: Record<string, unknown>[] = [];
let app: TestApp;

beforeAll(async () => {
  const log = createLogger('warn', { write: (line: string) => logged.push(JSON.parse(line)) });
  app = await startApp(ENV, { log });
});
afterAll(() => app.stop());

const daysAhead = (days: number) => new Date(app.clock.now().getTime() + days * DAY_MS);

const newKey = async (tenant: TestTenant, days: number, name?: string) => {
  const input = { scope: 'read', customerId: tenant.customerId, name, expiresAt: daysAhead(days) } as const;
  return (await app.services.keys.create(input)).apiKey;
};

/** A tenant with a receiver of its reminders. */
async function reminded() {
  const tenant = await app.newTenant();
  const receiver = await receiving();
  await createEndpoint(app, tenant, { url: receiver.url, events: ['key.expiring'] });
  return { tenant, receiver };
}

/** Ids of the keys whose reminders have arrived, once a later event of the same endpoint has. */
async function remindersAt({ tenant, receiver }: { tenant: TestTenant; receiver: Receiver }) {
  await runJob(app, 'keys.expiry');
  const sent = await app.models.Event.countDocuments({
    customerId: tenant.customerId,
    event: 'key.expiring',
  });
  await receiver.waitFor(sent);
  return receiver.received.map(({ envelope }) => envelope.data.keyId);
}

test('a key is reported once in each period, with what identifies it and without the key', async () => {
  const watched = await reminded();
  const { tenant, receiver } = watched;
  const others = await receiving();
  await createEndpoint(app, tenant, { url: others.url });
  const { id, expiresAt, prefix } = await newKey(tenant, 40, 'CRM sync');
  const counts = [];
  for (const days of [9, 2, 1, 24, 3.5, 1]) {
    app.clock.advance(days * DAY_MS);
    counts.push((await remindersAt(watched)).length);
  }
  expect(counts).toEqual([0, 1, 1, 2, 3, 3]);
  const { orgId } = tenant.tenant;
  for (const { envelope, body } of receiver.received) {
    expect(envelope.data).toEqual({
      ...{ customerId: tenant.customerId, orgId, keyId: id, name: 'CRM sync', scope: 'read' },
      expiresAt: expiresAt?.toISOString(),
      lastUsedAt: null,
    });
    expect(body).not.toContain(prefix);
  }
  expect(others.received).toEqual([]);
});

test('only the latest period counts, and a key with a short validity is reported within it', async () => {
  const watched = await reminded();
  const late = await newKey(watched.tenant, 31);
  const short = await newKey(watched.tenant, 30);
  expect(short.expiresSoon).toBe(true);
  expect(late.expiresSoon).toBe(false);
  app.clock.advance(25 * DAY_MS);
  expect((await remindersAt(watched)).toSorted()).toEqual([late.id, short.id].toSorted());
});

test('a rotated or revoked key is not reported, and a changed expiry time is', async () => {
  const watched = await reminded();
  const [rotated, revoked, extended, ended] = await Promise.all(
    [31, 31, 31, 31].map((days) => newKey(watched.tenant, days)),
  );
  if (!rotated || !revoked || !extended || !ended) throw new Error('no keys');
  const createdBy = { type: 'cli', id: 'ada', name: null, prefix: null } as const;
  const rotation = { overlapSeconds: 2_592_000, createdBy };
  const { apiKey: successor } = await app.services.keys.rotate(rotated.id, rotation);
  await app.services.keys.revoke(revoked.id);
  app.clock.advance(2 * DAY_MS);
  expect((await app.services.keys.get(rotated.id)).expiresSoon).toBe(false);
  expect((await remindersAt(watched)).toSorted()).toEqual([successor.id, extended.id, ended.id].toSorted());
  await app.services.keys.update(extended.id, { expiresAt: daysAhead(35) });
  await app.services.keys.update(ended.id, { expiresAt: null });
  app.clock.advance(10 * DAY_MS);
  expect((await remindersAt(watched)).slice(3)).toEqual([extended.id]);
});

test('a key whose expiry time is brought forward is reported for the new time as well', async () => {
  const watched = await reminded();
  const { id } = await newKey(watched.tenant, 31);
  app.clock.advance(2 * DAY_MS);
  expect(await remindersAt(watched)).toEqual([id]);
  await app.services.keys.update(id, { name: 'CRM sync' });
  expect(await remindersAt(watched)).toEqual([id]);
  await app.services.keys.update(id, { expiresAt: daysAhead(6) });
  expect(await remindersAt(watched)).toEqual([id, id]);
});

test('an admin key is logged', async () => {
  const { apiKey } = await app.services.keys.create({
    ...{ scope: 'admin', customerId: null, expiresAt: daysAhead(31) },
  });
  app.clock.advance(2 * DAY_MS);
  await runJob(app, 'keys.expiry');
  await runJob(app, 'keys.expiry');
  const about = logged.filter(({ keyId }) => keyId === apiKey.id);
  expect(about).toMatchObject([{ msg: 'an admin key expires soon' }]);
});

test('two processes report each key once, also a third one after them', async () => {
  const { tenant } = await reminded();
  const keys = await Promise.all(Array.from({ length: 20 }, () => newKey(tenant, 31)));
  const sent = () =>
    app.models.Event.countDocuments({ customerId: tenant.customerId, event: 'key.expiring' });
  const processes = await Promise.all(
    [1, 2, 3].map(() =>
      compose({
        config: loadConfig(ENV),
        log: createLogger('silent'),
        clock: { now: () => new Date(app.clock.now().getTime() + 2 * DAY_MS) },
      }),
    ),
  );
  const [first, second, third] = processes.map(({ jobs }) => jobs.find(({ name }) => name === 'keys.expiry'));
  const now = app.clock.now();
  await Promise.all([first?.run(now), second?.run(now)]);
  expect(await sent()).toBe(keys.length);
  await third?.run(now);
  expect(await sent()).toBe(keys.length);
  await Promise.all(processes.map(({ close }) => close(500)));
});
