import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually, startApp, type TestApp } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { sharedDataDir } from '../support/process.ts';
import { startProvider, type TestProvider } from '../support/provider.ts';
import { subscribe } from '../support/subscription.ts';
import { CANCEL, connectedTenant, type Run, startSync, syncOf } from './support.ts';

const PROGRESS = 'subscription { meetingSyncProgress { id status pages fetched stored rateLimited } }';

let provider: TestProvider;
/** An API process and a worker process, both inside the test process. */
let api: TestApp;
let worker: TestApp;
let dataDir: Awaited<ReturnType<typeof sharedDataDir>>;

beforeAll(async () => {
  provider = await startProvider({ count: 120 });
  dataDir = await sharedDataDir();
  const env = {
    MONGODB_URI: freshDatabase(),
    DATA_DIR: dataDir.path,
    RECORDER_API_URL: provider.url,
    CONNECTOR_PACING: '1ms',
    MEETING_SYNC_SCHEDULE: 'off',
  };
  api = await startApp({ ...env, ROLE: 'api' });
  worker = await startApp({ ...env, ROLE: 'worker' });
});
afterAll(async () => {
  await worker.stop();
  await api.stop();
  await provider.stop();
  await dataDir[Symbol.asyncDispose]();
});

// A test may fail while the provider refuses requests.
afterEach(() => provider.behave('well'));

const watch = (key: string) => subscribe<Run>(api, key, PROGRESS);

test('requires authentication', async () => {
  const { status } = await api.graphql(PROGRESS, {}, '');
  expect(status).toBe(401);
});

test('the progress of a sync in another process is emitted per page, to its tenant alone', async () => {
  const [tenant, other] = [await connectedTenant(api), await connectedTenant(api)];
  const [own, foreign] = [await watch(tenant.read), await watch(other.read)];
  const before = provider.requests.length;
  const pages = [0, 1, 2].map(() => Promise.withResolvers<void>());
  provider.behave((_request, index) => ({ until: Promise.resolve(pages[index - before]?.promise) }));
  const { id } = await startSync(api, tenant);
  for (const [index, page] of pages.entries()) {
    await eventually(async () => own.updates.at(-1)?.pages === index);
    page.resolve();
  }
  await eventually(async () => own.updates.at(-1)?.status === 'succeeded');
  expect(new Set(own.updates.map((run) => run.id))).toEqual(new Set([id]));
  const progress = own.updates.map(({ status, pages, stored }) => [status, pages, stored]);
  // Lease renewals emit nothing, and no update is repeated.
  expect(progress).toEqual([
    ['running', 0, 0],
    ['running', 1, 50],
    ['running', 2, 100],
    ['succeeded', 3, 120],
  ]);
  expect(foreign.updates).toEqual([]);
  own.leave();
  foreign.leave();
});

test('a wait for the provider is emitted, and the sync can be cancelled by another process', async () => {
  const tenant = await connectedTenant(api);
  const { updates: seen, leave } = await watch(tenant.read);
  provider.behave({ status: 429, headers: { 'retry-after': '600' } });
  const { id } = await startSync(api, tenant);
  await eventually(async () => seen.at(-1)?.rateLimited === 1);

  const { body } = await api.graphql(CANCEL, {}, tenant.write);
  expect(body.data?.cancelMeetingSync).toMatchObject({ id, status: 'cancelled' });
  await eventually(async () => seen.at(-1)?.status === 'cancelled');
  provider.behave('well');
  // As if the Retry-After, which holds for every request with the key, had passed.
  await api.models.ProviderPacing.updateMany({}, { $unset: { notBefore: 1 } });
  // The worker has released it: it claims the next sync, and sends no more requests for the old one.
  const requestsBefore = provider.requests.length;
  expect(await syncOf(api, tenant)).toMatchObject({ status: 'succeeded', stored: 120 });
  expect(provider.requests.length - requestsBefore).toBe(3);
  leave();
});

test('ends when its key is revoked', async () => {
  const tenant = await api.newTenant();
  const { apiKey, key } = await api.services.keys.create({
    scope: 'read',
    customerId: tenant.customerId,
    expiresAt: null,
  });
  const watching = await watch(key);
  await api.services.keys.revoke(apiKey.id);
  await eventually(async () => watching.over());
});
