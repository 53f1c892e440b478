import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestTenant } from '../support/app.ts';
import { expectProtectedGraphQL } from '../support/protection.ts';
import { unauthorized } from '../support/provider.ts';
import { PAUSE, RESUME } from './backfill-support.ts';
import {
  API_KEY,
  CANCEL,
  CONNECT,
  CONNECTION,
  type Connector,
  codeOf,
  connectedTenant,
  connectionOf,
  connector,
  DISCONNECT,
  ended,
  INVALID_KEY,
  idsOf,
  SYNC,
  startConnector,
  startSync,
  syncOf,
} from './support.ts';

let on: Connector;

beforeAll(async () => {
  on = await startConnector({ count: 3 }, { MEETING_SYNC_SCHEDULE: '1 hour' });
});
afterAll(() => on.stop());
afterEach(() => on.provider.behave('well'));

/** A sync whose first page does not come. */
async function hangingSync(tenant: TestTenant): Promise<string> {
  on.provider.behave('hang');
  const asked = on.provider.requests.length;
  const { id } = await startSync(on.app, tenant);
  await on.provider.waitFor(asked + 1);
  return id;
}

const keyDocuments = () => on.app.models.ProviderConnection.find().lean();

describe('connectRecorder', () => {
  test('requires authentication', async () => {
    const tenant = await on.app.newTenant();
    await expectProtectedGraphQL(on.app, CONNECT, { apiKey: API_KEY }, [tenant.read]);
    await expectProtectedGraphQL(on.app, DISCONNECT, {}, [tenant.read]);
    await expectProtectedGraphQL(on.app, CONNECTION, {}, []);
    expect(await on.app.models.ProviderConnection.countDocuments({ _id: tenant.customerId })).toBe(0);
  });

  test('checks at most five keys per minute for a tenant, whatever the results', async () => {
    const { app, provider } = await connector({}, { RATE_LIMIT: '60000/min' });
    const [tenant, other] = [await app.newTenant(), await app.newTenant()];
    // The limit counts whole minutes.
    app.clock.advance(60_000 - (app.clock.now().getTime() % 60_000));
    const checks = () => provider.requests.length;
    const before = checks();
    const tries = [INVALID_KEY, API_KEY, INVALID_KEY, INVALID_KEY, API_KEY];
    for (const apiKey of tries) {
      const code = apiKey === API_KEY ? undefined : 'PROVIDER_KEY_INVALID';
      expect(codeOf(await app.graphql(CONNECT, { apiKey }, tenant.write))).toBe(code);
    }
    const refused = await Promise.all(
      Array.from({ length: 3 }, () => app.graphql(CONNECT, { apiKey: API_KEY }, tenant.write)),
    );
    for (const answer of refused) {
      expect(codeOf(answer)).toBe('RATE_LIMITED');
      expect(Number(answer.headers.get('retry-after'))).toSatisfy((s: number) => s >= 1 && s <= 60);
    }
    expect(checks() - before).toBe(tries.length);

    expect(codeOf(await app.graphql(CONNECT, { apiKey: API_KEY }, other.write))).toBeUndefined();
    app.clock.advance(60_000);
    expect(codeOf(await app.graphql(CONNECT, { apiKey: API_KEY }, tenant.write))).toBeUndefined();
  });

  test('checks any number of keys with RATE_LIMIT=off', async () => {
    const tenant = await on.app.newTenant();
    for (let i = 0; i < 12; i += 1)
      expect(codeOf(await on.app.graphql(CONNECT, { apiKey: API_KEY }, tenant.write))).toBeUndefined();
  });

  test('checks the key with the provider, and stores it encrypted', async () => {
    const tenant = await on.app.newTenant();
    const before = on.provider.requests.length;
    const { body } = await on.app.graphql(CONNECT, { apiKey: API_KEY }, tenant.write);
    const connection = body.data?.connectRecorder;
    expect(connection).toEqual({
      status: 'connected',
      connectedAt: expect.any(String),
      lastSyncAt: null,
      nextSyncAt: expect.any(String),
      lastRun: null,
    });
    const at = (time: unknown) => Date.parse(String(time));
    expect(at(connection?.nextSyncAt) - at(connection?.connectedAt)).toBe(3_600_000);
    expect(on.provider.requests.slice(before)).toMatchObject([{ path: '/user', key: API_KEY }]);

    const stored = await on.app.models.ProviderConnection.findById(tenant.customerId).lean();
    expect(stored?.encryptedApiKey).toMatch(/^v1\.[0-9a-f]{8}\./);
    expect(JSON.stringify(stored)).not.toContain(API_KEY);
  });

  test('encrypts with a fresh nonce each time, bound to the tenant', async () => {
    const [one, other] = [await on.app.newTenant(), await on.app.newTenant()];
    for (const tenant of [one, other]) await on.app.graphql(CONNECT, { apiKey: API_KEY }, tenant.write);
    const { ProviderConnection } = on.app.models;
    const ciphertextOf = async (customerId: number) =>
      (await ProviderConnection.findById(customerId).lean())?.encryptedApiKey;
    const [first, foreign] = [await ciphertextOf(one.customerId), await ciphertextOf(other.customerId)];
    await on.app.graphql(CONNECT, { apiKey: API_KEY }, one.write);
    expect(new Set([first, await ciphertextOf(one.customerId), foreign]).size).toBe(3);

    // A value that is copied from one tenant to another does not open there.
    await ProviderConnection.updateOne({ _id: one.customerId }, { encryptedApiKey: foreign });
    const asked = on.provider.requests.length;
    const run = await syncOf(on.app, one);
    expect(run).toMatchObject({ status: 'failed', pages: 0, error: { code: 'NOT_CONFIGURED' } });
    expect(on.provider.requests).toHaveLength(asked);
  });

  test('stores nothing when the provider rejects the key', async () => {
    const tenant = await on.app.newTenant();
    const before = await keyDocuments();
    const answer = await on.app.graphql(CONNECT, { apiKey: INVALID_KEY }, tenant.write);
    expect([answer.status, codeOf(answer)]).toEqual([200, 'PROVIDER_KEY_INVALID']);
    expect(JSON.stringify(answer.body)).not.toContain(INVALID_KEY);
    expect(await keyDocuments()).toEqual(before);
    expect(await connectionOf(on.app, tenant)).toBeNull();
  });

  test.each([
    ['breaks every connection', 'reset'],
    ['fails', { status: 503 }],
    ['answers HTML where nothing is', { status: 404 }],
    ['asks for fewer requests', { status: 429 }],
  ] as const)('stores nothing when the provider %s', async (_what, behaviour) => {
    const tenant = await on.app.newTenant();
    const before = await keyDocuments();
    on.provider.behave(behaviour);
    const answer = await on.app.graphql(CONNECT, { apiKey: API_KEY }, tenant.write);
    expect([answer.status, codeOf(answer)]).toEqual([200, 'PROVIDER_UNAVAILABLE']);
    expect(await keyDocuments()).toEqual(before);
  });

  test.each(['', ' ', 'two words', 'line\nbreak', 'schlüssel', 'x'.repeat(501)])(
    'rejects %j without a request to the provider',
    async (apiKey) => {
      const tenant = await on.app.newTenant();
      const asked = on.provider.requests.length;
      const answer = await on.app.graphql(CONNECT, { apiKey }, tenant.write);
      expect(codeOf(answer)).toBe('VALIDATION_FAILED');
      expect(on.provider.requests).toHaveLength(asked);
    },
  );

  test('with a new key after a rejected one enables syncs again', async () => {
    const tenant = await connectedTenant(on.app);
    on.provider.behave(unauthorized);
    expect(await syncOf(on.app, tenant)).toMatchObject({ error: { code: 'PROVIDER_KEY_INVALID' } });
    expect(await connectionOf(on.app, tenant)).toMatchObject({ status: 'key_invalid', nextSyncAt: null });
    const refused = await on.app.graphql(SYNC, {}, tenant.write);
    expect(codeOf(refused)).toBe('PROVIDER_KEY_INVALID');

    on.provider.behave('well');
    await on.app.graphql(CONNECT, { apiKey: 'rec_new' }, tenant.write);
    expect(await connectionOf(on.app, tenant)).toMatchObject({
      status: 'connected',
      nextSyncAt: expect.any(String),
    });
    expect(await syncOf(on.app, tenant)).toMatchObject({ status: 'succeeded', stored: 3 });
    expect(on.provider.requests.at(-1)?.key).toBe('rec_new');
  });

  test('with another key cancels the sync that uses the old one', async () => {
    const tenant = await connectedTenant(on.app);
    const id = await hangingSync(tenant);
    on.provider.behave('well');
    await on.app.graphql(CONNECT, { apiKey: 'rec_new' }, tenant.write);
    expect(await ended(on.app, tenant, id)).toMatchObject({ status: 'cancelled' });
    expect(await syncOf(on.app, tenant)).toMatchObject({ status: 'succeeded', stored: 3 });
  });
});

describe('disconnectRecorder', () => {
  test('deletes the key, cancels the active sync and keeps the meetings', async () => {
    const tenant = await connectedTenant(on.app);
    await syncOf(on.app, tenant);
    const id = await hangingSync(tenant);
    const { body } = await on.app.graphql(DISCONNECT, {}, tenant.write);
    expect(body).toEqual({ data: { disconnectRecorder: true } });
    expect(await ended(on.app, tenant, id)).toMatchObject({ status: 'cancelled', error: null });
    expect(await connectionOf(on.app, tenant)).toBeNull();
    expect(await on.app.models.ProviderConnection.countDocuments({ _id: tenant.customerId })).toBe(0);
    expect(await idsOf(on.app, tenant)).toHaveLength(3);
    expect(codeOf(await on.app.graphql(SYNC, {}, tenant.write))).toBe('NOT_CONFIGURED');
  });

  test('returns null if there was no connection', async () => {
    const tenant = await on.app.newTenant();
    const { body } = await on.app.graphql(DISCONNECT, {}, tenant.write);
    expect(body).toEqual({ data: { disconnectRecorder: false } });
  });
});

test('without a configured provider its procedures are NOT_CONFIGURED, and stored data is readable', async () => {
  const app = await startApp();
  try {
    const { read, write } = await app.newTenant();
    for (const [query, variables] of [
      [CONNECT, { apiKey: API_KEY }],
      [SYNC, {}],
      [PAUSE, {}],
      [RESUME, {}],
      [CONNECTION, {}],
    ] as const) {
      const answer = await app.graphql(query, variables, write);
      expect([answer.status, codeOf(answer)]).toEqual([200, 'NOT_CONFIGURED']);
    }
    expect((await app.graphql(CANCEL, {}, write)).body).toEqual({ data: { cancelMeetingSync: null } });
    expect((await app.graphql(DISCONNECT, {}, write)).body).toEqual({ data: { disconnectRecorder: false } });
    const reads = '{ meetings { edges { cursor } } meetingSyncRuns { edges { cursor } } }';
    expect((await app.graphql(reads, {}, read)).body).toEqual({
      data: { meetings: { edges: [] }, meetingSyncRuns: { edges: [] } },
    });
  } finally {
    await app.stop();
  }
});

test('connections and syncs of one tenant are not visible to another', async () => {
  const { app } = await connector({ count: 3 });
  const [tenant, other] = [await connectedTenant(app), await app.newTenant()];
  const run = await syncOf(app, tenant);
  expect(run.stored).toBe(3);
  expect(await connectionOf(app, other)).toBeNull();
  const query = `{ meetings { edges { cursor } } meetingActivities { edges { cursor } }
    meetingSyncRuns { edges { cursor } } meeting(recorderMeetingId: "m0") { title } }`;
  expect((await app.graphql(query, {}, other.read)).body).toEqual({
    data: {
      meetings: { edges: [] },
      meetingActivities: { edges: [] },
      meetingSyncRuns: { edges: [] },
      meeting: null,
    },
  });
  expect((await app.graphql(CANCEL, {}, other.write)).body).toEqual({ data: { cancelMeetingSync: null } });
});
