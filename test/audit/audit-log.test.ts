import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { AppError } from '../../src/errors/app-error.ts';
import { eventually, startApp, type TestApp, type TestTenant } from '../support/app.ts';
import { freshDatabase } from '../support/databases.ts';
import { runJob } from '../support/jobs.ts';
import { expectProtected, expectProtectedGraphQL } from '../support/protection.ts';
import { startReceiver } from '../support/receiver.ts';
import { endpointsPath } from '../webhooks/support.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const LOG = `query ($first: Int, $after: String, $action: String, $actor: String) {
  auditLog(first: $first, after: $after, action: $action, actor: $actor) {
    edges { node { id sequence at action outcome count clientAddress requestId before after
      actor { type id name prefix } target { type id } } }
    pageInfo { hasNextPage endCursor } } }`;

interface Entry {
  id: string;
  sequence: number;
  action: string;
  outcome: string;
  count: number;
  before: object | null;
  after: object | null;
  actor: { type: string; id: string | null };
  target: { type: string; id: string | null };
}

const logPath = (customerId: number) => `/api/v1/customers/${customerId}/audit-log`;

async function entries(key: string, variables: object = {}, headers = {}): Promise<Entry[]> {
  const { body } = await app.graphql(LOG, { ...variables }, key, headers);
  const { edges } = (body as unknown as { data: { auditLog: { edges: { node: Entry }[] } } }).data.auditLog;
  return edges.map(({ node }) => node);
}

/** Creates an endpoint over REST and returns its path and id. */
async function newEndpoint(tenant: TestTenant, settings: object = {}) {
  const { body } = await app.request('POST', endpointsPath(tenant.customerId), {
    key: tenant.write,
    body: { url: 'https://receiver.example.com/hooks', ...settings },
  });
  const { id } = body.endpoint as unknown as { id: number };
  return { id: String(id), path: `${endpointsPath(tenant.customerId)}/${id}` };
}

describe('the audit log', () => {
  test('is protected', async () => {
    const tenant = await app.newTenant();
    await expectProtected(app, { method: 'GET', path: logPath(tenant.customerId), scope: 'read' }, tenant);
    await expectProtectedGraphQL(app, LOG, {}, []);
  });

  test('records who changed what of an endpoint, before and after, over REST and GraphQL', async () => {
    const tenant = await app.newTenant();
    const { id, path } = await newEndpoint(tenant);
    await app.request('PATCH', path, { key: tenant.write, body: { paused: true } });
    await app.graphql(
      'mutation ($id: Int!) { deleteWebhookEndpoint(id: $id) { id } }',
      { id: Number(id) },
      tenant.write,
    );
    const [deleted, updated, created] = await entries(tenant.read);
    expect(created).toMatchObject({
      sequence: 1,
      action: 'createWebhookEndpoint',
      outcome: 'done',
      count: 1,
      clientAddress: '127.0.0.1',
      requestId: expect.any(String),
      actor: {
        type: 'key',
        id: expect.stringMatching(/^[0-9a-f]{24}$/),
        name: null,
        prefix: tenant.write.slice(0, 11),
      },
      target: { type: 'webhookEndpoint', id },
      before: null,
      after: { url: 'https://receiver.example.com/hooks', paused: false },
    });
    expect(updated).toMatchObject({
      action: 'updateWebhookEndpoint',
      before: { paused: false },
      after: { paused: true },
    });
    expect(deleted).toMatchObject({ action: 'deleteWebhookEndpoint', before: { paused: true }, after: null });
  });

  test('names the key of an act as it was called then', async () => {
    const tenant = await app.newTenant();
    const { customerId } = tenant;
    const named = await app.services.keys.create({
      scope: 'write',
      customerId,
      name: 'CRM',
      expiresAt: null,
    });
    const act = () =>
      app.request('POST', endpointsPath(customerId), {
        key: named.key,
        body: { url: 'https://receiver.example.com/hooks' },
      });
    await act();
    const rename = 'mutation ($id: ID!) { updateApiKey(id: $id, input: { name: "ERP" }) { id } }';
    expect((await app.graphql(rename, { id: named.apiKey.id }, app.admin)).body.errors).toBeUndefined();
    await act();
    await app.request('DELETE', `${endpointsPath(customerId)}/1`, { key: tenant.read });
    await app.services.audit.flushRefusals();
    const actors = (await entries(tenant.read)).filter(({ action }) => action !== 'updateApiKey');
    expect(actors.map(({ actor }) => actor)).toEqual([
      { type: 'key', id: expect.any(String), name: null, prefix: tenant.read.slice(0, 11) },
      { type: 'key', id: named.apiKey.id, name: 'ERP', prefix: named.key.slice(0, 11) },
      { type: 'key', id: named.apiKey.id, name: 'CRM', prefix: named.key.slice(0, 11) },
    ]);
    expect((await app.services.audit.verify(customerId)).findings).toEqual([]);
  });

  test('contains no secret', async () => {
    const tenant = await app.newTenant();
    const headers = { 'X-Api-Key': 'planted-header-value' };
    const oauth2 = {
      tokenUrl: 'https://t.example.com',
      clientId: 'c',
      clientSecret: 'planted-client-secret',
    };
    const { path } = await newEndpoint(tenant, { headers, authentication: { oauth2 } });
    await app.request('POST', `${path}/rotate-secret`, { key: tenant.write });
    const text = JSON.stringify(await app.models.AuditEntry.find({ log: tenant.customerId }).lean());
    expect(text).toContain('rotateWebhookSecret');
    expect(text).not.toMatch(/planted|whsec_/);
    expect(text).not.toContain(tenant.write);
  });

  test('has no entry for an act that was refused', async () => {
    const tenant = await app.newTenant();
    const missing = `${endpointsPath(tenant.customerId)}/999999`;
    expect((await app.request('PATCH', missing, { key: tenant.write, body: { paused: true } })).status).toBe(
      404,
    );
    expect(await entries(tenant.read)).toEqual([]);
    expect(await app.models.AuditIntent.countDocuments({ log: tenant.customerId })).toBe(0);
  });

  test('is filtered by action and actor, and paged', async () => {
    const tenant = await app.newTenant();
    const { path } = await newEndpoint(tenant);
    for (const paused of [true, false])
      await app.request('PATCH', path, { key: tenant.write, body: { paused } });
    const all = await entries(tenant.read);
    const actor = all[0]?.actor.id;
    expect(all.map(({ sequence }) => sequence)).toEqual([3, 2, 1]);
    expect((await entries(tenant.read, { action: 'updateWebhookEndpoint' })).length).toBe(2);
    expect((await entries(tenant.read, { actor })).length).toBe(3);
    expect(await entries(tenant.read, { actor: 'another' })).toEqual([]);

    const first = await app.request('GET', `${logPath(tenant.customerId)}?limit=2`, { key: tenant.read });
    expect(first.body).toMatchObject({ data: [{ sequence: 3 }, { sequence: 2 }], hasMore: true });
    const next = `${logPath(tenant.customerId)}?limit=2&cursor=${first.body.nextCursor}`;
    const second = await app.request('GET', next, { key: tenant.read });
    expect(second.body).toMatchObject({ data: [{ sequence: 1 }], nextCursor: null, hasMore: false });
    const entry = await app.request('GET', `${logPath(tenant.customerId)}/${all[0]?.id}`, {
      key: tenant.read,
    });
    expect(entry).toMatchObject({ status: 200, body: { id: all[0]?.id, action: 'updateWebhookEndpoint' } });
    const stranger = await app.newTenant();
    const foreign = await app.request('GET', `${logPath(stranger.customerId)}/${all[0]?.id}`, {
      key: stranger.read,
    });
    expect(foreign.status).toBe(404);
  });

  test('of a customer has its keys, and the log of the service what concerns no customer', async () => {
    const tenant = await app.newTenant();
    const { customerId } = tenant;
    const CREATE =
      'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id } key } }';
    const { body } = await app.graphql(CREATE, { input: { scope: 'read', customerId } }, app.admin);
    const { apiKey, key } = (
      body as unknown as { data: { createApiKey: { apiKey: { id: string }; key: string } } }
    ).data.createApiKey;
    await app.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { id } }', { id: apiKey.id }, app.admin);
    const [revoked, created] = await entries(tenant.read);
    expect(created).toMatchObject({
      action: 'createApiKey',
      target: { type: 'apiKey', id: apiKey.id },
      after: { scope: 'read', customerId, prefix: key.slice(0, 11), revokedAt: null },
    });
    expect(revoked).toMatchObject({ action: 'revokeApiKey', after: { revokedAt: expect.any(String) } });

    const input = { customerId: customerId + 500_000, orgId: `org_${customerId}_b`, name: 'New' };
    await app.graphql(
      'mutation ($input: CreateTenantInput!) { createTenant(input: $input) { customerId } }',
      { input },
      app.admin,
    );
    expect((await entries(app.admin))[0]).toMatchObject({ action: 'createTenant', after: input });
    expect((await entries(app.admin, {}, { 'X-Customer-Id': String(customerId) })).length).toBe(2);
    // A typing error is not the log of the service.
    const mistyped = await app.graphql(LOG, {}, app.admin, { 'X-Customer-Id': `${customerId}x` });
    expect(mistyped.body).toMatchObject({ errors: [{ extensions: { code: 'VALIDATION_FAILED' } }] });
  });

  test('records acts at the same time without a gap', async () => {
    const tenant = await app.newTenant();
    await Promise.all(Array.from({ length: 12 }, () => newEndpoint(tenant)));
    const sequences = (await entries(tenant.read)).map(({ sequence }) => sequence);
    expect(sequences).toEqual(Array.from({ length: 12 }, (_, index) => 12 - index));
    expect(await app.services.audit.verify(tenant.customerId)).toEqual({ entries: 12, findings: [] });
  });

  test('counts refused requests per caller', async () => {
    const tenant = await app.newTenant();
    const body = { url: 'https://receiver.example.com' };
    for (let i = 0; i < 3; i += 1)
      await app.request('POST', endpointsPath(tenant.customerId), { key: tenant.read, body });
    const unknown = `eg_r_${'x'.repeat(43)}`;
    for (let i = 0; i < 2; i += 1)
      await app.request('GET', endpointsPath(tenant.customerId), { key: unknown });
    await app.services.audit.flushRefusals();
    expect(await entries(tenant.read)).toMatchObject([
      {
        action: 'createWebhookEndpoint',
        outcome: 'refused',
        count: 3,
        target: { type: 'scope', id: 'write' },
      },
    ]);
    const ofService = await entries(app.admin, { action: 'authenticate' });
    expect(ofService[0]).toMatchObject({ outcome: 'refused', actor: { type: 'anonymous', id: null } });
    expect(ofService[0]?.count).toBeGreaterThanOrEqual(2);
  });

  test('counts refused requests with a revoked or expired key in the log of its customer, and those without a key', async () => {
    const tenant = await app.newTenant();
    const { customerId } = tenant;
    const { apiKey, key } = await app.services.keys.create({ scope: 'read', customerId, expiresAt: null });
    await app.services.keys.revoke(apiKey.id);
    for (let i = 0; i < 2; i += 1) await app.request('GET', endpointsPath(customerId), { key });
    await app.services.audit.flushRefusals();
    expect(await entries(tenant.read)).toMatchObject([
      { action: 'authenticate', outcome: 'refused', count: 2, actor: { type: 'key', id: apiKey.id } },
    ]);
    await app.request('GET', endpointsPath(customerId), { key: null });
    await app.services.audit.flushRefusals();
    const [withoutKey] = await entries(app.admin, { action: 'authenticate' });
    expect(withoutKey).toMatchObject({
      outcome: 'refused',
      count: 1,
      actor: { type: 'anonymous', id: null },
      clientAddress: '127.0.0.1',
    });
  });

  test('records what an act has changed before it failed, and nothing of an act that changed nothing', async () => {
    const tenant = await app.newTenant();
    const target = { type: 'conversation', id: null };
    const act = {
      customerId: tenant.customerId,
      action: 'importConversations',
      actor: { type: 'cli', id: 'ada', name: null, prefix: null },
      clientAddress: null,
      requestId: null,
      target,
    } as const;
    const lost = () => Promise.reject(new AppError('CONFLICT', 'The import has lost its lease.'));
    const failing = (imported: number) =>
      app.services.audit.perform(
        act,
        lost,
        () => null,
        () => (imported > 0 ? { target, before: null, after: { imported } } : null),
      );
    await expect(failing(0)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await entries(tenant.read)).toEqual([]);
    await expect(failing(200)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await entries(tenant.read)).toMatchObject([
      { action: 'importConversations', outcome: 'unknown', before: null, after: { imported: 200 } },
    ]);
    await app.services.audit.perform(
      act,
      async () => {},
      () => null,
    );
    expect(await entries(tenant.read)).toHaveLength(1);
    expect(await app.models.AuditIntent.countDocuments({ log: tenant.customerId })).toBe(0);
  });

  test('records that the service has disabled an endpoint whose receiver is gone, once', async () => {
    const tenant = await app.newTenant();
    const receiver = await startReceiver();
    receiver.behave(410);
    const { id, path } = await newEndpoint(tenant, { url: receiver.url });
    for (let i = 0; i < 3; i += 1)
      await app.request('POST', `${path}/test`, {
        key: tenant.write,
        body: { event: 'conversation.started' },
      });
    await eventually(async () => (await entries(tenant.read, { actor: 'webhooks.disable' })).length > 0);
    expect(await entries(tenant.read, { actor: 'webhooks.disable' })).toMatchObject([
      {
        action: 'disableWebhookEndpoint',
        outcome: 'done',
        actor: { type: 'job' },
        target: { type: 'webhookEndpoint', id },
        before: { enabled: true },
        after: { enabled: false, disabledReason: 'gone' },
      },
    ]);
    await receiver.stop();
  });

  test('records an act whose process died before its end as unknown', async () => {
    const tenant = await app.newTenant();
    const act = {
      customerId: tenant.customerId,
      action: 'updateWebhookEndpoint',
      actor: { type: 'key', id: 'k', name: null, prefix: null },
      clientAddress: null,
      requestId: null,
      target: { type: 'webhookEndpoint', id: '1' },
    } as const;
    const crash = () => Promise.reject(new Error('the connection was lost'));
    await expect(
      app.services.audit.perform(act, crash, () => ({ ...act, before: null, after: null })),
    ).rejects.toThrow();
    expect(await entries(tenant.read)).toEqual([]);
    app.clock.advance(16 * 60_000);
    await runJob(app, 'audit.sweep');
    expect(await entries(tenant.read)).toMatchObject([
      { action: 'updateWebhookEndpoint', outcome: 'unknown' },
    ]);
  });
});

describe('outside of the APIs, the audit log', () => {
  const OWN_PAGE = {
    host: 'console.example.com',
    origin: 'https://console.example.com',
    'sec-fetch-site': 'same-origin',
    'x-engagement-console': '1',
  };

  test('records sign-ins and sign-outs of the console, and no sign-out without a session', async () => {
    const tenant = await app.newTenant();
    const signIn = async () => {
      const { headers } = await app.request('POST', '/console/session', {
        key: tenant.read,
        headers: OWN_PAGE,
      });
      return { ...OWN_PAGE, cookie: headers.get('set-cookie')?.split(';')[0] ?? '' };
    };
    const first = await signIn();
    await app.request('DELETE', '/console/session', { key: null, headers: first });
    await app.request('DELETE', '/console/session', { key: null, headers: first });
    await app.request('DELETE', '/console/sessions', { key: null, headers: await signIn() });
    const [everywhere, again, out, signedIn, ...others] = await entries(tenant.read);
    const prefix = tenant.read.slice(0, 11);
    const target = { type: 'consoleSession', id: expect.any(String) };
    expect(signedIn).toMatchObject({ action: 'signIn', actor: { type: 'key', prefix }, target });
    expect(signedIn).toMatchObject({ clientAddress: '127.0.0.1', requestId: expect.any(String) });
    expect(out).toMatchObject({ action: 'signOut', actor: { type: 'session', prefix } });
    expect(out?.target).toEqual(signedIn?.target);
    expect(again).toMatchObject({ action: 'signIn' });
    expect(everywhere).toMatchObject({ action: 'signOutEverywhere', target: { ...target, id: null } });
    expect(others).toEqual([]);
  });

  test('records which settings changed since the last start, without secrets', async () => {
    const MONGODB_URI = freshDatabase();
    const restarted = async (env: Record<string, string>) => {
      const service = await startApp({ MONGODB_URI, ...env });
      const found = await service.models.AuditEntry.find({ action: 'changeSettings' })
        .sort({ _id: -1 })
        .lean();
      await service.stop();
      return found;
    };
    const CONNECTOR_ENCRYPTION_KEY = '5b'.repeat(32);
    const env = { CONNECTOR_ENCRYPTION_KEY, METRICS_TOKEN: 'planted-metrics-token-0123456789' };
    expect(await restarted({ CONNECTOR_ENCRYPTION_KEY })).toEqual([]);
    expect(await restarted({ CONNECTOR_ENCRYPTION_KEY, PORT: '0', LOG_LEVEL: 'fatal' })).toEqual([]);
    const [changed, ...others] = await restarted({
      ...env,
      WEBHOOK_VERIFICATION: 'required',
      TRUSTED_PROXIES: '10.0.0.0/8',
    });
    expect(others).toEqual([]);
    expect(changed).toMatchObject({ log: 0, actor: { type: 'cli' }, target: { type: 'settings' } });
    expect(JSON.parse(changed?.before ?? '')).toEqual({
      webhookVerification: 'optional',
      trustedProxies: [],
      metricsToken: 'not set',
    });
    expect(JSON.parse(changed?.after ?? '')).toEqual({
      webhookVerification: 'required',
      trustedProxies: ['10.0.0.0/8'],
      metricsToken: 'set',
    });
    expect(JSON.stringify(changed)).not.toMatch(/planted|5b5b/);
  });

  test('that was changed is a finding of the health, and stops nothing', async () => {
    const tenant = await app.newTenant();
    await newEndpoint(tenant);
    const health = async () => (await app.request('GET', '/api/health')).body;
    const ofEntry = { log: tenant.customerId, sequence: 1 };
    const entry = (await app.models.AuditEntry.findOne(ofEntry).lean()) ?? expect.fail();
    await app.models.AuditEntry.updateOne(ofEntry, { outcome: 'unknown' });
    await app.services.audit.verify();
    const verification = (await app.models.AuditHead.findById(0).lean())?.verification ?? expect.fail();
    await eventually(async () => String((await health()).auditLog?.status) === 'down');
    expect(await health()).toMatchObject({
      status: 'degraded',
      auditLog: { status: 'down', verifiedAt: verification.at.toISOString() },
    });
    await newEndpoint(tenant);
    expect(await entries(tenant.read)).toHaveLength(2);
    await app.models.AuditEntry.updateOne(ofEntry, { outcome: entry.outcome });
    await app.services.audit.verify();
    await eventually(async () => String((await health()).auditLog?.status) === 'up');
  });
});

describe('a verification', () => {
  type Tamper = (log: number) => Promise<unknown>;
  const at = (log: number, sequence: number) => ({ log, sequence });
  const swap: Tamper = async (log) => {
    const { AuditEntry } = app.models;
    await AuditEntry.updateOne(at(log, 3), { sequence: 99 });
    await AuditEntry.updateOne(at(log, 4), { sequence: 3 });
    await AuditEntry.updateOne(at(log, 99), { sequence: 4 });
  };
  const insert: Tamper = async (log) => {
    const { AuditEntry } = app.models;
    for (const sequence of [6, 5, 4])
      await AuditEntry.updateOne(at(log, sequence), { sequence: sequence + 1 });
    const { _id, ...copy } = (await AuditEntry.findOne(at(log, 3)).lean()) ?? expect.fail();
    await AuditEntry.create([{ ...copy, _id: _id.toHexString().replace(/^./, '7') as never, sequence: 4 }]);
  };
  test.each<[string, Tamper, object[]]>([
    ['removed', (log) => app.models.AuditEntry.deleteOne(at(log, 3)), [{ problem: 'removed', sequence: 3 }]],
    [
      'removed at the end',
      (log) => app.models.AuditEntry.deleteOne(at(log, 6)),
      [{ problem: 'removed', sequence: 6 }],
    ],
    [
      'altered',
      (log) => app.models.AuditEntry.updateOne(at(log, 3), { $set: { 'actor.id': 'someone-else' } }),
      [{ problem: 'altered', sequence: 3 }],
    ],
    [
      'reordered',
      swap,
      [
        { problem: 'reordered', sequence: 3 },
        { problem: 'reordered', sequence: 4 },
      ],
    ],
    ['inserted', insert, [{ problem: 'inserted', sequence: 4 }]],
  ])('names an entry that was %s', async (_, tamper, findings) => {
    const tenant = await app.newTenant();
    for (let i = 0; i < 6; i += 1) await newEndpoint(tenant);
    const { customerId } = tenant;
    expect(await app.services.audit.verify(customerId)).toEqual({ entries: 6, findings: [] });
    await tamper(customerId);
    const found = await app.services.audit.verify(customerId);
    expect(found.findings).toMatchObject(findings);
    expect(found.findings.length).toBe(findings.length);
  });
});

test('endpoints that name audit.recorded receive the acts, and no act is lost or repeated by it', async () => {
  const tenant = await app.newTenant();
  const receiver = await startReceiver();
  const { id } = await newEndpoint(tenant, { url: receiver.url, events: ['audit.recorded'] });
  const { path } = await newEndpoint(tenant);
  await app.request('DELETE', path, { key: tenant.write });
  await eventually(() => receiver.received.length >= 3);
  const acts = receiver.received.map(({ envelope }) => envelope.data);
  expect(acts.map(({ action }) => action).sort()).toEqual([
    'createWebhookEndpoint',
    'createWebhookEndpoint',
    'deleteWebhookEndpoint',
  ]);
  expect(acts.map(({ targetId }) => targetId)).toContain(id);
  expect((await entries(tenant.read)).length).toBe(3);
  await receiver.stop();
});

test('an act that lasts longer than an abandoned one is recorded with its outcome', async () => {
  const tenant = await app.newTenant();
  const act = {
    customerId: tenant.customerId,
    action: 'exportConversations',
    actor: { type: 'cli', id: 'ada', name: null, prefix: null },
    clientAddress: null,
    requestId: null,
    target: { type: 'conversation', id: null },
  } as const;
  const minutes = (count: number) => app.clock.advance(count * 60_000);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    await app.services.audit.perform(
      act,
      async () => {
        minutes(14);
        vi.advanceTimersByTime(5 * 60_000);
        await eventually(() => app.models.AuditIntent.exists({ renewedAt: { $exists: true } }));
        minutes(14);
        await runJob(app, 'audit.sweep');
      },
      () => ({ target: act.target, before: null, after: { conversations: 1 } }),
    );
  } finally {
    vi.useRealTimers();
  }
  expect(await entries(tenant.read)).toMatchObject([
    { action: 'exportConversations', outcome: 'done', after: { conversations: 1 } },
  ]);
});
