import { describe, expect, test } from 'vitest';
import type { MeetingJson } from '../../src/demo/provider/meeting-json.ts';
import { registerAdapter } from '../../src/features/meetings/provider/adapters/adapter-registry.ts';
import { eventually } from '../support/app.ts';
import { expectProtectedGraphQL } from '../support/protection.ts';
import { fathomApi, meetingJson, type TestProviderOptions } from '../support/provider.ts';
import { acmeAdapter } from './acme-adapter/acme.ts';
import { acmeApi } from './acme-adapter/acme-api.ts';
import { resultOf } from './backfill-support.ts';
import { codeOf, connectedTenant, connector, idsOf, meetingOf, pagesAsked } from './support.ts';
import {
  HOOK,
  type Hook,
  hookOf,
  newMessageId,
  newSigningSecret,
  ROTATE_HOOK,
  SET_SECRET,
  send,
  signed,
} from './webhook-support.ts';

registerAdapter(acmeAdapter);

interface Case {
  adapter: string;
  api?: TestProviderOptions['api'];
  /** Body of the webhook of a meeting. */
  bodyOf: (meeting: MeetingJson) => unknown;
  idOf: (meeting: MeetingJson) => string;
}

const ADAPTERS: Case[] = [
  {
    adapter: 'standard',
    bodyOf: ({ id, created_at }) => ({ type: 'meeting.updated', data: { id, created_at } }),
    idOf: ({ id }) => String(id),
  },
  {
    adapter: 'fathom',
    api: fathomApi({ limits: { light: 1_000, heavy: 1_000 } }),
    bodyOf: ({ id, created_at, title }) => ({
      title,
      recording_id: Number(String(id).slice(1)),
      created_at,
      transcript: null,
    }),
    idOf: ({ id }) => String(id).slice(1),
  },
  {
    adapter: 'acme',
    api: acmeApi,
    bodyOf: ({ id }) => ({ call: `acme-${id}` }),
    idOf: ({ id }) => `acme-${id}`,
  },
];

async function start({ adapter, api }: Pick<Case, 'adapter' | 'api'>, count = 30) {
  const meetings = Array.from({ length: count }, (_, index) => meetingJson(index * 7));
  const on = await connector({ meetings, ...(api && { api }) }, { RECORDER_PROVIDER: adapter });
  const tenant = await connectedTenant(on.app);
  const secret = newSigningSecret();
  const { path } = await hookOf(on.app, tenant, secret);
  const post = async (content: unknown, headers?: Record<string, string>) => {
    const body = typeof content === 'string' ? content : JSON.stringify(content);
    const response = await send(on.app.url, path, body, headers ?? signed({ body, secret }));
    const { requestId: _id, ...error } = response.status === 204 ? {} : (await response.json()).error;
    return { status: response.status, error };
  };
  return { ...on, meetings, tenant, secret, path, post };
}

const STANDARD = ADAPTERS[0] as Case;

describe('the webhook of a connection', () => {
  test('has an unguessable path and a secret that is never returned, for the scope write', async () => {
    const { app, tenant, secret, path } = await start(STANDARD, 1);
    expect(path).toMatch(/^\/hooks\/recorder\/[\w-]{43}$/);
    for (const operation of [HOOK, ROTATE_HOOK, SET_SECRET])
      await expectProtectedGraphQL(app, operation, {}, [tenant.read]);
    const answer = await app.graphql(HOOK, {}, tenant.write);
    expect(resultOf<Hook>(answer)).toEqual({ path, hasSecret: true });
    const stored = await app.models.ProviderConnection.findById(tenant.customerId).lean();
    expect(JSON.stringify(stored)).not.toContain(secret.slice(6));
    for (const wrong of ['whsec_', 'secret', `${secret}!`, 'whsec_c2hvcnQ='])
      expect(codeOf(await app.graphql(SET_SECRET, { secret: wrong }, tenant.write))).toBe(
        'VALIDATION_FAILED',
      );
    const removed = await app.graphql(SET_SECRET, { secret: null }, tenant.write);
    expect(resultOf<Hook>(removed)).toEqual({ path, hasSecret: false });
    const other = await app.newTenant();
    expect(resultOf(await app.graphql(HOOK, {}, other.write))).toBeNull();
    expect(codeOf(await app.graphql(SET_SECRET, { secret }, other.write))).toBe('NOT_CONFIGURED');
  });

  test('is refused at the previous path once the token is rotated', async () => {
    const { app, tenant, secret, path, meetings, post } = await start(STANDARD, 1);
    const body = JSON.stringify(STANDARD.bodyOf(meetings[0] as MeetingJson));
    const rotated = resultOf<Hook>(await app.graphql(ROTATE_HOOK, {}, tenant.write));
    expect(rotated).toEqual({
      path: expect.stringMatching(/^\/hooks\/recorder\/[\w-]{43}$/),
      hasSecret: true,
    });
    expect(rotated.path).not.toBe(path);
    expect(await post(body)).toMatchObject({ status: 404 });
    expect((await send(app.url, rotated.path, body, signed({ body, secret }))).status).toBe(204);
  });
});

describe.each(ADAPTERS)('a webhook of $adapter', ({ adapter, api, bodyOf, idOf }) => {
  test('is answered before the one meeting is fetched, and only this meeting is stored', async () => {
    const { app, provider, tenant, meetings, post } = await start({ adapter, api });
    const meeting = meetings[12] as MeetingJson;
    const answered = Promise.withResolvers<void>();
    provider.behave({ until: answered.promise });
    expect(await post(bodyOf(meeting))).toMatchObject({ status: 204 });
    expect(await idsOf(app, tenant)).toEqual([]);
    answered.resolve();
    await eventually(async () => (await idsOf(app, tenant)).length === 1, 30_000);
    expect(await meetingOf(app, tenant, idOf(meeting))).toMatchObject({
      title: meeting.title,
      summaryText: meeting.summary,
      transcriptJson: [{ text: expect.any(String) }, {}],
    });
    expect(await app.models.MeetingActivity.countDocuments({ customerId: tenant.customerId })).toBe(1);
  });

  test('that repeats an id changes nothing', async () => {
    const { app, provider, tenant, meetings, secret, post } = await start({ adapter, api });
    const body = JSON.stringify(bodyOf(meetings[2] as MeetingJson));
    const headers = signed({ id: newMessageId(), body, secret });
    expect(await post(body, headers)).toMatchObject({ status: 204 });
    await eventually(async () => (await idsOf(app, tenant)).length === 1, 30_000);
    const { length } = provider.requests;
    const again = await Promise.all([post(body, headers), post(body, headers)]);
    expect(again.map(({ status }) => status)).toEqual([204, 204]);
    expect(await app.models.ProviderNotice.countDocuments({ customerId: tenant.customerId })).toBe(1);
    expect(provider.requests).toHaveLength(length);
  });
});

describe('a webhook that is not authentic', () => {
  test('gets one and the same 404 for every unknown token, and one 401 for every wrong signature', async () => {
    const { app, tenant, meetings, secret, path, post } = await start(STANDARD, 1);
    const body = JSON.stringify(STANDARD.bodyOf(meetings[0] as MeetingJson));
    const headers = signed({ body, secret });
    const answerAt = async (where: string) => {
      const response = await send(app.url, where, body, headers);
      const { requestId: _id, ...error } = (await response.json()).error;
      return { status: response.status, error };
    };
    const unknown = await answerAt('/no/such/path');
    expect(unknown.status).toBe(404);
    const last = path.at(-1) === 'A' ? 'B' : 'A';
    for (const where of [
      `${path.slice(0, -1)}${last}`,
      '/hooks/recorder/',
      `${path}/`,
      `${path}%00`,
      `/hooks/recorder/${'x'.repeat(5_000)}`,
    ])
      expect(await answerAt(where)).toEqual(unknown);

    const {
      'webhook-id': id = '',
      'webhook-timestamp': timestamp = '',
      'webhook-signature': signature = '',
    } = headers;
    const minutes = (count: number) => new Date(Date.now() + count * 60_000);
    const wrong: Record<string, string>[] = [
      {},
      { ...headers, 'webhook-signature': '' },
      { ...headers, 'webhook-signature': signature.replace('v1,', 'v2,') },
      { ...headers, 'webhook-signature': signature.replace('v1,', '') },
      { ...headers, 'webhook-signature': `${signature}x` },
      { ...headers, 'webhook-id': `${id}0` },
      { ...headers, 'webhook-timestamp': `${Number(timestamp) + 1}` },
      { ...headers, 'webhook-timestamp': 'now' },
      signed({ body, secret: newSigningSecret() }),
      signed({ body: `${body} `, secret }),
      signed({ body, secret, at: minutes(-6) }),
      signed({ body, secret, at: minutes(6) }),
    ];
    const refused = await post(body, wrong[0]);
    expect(refused.status).toBe(401);
    for (const each of wrong) expect(await post(body, each)).toEqual(refused);
    expect(await app.models.ProviderNotice.countDocuments({ customerId: tenant.customerId })).toBe(0);
    await app.graphql(SET_SECRET, { secret: null }, tenant.write);
    expect(await post(body, headers)).toEqual(refused);
    expect(JSON.stringify([unknown, refused])).not.toContain(path.slice(-43));
  });

  test('of another tenant is refused, and a meeting is stored for the tenant of the token only', async () => {
    const { app, meetings, tenant, secret, path, post } = await start(STANDARD, 3);
    const other = await connectedTenant(app);
    const otherSecret = newSigningSecret();
    const otherHook = await hookOf(app, other, otherSecret);
    const body = JSON.stringify(STANDARD.bodyOf(meetings[1] as MeetingJson));
    expect(await post(body, signed({ body, secret: otherSecret }))).toMatchObject({ status: 401 });
    // The same id at both: each tenant has its own memory of ids.
    const id = newMessageId();
    expect(
      (await send(app.url, otherHook.path, body, signed({ id, body, secret: otherSecret }))).status,
    ).toBe(204);
    await eventually(async () => (await idsOf(app, other)).length === 1);
    expect(await idsOf(app, tenant)).toEqual([]);
    expect((await send(app.url, path, body, signed({ id, body, secret }))).status).toBe(204);
    await eventually(async () => (await idsOf(app, tenant)).length === 1);
  });
});

describe('a signed webhook', () => {
  test('is accepted by any of several signatures', async () => {
    const { app, tenant, meetings, secret, post } = await start(STANDARD, 1);
    const body = JSON.stringify(STANDARD.bodyOf(meetings[0] as MeetingJson));
    const headers = signed({ body, secret });
    const several = `v1a,AAAA v1,${'A'.repeat(43)}= ${headers['webhook-signature']}`;
    expect(await post(body, { ...headers, 'webhook-signature': several })).toMatchObject({ status: 204 });
    await eventually(async () => (await idsOf(app, tenant)).length === 1);
  });

  test('that names no meeting is acknowledged without a request to the provider', async () => {
    const { app, provider, tenant, meetings, post } = await start(STANDARD, 1);
    const asked = pagesAsked(provider, tenant).length;
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    for (const body of ['{}', '[]', 'null', '"text"', '{"data":{"id":{}}}', '{"data":{"id":""}}'])
      expect(await post(body)).toMatchObject({ status: 204 });
    for (const body of ['not JSON', deep, '{"data":{},"data":{}}'])
      expect(await post(body)).toMatchObject({ status: 400 });
    expect(await post('')).toMatchObject({ status: 400 });
    expect(await post(JSON.stringify({ data: 'x'.repeat(1024 * 1024) }))).toMatchObject({ status: 413 });
    // A meeting that the provider does not have.
    const { created_at } = meetings[0] as MeetingJson;
    expect(pagesAsked(provider, tenant)).toHaveLength(asked);
    expect(await post({ data: { id: 'unknown', created_at } })).toMatchObject({ status: 204 });
    await eventually(() =>
      app.models.ProviderNotice.exists({ customerId: tenant.customerId, status: 'done' }),
    );
    expect(await idsOf(app, tenant)).toEqual([]);
  });

  test('is refused with 429 beyond 300 a minute for one connection', async () => {
    const { app, tenant, meetings, post } = await start(STANDARD, 1);
    const window = 60_000;
    const end = (Math.floor(app.clock.now().getTime() / window) + 1) * window;
    await app.models.RateWindow.create(
      [end, end + window].map((at) => ({
        _id: `providerWebhooks:${tenant.customerId}:${at}`,
        hits: 300,
        expiresAt: new Date(at + window),
      })),
    );
    expect(await post(STANDARD.bodyOf(meetings[0] as MeetingJson))).toMatchObject({ status: 429 });
    expect(await app.models.ProviderNotice.countDocuments({ customerId: tenant.customerId })).toBe(0);
  });

  test('is attempted again after the provider has failed', async () => {
    const { app, provider, tenant, meetings, post } = await start(STANDARD, 1);
    provider.behave({ status: 503 });
    expect(await post(STANDARD.bodyOf(meetings[0] as MeetingJson))).toMatchObject({ status: 204 });
    const { customerId } = tenant;
    await eventually(
      () => app.models.ProviderNotice.exists({ customerId, 'lease.token': null, attempts: 1 }),
      30_000,
    );
    provider.behave('well');
    await app.models.ProviderNotice.updateMany({ customerId }, { $set: { 'lease.expiresAt': new Date(0) } });
    await eventually(async () => (await idsOf(app, tenant)).length === 1);
  });
});
