import { Types } from 'mongoose';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { syncLogStore } from '../../src/features/meetings/sync/sync-log.store.ts';
import { eventually } from '../support/eventually.ts';
import { from, meetingJson, tooMany } from '../support/provider.ts';
import { entriesOf, LOG, logOf } from './backfill-support.ts';
import {
  API_KEY,
  CANCEL,
  type Connector,
  codeOf,
  connectedTenant,
  ended,
  startConnector,
  startSync,
  syncOf,
} from './support.ts';

let on: Connector;

beforeAll(async () => {
  on = await startConnector({ count: 120 });
});
afterAll(() => on.stop());
afterEach(() => on.provider.behave('well'));

test('the log of a sync has its pages, waits, refusals, warnings and rejections', async () => {
  const { app, provider } = on;
  const tenant = await connectedTenant(app);
  provider.script(
    'well',
    tooMany(),
    { status: 503 },
    {
      change: (page) => ({
        ...page,
        next: null,
        meetings: [
          { ...meetingJson(1), title: { secret: 'Secretive' } },
          { id: 'm_odd', created_at: 'Secretive' },
          { created_at: '2026-01-01T00:00:00Z', title: 'Secretive' },
        ],
      }),
    },
  );
  const { id } = await syncOf(app, tenant);
  const entries = await entriesOf(app, tenant, id);
  const shown = entries.map(({ type, page, count, detail }) => [type, page, count, detail]);
  expect(shown).toEqual([
    ['started', 1, null, null],
    ['page', 1, 50, null],
    ['rate_limited', 2, null, null],
    ['wait', 2, null, 'backoff'],
    ['attempt_failed', 2, null, 'HTTP 503'],
    ['wait', 2, null, 'backoff'],
    ['page', 2, 3, null],
    ['warnings', 2, 1, null],
    ['rejections', 2, 2, expect.stringMatching(/^m_odd: created_at: .+; id: .+$/)],
  ]);
  for (const { type, durationMs, at } of entries) {
    if (type === 'wait') expect(durationMs).toBe(1_000);
    else if (type === 'page') expect(durationMs).toBeGreaterThan(0);
    else expect(durationMs).toBeNull();
    expect(Date.parse(at)).not.toBeNaN();
  }
  const text = JSON.stringify(entries);
  for (const secret of ['Secretive', API_KEY, '@example.com', 'Guest', 'What was said'])
    expect(text).not.toContain(secret);
});

test('the log of a running sync has the pages so far', async () => {
  const { app, provider } = on;
  const tenant = await connectedTenant(app);
  provider.behave(from(provider.requests.length + 1, 'hang'));
  const { id } = await startSync(app, tenant);
  await eventually(async () => {
    const entries = await entriesOf(app, tenant, id);
    expect(entries.map(({ type, page }) => [type, page])).toEqual([
      ['started', 1],
      ['page', 1],
    ]);
    return true;
  });
  const cancelled = await app.graphql(CANCEL, {}, tenant.write);
  expect(cancelled.body.data).toMatchObject({ cancelMeetingSync: { id, status: 'cancelled' } });
});

test('the log names the waits that the provider advises', async () => {
  const { app, provider } = on;
  const tenant = await connectedTenant(app);
  provider.script(tooMany('2'));
  const { id } = await syncOf(app, tenant);
  const entries = await entriesOf(app, tenant, id);
  expect(entries.slice(0, 3).map(({ type, durationMs, detail }) => [type, durationMs, detail])).toEqual([
    ['started', null, null],
    ['rate_limited', null, null],
    ['wait', 2_000, 'retry_after'],
  ]);
});

test('the log is paged, newest first, and belongs to its tenant and its sync', async () => {
  const { app } = on;
  const [tenant, other] = [await connectedTenant(app), await connectedTenant(app)];
  const [{ id }, second] = [await syncOf(app, tenant), await syncOf(app, tenant)];
  const foreign = await syncOf(app, other);
  const seen: [string, number | null][] = [];
  let after: string | null = null;
  do {
    const page = await logOf(app, tenant, { id, first: 2, after });
    for (const { node } of page?.edges ?? []) seen.push([node.type, node.page]);
    after = page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after);
  expect(seen).toEqual([
    ['page', 3],
    ['page', 2],
    ['page', 1],
    ['started', 1],
  ]);
  for (const wrong of [foreign.id, '0'.repeat(24), 'x', '', '$ne', '%00'])
    expect(await logOf(app, tenant, { id: wrong })).toBeNull();
  const cursor = (await logOf(app, tenant, { id, first: 1 }))?.pageInfo.endCursor;
  for (const variables of [
    { id: second.id, after: cursor },
    { id, after: 'x' },
    { id, first: 0 },
    { id, first: 101 },
    { id: { $ne: null } },
  ])
    expect(codeOf(await app.graphql(LOG, variables, tenant.read))).toBe('VALIDATION_FAILED');
});

test('the log keeps the newest 1,000 entries', async () => {
  const { app, provider } = on;
  const { MeetingSyncLog } = app.models;
  const tenant = await connectedTenant(app);
  const start = provider.requests.length;
  const [EARLIER, PAGES] = [995, 15];
  provider.behave((_request, index) => ({
    change: () => ({
      meetings: [],
      next_cursor: index - start + 1 < PAGES ? `at-${index - start + 1}` : null,
    }),
  }));
  const { id } = await startSync(app, tenant);
  // As many as a thousand pages would leave.
  const earlier = {
    at: app.clock.now(),
    type: 'page' as const,
    page: 1,
    count: 0,
    durationMs: 1,
    detail: null,
  };
  await syncLogStore(app.models).append(tenant, new Types.ObjectId(id), Array(EARLIER).fill(earlier));
  const { pages } = await ended(app, tenant, id);
  expect(pages).toBe(PAGES);
  let count = 0;
  for (let after: string | null = null, more = true; more; ) {
    const page = await logOf(app, tenant, { id, first: 100, after });
    count += page?.edges.length ?? 0;
    more = page?.pageInfo.hasNextPage ?? false;
    after = page?.pageInfo.endCursor ?? null;
  }
  expect(count).toBe(1_000);
  const [oldest] = await MeetingSyncLog.find({ customerId: tenant.customerId }).sort({ _id: 1 }).limit(1);
  // The first entry has the number 0 and is the start of the sync.
  expect(oldest?._id).toMatch(/:0*11$/);
});
