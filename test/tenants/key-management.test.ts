import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type TestApp, type TestTenant } from '../support/app.ts';

const KEYS = '/api/v1/api-keys';
const VIEWER = '{ viewer { scope } }';
const DAY_MS = 86_400_000;
let app: TestApp;
let tenant: TestTenant;

beforeAll(async () => {
  app = await startApp({ TRUSTED_PROXIES: '127.0.0.1' });
  tenant = await app.newTenant();
});
afterAll(() => app.stop());

interface Key {
  id: string;
  state: string;
}
interface Created {
  key: string;
  apiKey: Key;
}

const asAdmin = (method: string, path: string, body?: object) =>
  app.request(method, `${KEYS}${path}`, { key: app.admin, body });

async function create(input: object = {}): Promise<Created> {
  const body = { scope: 'write', customerId: tenant.customerId, ...input };
  return (await asAdmin('POST', '', body)).body as unknown as Created;
}

/** Status of a request with a key from a client address behind the trusted proxy. */
const statusFrom = async (key: string, address: string) =>
  (await app.graphql(VIEWER, {}, key, { 'x-forwarded-for': address })).status;

describe('keys over REST', () => {
  test.each([
    ['GET', ''],
    ['POST', ''],
    ['GET', '/x'],
    ['PATCH', '/x'],
    ['POST', '/x/rotate'],
    ['DELETE', '/x'],
  ])('%s %s is protected', async (method, path) => {
    expect((await app.request(method, KEYS + path)).status).toBe(401);
    for (const key of [tenant.read, tenant.write])
      expect((await app.request(method, KEYS + path, { key })).status).toBe(403);
  });

  test('have a name, a creator and limits, and are listed by them', async () => {
    const { apiKey } = await create({ name: 'CRM (sync)', resources: ['events'], networks: ['192.0.2.7'] });
    const admin = await app.services.keys.authenticate(`Bearer ${app.admin}`);
    expect(apiKey).toMatchObject({
      name: 'CRM (sync)',
      state: 'active',
      resources: ['events'],
      networks: ['192.0.2.7/32'],
      createdBy: { type: 'key', id: admin.keyId, name: admin.keyName, prefix: admin.keyPrefix },
    });
    expect((await asAdmin('GET', `/${apiKey.id}`)).body).toEqual(apiKey);
    const listed = async (query: string) =>
      ((await asAdmin('GET', `?${query}`)).body.data as unknown as Key[]).map(({ id }) => id);
    const { customerId } = tenant;
    expect(await listed(`text=${encodeURIComponent('crm (')}`)).toEqual([apiKey.id]);
    expect(await listed(`customerId=${customerId}&scope=write&state=active&text=crm`)).toEqual([apiKey.id]);
    expect(await listed('text=crm&state=revoked')).toEqual([]);
    expect(await listed('text=.*')).toEqual([]);
  });

  test('record when and from where they were last used, in one write', async () => {
    const { key, apiKey } = await create();
    await statusFrom(key, '192.0.2.1');
    await statusFrom(key, '198.51.100.9');
    await app.services.keys.flushLastUsed();
    expect((await asAdmin('GET', `/${apiKey.id}`)).body).toMatchObject({
      lastUsedAt: expect.any(String),
      lastUsedAddress: '198.51.100.9',
    });
  });

  test('keep the address of a later use that another process has written before', async () => {
    const { key, apiKey } = await create();
    await statusFrom(key, '192.0.2.1');
    const later = { lastUsedAt: new Date(app.clock.now().getTime() + 1_000), lastUsedAddress: '203.0.113.9' };
    await app.models.ApiKey.updateOne({ _id: apiKey.id }, { $set: later });
    await app.services.keys.flushLastUsed();
    expect((await asAdmin('GET', `/${apiKey.id}`)).body).toMatchObject({
      lastUsedAt: later.lastUsedAt.toISOString(),
      lastUsedAddress: later.lastUsedAddress,
    });
  });

  test('keep a use whose write fails', async () => {
    const { key, apiKey } = await create();
    await statusFrom(key, '192.0.2.1');
    const { collection, db } = app.models.ApiKey;
    const validate = (validator: object) => db.db?.command({ collMod: collection.collectionName, validator });
    await validate({ $expr: false });
    try {
      await expect(app.services.keys.flushLastUsed()).rejects.toThrow('validation');
    } finally {
      await validate({});
    }
    await app.services.keys.flushLastUsed();
    const { body } = await asAdmin('GET', `/${apiKey.id}`);
    expect(body).toMatchObject({ lastUsedAddress: '192.0.2.1' });
  });

  test('are changed with before and after in the audit log, without a secret', async () => {
    const { apiKey, key } = await create({ name: 'old' });
    const changed = await asAdmin('PATCH', `/${apiKey.id}`, { name: 'new', networks: ['2001:db8::/32'] });
    expect(changed.body).toMatchObject({ name: 'new', networks: ['2001:db8::/32'], resources: null });
    const { edges } = await app.services.audit.list(tenant.customerId, {
      ...{ limit: 1, after: null, action: 'updateApiKey', actor: null },
    });
    expect(edges[0]?.node).toMatchObject({
      target: { type: 'apiKey', id: apiKey.id },
      before: { name: 'old', networks: null },
      after: { name: 'new', networks: ['2001:db8::/32'] },
    });
    expect(JSON.stringify(edges)).not.toContain(key);
    const cleared = await asAdmin('PATCH', `/${apiKey.id}`, { name: null, networks: null });
    expect(cleared.body).toMatchObject({ name: null, networks: null });
    expect((await asAdmin('PATCH', `/${apiKey.id}`, {})).body).toEqual(cleared.body);
  });

  test('are named by their arguments in the errors of GraphQL', async () => {
    const { apiKey } = (await asAdmin('POST', '', { scope: 'admin' })).body as unknown as Created;
    const past = '2020-01-01T00:00:00Z';
    const change = `mutation ($input: UpdateApiKeyInput!) { updateApiKey(id: "${apiKey.id}", input: $input) { id } }`;
    const calls: [document: string, input: object, path: string][] = [
      [change, { expiresAt: past }, 'input.expiresAt'],
      [change, { resources: ['events'] }, 'input.resources'],
      [
        'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key } }',
        { scope: 'admin', expiresAt: past },
        'input.expiresAt',
      ],
    ];
    for (const [document, input, path] of calls) {
      const { body } = await app.graphql(document, { input }, app.admin);
      expect(body.errors).toMatchObject([{ extensions: { details: [{ path }] } }]);
    }
  });

  test('of scope admin have no resources', async () => {
    const created = await asAdmin('POST', '', { scope: 'admin', resources: ['events'] });
    expect(created).toMatchObject({ status: 422, body: { error: { details: [{ path: 'resources' }] } } });
    const { apiKey } = (await asAdmin('POST', '', { scope: 'admin' })).body as unknown as Created;
    expect((await asAdmin('PATCH', `/${apiKey.id}`, { resources: ['events'] })).status).toBe(422);
  });
});

describe('the networks of a key', () => {
  test('contain the client, behind a trusted proxy as well', async () => {
    const { key } = await create({ networks: ['192.0.2.0/24', '2001:db8::/32'] });
    expect(await statusFrom(key, '192.0.2.200')).toBe(200);
    expect(await statusFrom(key, '2001:db8::1')).toBe(200);
    expect(await statusFrom(key, '192.0.3.1')).toBe(403);
    expect(await statusFrom(key, '2001:db9::1')).toBe(403);
    // What the client itself claims is left of the address that the proxy has appended.
    expect(await statusFrom(key, '192.0.2.200, 198.51.100.1')).toBe(403);
    const path = `/api/v1/customers/${tenant.customerId}/webhook-endpoints`;
    const refused = await app.request('POST', path, { key, body: '{' });
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } });
  });

  test('apply to the next request after a change, and to console sessions', async () => {
    const { key, apiKey } = await create();
    expect(await statusFrom(key, '192.0.2.1')).toBe(200);
    await asAdmin('PATCH', `/${apiKey.id}`, { networks: ['198.51.100.0/24'] });
    expect(await statusFrom(key, '192.0.2.1')).toBe(403);
    const start = await app.request('POST', '/console/session', {
      key,
      headers: {
        'x-engagement-console': '1',
        'sec-fetch-site': 'same-origin',
        'x-forwarded-for': '192.0.2.1',
      },
    });
    expect([403, 404]).toContain(start.status);
  });

  test('that refuse a client are in the audit log, and leave the last use', async () => {
    const { key, apiKey } = await create({ networks: ['192.0.2.1'] });
    await statusFrom(key, '203.0.113.5');
    await app.services.keys.flushLastUsed();
    expect(await app.services.keys.get(apiKey.id)).toMatchObject({ lastUsedAt: null, lastUsedAddress: null });
    await app.services.audit.flushRefusals();
    const { edges } = await app.services.audit.list(tenant.customerId, {
      ...{ limit: 1, after: null, action: 'authenticate', actor: apiKey.id },
    });
    expect(edges[0]?.node).toMatchObject({ clientAddress: '203.0.113.5', target: { type: 'network' } });
  });
});

describe('the rotation of a key', () => {
  const rotate = async ({ id }: Key, body: object = {}) => asAdmin('POST', `/${id}/rotate`, body);

  test('keeps the previous key for the overlap', async () => {
    const old = await create({ name: 'CRM', resources: ['events'] });
    const { body, status } = await rotate(old.apiKey, { overlapSeconds: 60 });
    const next = body as unknown as Created;
    expect(status).toBe(200);
    expect(next.apiKey).toMatchObject({
      name: 'CRM',
      scope: 'write',
      resources: ['events'],
      expiresAt: null,
    });
    for (const { key } of [old, next]) expect((await app.graphql(VIEWER, {}, key)).status).toBe(200);
    app.clock.advance(61_000);
    expect((await app.graphql(VIEWER, {}, old.key)).status).toBe(401);
    expect((await app.graphql(VIEWER, {}, next.key)).status).toBe(200);
  });

  test('without an overlap revokes the previous key', async () => {
    const old = await create();
    await rotate(old.apiKey);
    expect((await app.graphql(VIEWER, {}, old.key)).status).toBe(401);
    expect((await asAdmin('GET', `/${old.apiKey.id}`)).body.state).toBe('revoked');
    expect((await rotate(old.apiKey)).body.error).toMatchObject({ code: 'CONFLICT' });
    expect((await rotate({ id: 'f'.repeat(24), state: '' })).status).toBe(404);
  });

  test('gives the new key as long a validity, and never extends the previous one', async () => {
    const expiresAt = new Date(app.clock.now().getTime() + DAY_MS);
    const old = await create({ expiresAt });
    app.clock.advance(DAY_MS / 2);
    const { body } = await rotate(old.apiKey, { overlapSeconds: 2_592_000 });
    const { apiKey } = body as unknown as { apiKey: { expiresAt: string } };
    expect(Date.parse(apiKey.expiresAt) - app.clock.now().getTime()).toBeGreaterThan(0.9 * DAY_MS);
    expect((await asAdmin('GET', `/${old.apiKey.id}`)).body.expiresAt).toBe(expiresAt.toISOString());
  });

  test('is refused for a key that was rotated, with the id of its successor', async () => {
    const old = await create();
    const next = (await rotate(old.apiKey, { overlapSeconds: 60 })).body as unknown as Created;
    const { status, body } = await rotate(old.apiKey, { overlapSeconds: 2_592_000 });
    expect(status).toBe(409);
    expect(body.error).toMatchObject({ message: expect.stringContaining(next.apiKey.id) });
    expect((await rotate(next.apiKey)).body).toMatchObject({ apiKey: { expiresAt: null } });
  });

  test.each([0, 60])(
    'of two at once creates one successor, with an overlap of %i s',
    async (overlapSeconds) => {
      const name = `raced ${overlapSeconds}`;
      const old = await create({ name });
      const both = await Promise.all([
        rotate(old.apiKey, { overlapSeconds }),
        rotate(old.apiKey, { overlapSeconds: overlapSeconds * 10 }),
      ]);
      expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      const active = await asAdmin('GET', `?text=${encodeURIComponent(name)}&state=active`);
      expect(active.body.data).toHaveLength(overlapSeconds === 0 ? 1 : 2);
    },
  );
});

describe('the last admin key', () => {
  test('cannot be revoked while the other one is in the overlap of its rotation', async () => {
    const other = await startApp();
    try {
      const { keyId } = await other.services.keys.authenticate(`Bearer ${other.admin}`);
      for (const { id } of (await other.services.keys.list({ limit: 50, after: null })).edges.map(
        ({ node }) => node,
      ))
        if (id !== keyId) await other.services.keys.revoke(id);
      const createdBy = { type: 'cli', id: 'test', name: null, prefix: null } as const;
      const { apiKey } = await other.services.keys.rotate(keyId, { overlapSeconds: 60, createdBy });
      await expect(other.services.keys.revoke(apiKey.id)).rejects.toMatchObject({ code: 'CONFLICT' });
      expect((await other.services.keys.revoke(keyId)).state).toBe('revoked');
    } finally {
      await other.stop();
    }
  });

  test('cannot expire within a day, nor be revoked, beside keys that do', async () => {
    const other = await startApp();
    const { keys } = other.services;
    const inHours = (hours: number) => new Date(other.clock.now().getTime() + hours * 3_600_000);
    try {
      const { keyId } = await keys.authenticate(`Bearer ${other.admin}`);
      for (const { node } of (await keys.list({ limit: 50, after: null })).edges)
        if (node.id !== keyId) await keys.revoke(node.id);
      const short = await keys.create({ scope: 'admin', customerId: null, expiresAt: inHours(1) });
      const soon = { key: other.admin, body: { expiresAt: inHours(1).toISOString() } };
      const refused = await other.request('PATCH', `${KEYS}/${keyId}`, soon);
      expect(refused).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
      await expect(keys.revoke(keyId)).rejects.toMatchObject({ code: 'CONFLICT' });
      expect((await keys.get(keyId)).expiresAt).toBeNull();

      expect((await keys.update(keyId, { expiresAt: inHours(48), name: 'last' })).name).toBe('last');
      await keys.update(short.apiKey.id, { expiresAt: null });
      const both = await Promise.allSettled(
        [keyId, short.apiKey.id].map((id) => keys.update(id, { expiresAt: inHours(2) })),
      );
      expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    } finally {
      await other.stop();
    }
  });

  test('is the one that is valid longest within a day: others can be revoked, and each can be extended', async () => {
    const other = await startApp({ API_KEY_EXPIRY: '12h' });
    const { keys } = other.services;
    const inHours = (hours: number) => new Date(other.clock.now().getTime() + hours * 3_600_000);
    const newAdmin = async (expiresAt?: Date) =>
      (await keys.create({ scope: 'admin', customerId: null, expiresAt })).apiKey.id;
    try {
      const leaked = await newAdmin(inHours(25));
      for (const { node } of (await keys.list({ limit: 50, after: null })).edges)
        if (node.id !== leaked) await keys.revoke(node.id);
      other.clock.advance(20 * 3_600_000);
      const last = await newAdmin();
      expect((await keys.revoke(leaked)).state).toBe('revoked');
      await expect(keys.revoke(last)).rejects.toMatchObject({ code: 'CONFLICT' });
      await expect(keys.update(last, { expiresAt: inHours(11) })).rejects.toMatchObject({ code: 'CONFLICT' });
      const extended = inHours(13);
      expect((await keys.update(last, { expiresAt: extended })).expiresAt).toEqual(extended);

      const createdBy = { type: 'cli', id: 'test', name: null, prefix: null } as const;
      const { apiKey: successor } = await keys.rotate(last, { overlapSeconds: 3_600, createdBy });
      await expect(keys.revoke(successor.id)).rejects.toMatchObject({ code: 'CONFLICT' });
      expect((await keys.revoke(last)).state).toBe('revoked');
      const expired = await newAdmin(inHours(1));
      other.clock.advance(2 * 3_600_000);
      expect((await keys.revoke(expired)).state).toBe('revoked');
    } finally {
      await other.stop();
    }
  });

  test('cannot be revoked, also by two that revoke each other', async () => {
    const { id } = await app.services.keys
      .authenticate(`Bearer ${app.admin}`)
      .then(({ keyId }) => ({ id: keyId }));
    const { body } = await asAdmin('GET', '?scope=admin&state=active');
    for (const key of body.data as unknown as Key[])
      if (key.id !== id) expect((await asAdmin('DELETE', `/${key.id}`)).status).toBe(200);
    expect((await asAdmin('DELETE', `/${id}`)).body.error).toMatchObject({ code: 'CONFLICT' });
    const { apiKey, key } = (await asAdmin('POST', '', { scope: 'admin' })).body as unknown as Created;
    const both = await Promise.all([
      app.request('DELETE', `${KEYS}/${apiKey.id}`, { key: app.admin }),
      app.request('DELETE', `${KEYS}/${id}`, { key }),
    ]);
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await app.models.ApiKey.countDocuments({ scope: 'admin', revokedAt: null })).toBe(1);
  });
});

test('a key expires after API_KEY_EXPIRY unless its creator says otherwise', async () => {
  const limited = await startApp({ API_KEY_EXPIRY: '90d' });
  try {
    const made = async (input: object) => {
      const body = { scope: 'admin', ...input };
      const { body: created } = await limited.request('POST', KEYS, { key: limited.admin, body });
      return (created.apiKey as unknown as { expiresAt: string | null }).expiresAt;
    };
    const expiresAt = Date.parse((await made({})) ?? '');
    expect(Math.abs(expiresAt - limited.clock.now().getTime() - 90 * DAY_MS)).toBeLessThan(60_000);
    expect(await made({ expiresAt: null })).toBeNull();
    expect(await made({ expiresAt: '2100-01-01T00:00:00Z' })).toBe('2100-01-01T00:00:00.000Z');
  } finally {
    await limited.stop();
  }
});
