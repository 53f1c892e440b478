import { describe, expect, test } from 'vitest';
import { eventually } from '../support/app.ts';
import { from, tooMany, unauthorized, withNext } from '../support/provider.ts';
import { createEndpoint, receiving } from '../webhooks/support.ts';
import {
  connectedTenant,
  connectionOf,
  connector,
  ended,
  idsOf,
  pagesAsked,
  runsOf,
  startSync,
  syncOf,
} from './support.ts';

const PAGE = 50;

describe('a sync that fails', () => {
  test('at a rejected key, half way, keeps its meetings and requires a new key', async () => {
    const { app, provider } = await connector({ count: 120 }, { MEETING_SYNC_SCHEDULE: '1 hour' });
    const tenant = await connectedTenant(app);
    const receiver = await receiving();
    const events = ['meeting_sync.failed', 'recorder_key.invalid'];
    await createEndpoint(app, tenant, { url: receiver.url, events });
    provider.behave(from(provider.requests.length + 1, unauthorized));
    const run = await syncOf(app, tenant);
    expect(run).toMatchObject({
      status: 'failed',
      pages: 1,
      stored: PAGE,
      error: { code: 'PROVIDER_KEY_INVALID', message: expect.stringContaining('new one') },
    });
    expect(await connectionOf(app, tenant)).toMatchObject({
      status: 'key_invalid',
      lastSyncAt: null,
      nextSyncAt: null,
    });
    expect(await idsOf(app, tenant)).toHaveLength(PAGE);
    const [failed, refused] = await eventually(() => receiver.received.length === 2 && receiver.received);
    expect([failed?.envelope, refused?.envelope].map((envelope) => envelope?.event).sort()).toEqual([
      'meeting_sync.failed',
      'recorder_key.invalid',
    ]);
    const { customerId } = tenant;
    const data = receiver.received.map(({ envelope }) => envelope.data);
    expect(data).toContainEqual({
      customerId,
      orgId: tenant.tenant.orgId,
      runId: run.id,
      code: 'PROVIDER_KEY_INVALID',
      message: run.error?.message,
      failedAt: run.finishedAt,
    });
    app.clock.advance(2 * 60 * 60 * 1000);
    const asked = provider.requests.length;
    // Longer than the interval in which due syncs are claimed: none is started.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(provider.requests).toHaveLength(asked);
  });

  test.each([
    ['fails permanently', { status: 500 }, 'PROVIDER_UNAVAILABLE'],
    ['returns no page', { change: () => ({ nothing: true }) }, 'PROVIDER_UNAVAILABLE'],
    [
      'links to a next page on another origin',
      withNext('http://127.0.0.1:9/meetings'),
      'PROVIDER_UNAVAILABLE',
    ],
    ['rejects the fifth request in a row', tooMany(), 'RATE_LIMITED'],
  ] as const)(
    'because the provider %s reports the error, and the next sync succeeds',
    async (_what, behaviour, code) => {
      const { app, provider } = await connector({ count: 3 });
      const tenant = await connectedTenant(app);
      provider.behave(behaviour);
      const run = await syncOf(app, tenant);
      expect(run).toMatchObject({
        status: 'failed',
        error: { code, message: expect.stringMatching(/^The .+\.$/) },
      });
      expect(run.rateLimited).toBe(code === 'RATE_LIMITED' ? 5 : 0);
      expect(await connectionOf(app, tenant)).toMatchObject({ status: 'failing', lastSyncAt: null });
      provider.behave('well');
      expect(await syncOf(app, tenant)).toMatchObject({ status: 'succeeded', rateLimited: 0 });
      expect(await connectionOf(app, tenant)).toMatchObject({ status: 'connected' });
    },
  );

  test('at a repeated next page ends at once', async () => {
    const { app, provider } = await connector({ count: 120 });
    const tenant = await connectedTenant(app);
    provider.behave((request) => withNext(`http://${request.headers.host}/meetings?cursor=at-50&limit=50`));
    const run = await syncOf(app, tenant);
    expect(run).toMatchObject({
      status: 'failed',
      error: { code: 'PROVIDER_UNAVAILABLE', message: expect.stringContaining('repeats a page') },
    });
    expect(pagesAsked(provider, tenant).length).toBeLessThanOrEqual(3);
  });

  test('at a Retry-After of an hour is scheduled for then', async () => {
    const { app, provider } = await connector({ count: 3 }, { MEETING_SYNC_SCHEDULE: '1 minute' });
    const tenant = await connectedTenant(app);
    provider.behave(tooMany('3600'));
    const run = await syncOf(app, tenant);
    expect(run).toMatchObject({ status: 'failed', rateLimited: 1, error: { code: 'RATE_LIMITED' } });
    const { nextSyncAt } = (await connectionOf(app, tenant)) as unknown as { nextSyncAt: string };
    const inMs = Date.parse(nextSyncAt) - Date.parse(run.finishedAt ?? '');
    expect(inMs).toBeGreaterThan(3_590_000);
    expect(inMs).toBeLessThanOrEqual(3_601_000);
  });

  test('repeatedly at the same page is exhausted', async () => {
    const { app, provider } = await connector({ count: 120 });
    const tenant = await connectedTenant(app);
    provider.behave(from(provider.requests.length + 1, 'hang'));
    const { id } = await startSync(app, tenant);
    await eventually(async () => (await runsOf(app, tenant)).edges[0]?.node.pages === 1);
    // Simulates five processes that crashed one after the other.
    const { MeetingSyncRun } = app.models;
    await MeetingSyncRun.updateOne(
      { _id: id },
      { $set: { claims: 5, 'lease.token': 'dead', 'lease.expiresAt': new Date(0) } },
    );
    const run = await ended(app, tenant, id);
    expect(run).toMatchObject({ status: 'failed', pages: 1, stored: PAGE, error: { code: 'INTERNAL' } });
    expect(await connectionOf(app, tenant)).toMatchObject({ status: 'failing' });
  });

  test('does not include one that had to wait and was then served', async () => {
    const { app, provider } = await connector({ count: 120 });
    const tenant = await connectedTenant(app);
    provider.script(tooMany(), tooMany('1'), 'reset', 'well', tooMany());
    const run = await syncOf(app, tenant);
    expect(run).toMatchObject({ status: 'succeeded', stored: 120, rateLimited: 3 });
  });
});
