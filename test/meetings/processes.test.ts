import { describe, expect, test } from 'vitest';
import { eventually } from '../support/app.ts';
import type { ServiceProcess } from '../support/process.ts';
import { fathomApi, manyMeetings, type ProviderRequest, type TestProvider } from '../support/provider.ts';
import { ask, processesBesideProvider } from './process-support.ts';
import { API_KEY, CONNECT, type Rows, type Run, SYNC } from './support.ts';

const PAGE = 50;
const RUNS = `{ meetingSyncRuns { edges { node {
  id status pages fetched stored updated rejected error { code message }
} } } }`;

const connect = (process: ServiceProcess, key: string, apiKey = API_KEY) =>
  ask(process, key, CONNECT, { apiKey });

async function runsAt(process: ServiceProcess, key: string): Promise<Run[]> {
  const { edges } = await ask<{ edges: { node: Run }[] }>(process, key, RUNS);
  return edges.map(({ node }) => node);
}

const over = (process: ServiceProcess, key: string, timeoutMs: number): Promise<Run> =>
  eventually(async () => {
    const [run] = await runsAt(process, key);
    return run?.status !== 'running' && run;
  }, timeoutMs);

const pagesOf = ({ requests }: TestProvider, apiKey = API_KEY): ProviderRequest[] =>
  requests.filter(({ path, key }) => path.endsWith('/meetings') && key === apiKey);

/** Number of requests per page. */
const timesAsked = (provider: TestProvider): number[] => [
  ...Map.groupBy(pagesOf(provider), ({ query }) => query.cursor ?? 'first')
    .values()
    .map((requests) => requests.length),
];

describe('a sync whose process', () => {
  const MEETINGS = 1_000;
  const PAGES = MEETINGS / PAGE;

  test('is killed in page 7 of 20 resumes from its checkpoint, and stores each meeting once', async () => {
    const { provider, models, start, newKey } = await processesBesideProvider({
      meetings: manyMeetings(MEETINGS, 5),
    });
    const first = await start();
    const key = await newKey(7);
    await connect(first, key);
    const before = provider.requests.length;
    const { id } = await ask<Run>(first, key, SYNC);
    await provider.waitFor(before + 7);
    await first.end('SIGKILL');
    const stored = await models.Meeting.countDocuments();
    expect(stored).toBeGreaterThanOrEqual(5 * PAGE);
    expect(stored).toBeLessThanOrEqual(8 * PAGE);

    const second = await start();
    // The clock's lock and the sync's lease of the process that is gone run out first, 10 s each.
    const run = await over(second, key, 60_000);
    expect(run).toMatchObject({
      id,
      status: 'succeeded',
      pages: PAGES,
      fetched: MEETINGS,
      stored: MEETINGS,
      updated: 0,
    });
    const times = timesAsked(provider);
    expect(times).toHaveLength(PAGES);
    expect(times.filter((count) => count > 1).length).toBeLessThanOrEqual(1);
    expect(Math.max(...times)).toBeLessThanOrEqual(2);
    for (const model of [models.Meeting, models.MeetingActivity, models.MeetingTranscript])
      expect(await (model as typeof models.Meeting).countDocuments()).toBe(MEETINGS);
    const ids = await models.Meeting.distinct('recorderMeetingId');
    expect(ids).toHaveLength(MEETINGS);
    expect(await second.end('SIGTERM')).toBe(0);
  });

  test('is killed while it reads Fathom resumes as well, and stores each meeting once', async () => {
    const api = fathomApi({ limits: { light: 1_000, heavy: 1_000 } });
    const { provider, models, start, newKey } = await processesBesideProvider(
      { meetings: manyMeetings(120, 5), api },
      { RECORDER_PROVIDER: 'fathom' },
    );
    const first = await start();
    const key = await newKey(7);
    await connect(first, key);
    const before = provider.requests.length;
    const { id } = await ask<Run>(first, key, SYNC);
    await provider.waitFor(before + 5);
    await first.end('SIGKILL');

    const second = await start();
    const run = await over(second, key, 60_000);
    expect(run).toMatchObject({ id, status: 'succeeded', pages: 12, fetched: 120, stored: 120, updated: 0 });
    expect(await models.Meeting.countDocuments()).toBe(120);
    expect(await models.MeetingTranscript.countDocuments()).toBe(120);
    expect(Math.max(...timesAsked(provider))).toBeLessThanOrEqual(2);
    expect(await second.end('SIGTERM')).toBe(0);
  });

  test('is stopped continues in another process at once', async () => {
    const { provider, start, newKey } = await processesBesideProvider({
      meetings: manyMeetings(MEETINGS, 5),
    });
    const [first, second] = [await start(), await start()];
    const key = await newKey(7);
    await connect(first, key);
    const before = provider.requests.length;
    const { id } = await ask<Run>(first, key, SYNC);
    await provider.waitFor(before + 7);
    expect(await first.end('SIGTERM')).toBe(0);
    const stoppedAt = performance.now();
    const asked = provider.requests.length;
    await provider.waitFor(asked + 1);
    // It does not wait for a lease to run out.
    expect(performance.now() - stoppedAt).toBeLessThan(5_000);
    expect(await over(second, key, 30_000)).toMatchObject({
      id,
      status: 'succeeded',
      pages: PAGES,
      stored: MEETINGS,
      updated: 0,
    });
    expect(timesAsked(provider).filter((count) => count > 1).length).toBeLessThanOrEqual(1);
    expect(await second.end('SIGTERM')).toBe(0);
  });
});

test('a process that is killed while it indexes leaves the meetings to the next one, each found once', async () => {
  const MEETINGS = 600;
  const { models, start, newKey } = await processesBesideProvider({ meetings: manyMeetings(MEETINGS, 40) });
  const first = await start();
  const key = await newKey(7);
  await connect(first, key);
  await ask<Run>(first, key, SYNC);
  // Between the batches: some meetings are searchable, and others have postings at most.
  const [isIndexed, isNot] = [{ indexedAs: { $gte: 0 } }, { indexedAs: null }];
  await eventually(
    async () =>
      (await models.Meeting.countDocuments(isIndexed)) > 0 &&
      (await models.Meeting.countDocuments(isNot)) > 0,
    30_000,
  );
  await first.end('SIGKILL');
  expect(await models.Meeting.countDocuments(isNot)).toBeGreaterThan(0);

  const second = await start();
  expect(await over(second, key, 60_000)).toMatchObject({ status: 'succeeded', stored: MEETINGS });
  await eventually(async () => (await ask<number>(second, key, '{ meetingSearchBacklog }')) === 0, 60_000);
  const query = `query ($after: String) { meetingSearch(query: "meeting", first: 100, after: $after) {
    edges { node { meeting { recorderMeetingId } } } pageInfo { hasNextPage endCursor } } }`;
  const found: string[] = [];
  let after: string | null = null;
  do {
    const page: Rows<{ meeting: { recorderMeetingId: string } }> = await ask(second, key, query, { after });
    found.push(...page.edges.map(({ node }) => node.meeting.recorderMeetingId));
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after !== null);
  expect(found).toHaveLength(MEETINGS);
  expect(new Set(found).size).toBe(MEETINGS);
  expect(await second.end('SIGTERM')).toBe(0);
});

test('two processes and three tenants: one sync each, with independent pacing per key', async () => {
  const PACING_MS = 250;
  const PAGES = 10;
  const { provider, models, start, newKey } = await processesBesideProvider(
    { meetings: manyMeetings(PAGES * PAGE, 5) },
    { CONNECTOR_PACING: `${PACING_MS}ms` },
  );
  let open = 0;
  let mostOpen = 0;
  const processes = [await start(), await start()] as const;
  const tenants = [];
  for (const customerId of [1, 2, 3]) {
    const apiKey = `${API_KEY}_${customerId}`;
    const key = await newKey(customerId);
    await connect(processes[0], key, apiKey);
    tenants.push({ key, apiKey });
  }
  provider.behave(() => {
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    setTimeout(() => {
      open -= 1;
    }, 100);
    return { delayMs: 100 };
  });
  // Each is asked for in both processes at once.
  const ids = await Promise.all(
    tenants.map(async ({ key }) => {
      const both = await Promise.all(processes.map((process) => ask<Run>(process, key, SYNC)));
      return new Set(both.map(({ id }) => id));
    }),
  );
  expect(ids.map((set) => set.size)).toEqual([1, 1, 1]);
  for (const { key } of tenants)
    expect(await over(processes[1], key, 30_000)).toMatchObject({
      status: 'succeeded',
      stored: PAGES * PAGE,
    });

  const spans: { first: number; last: number }[] = [];
  for (const { apiKey, key } of tenants) {
    expect(await runsAt(processes[0], key)).toHaveLength(1);
    const at = pagesOf(provider, apiKey).map((request) => request.at);
    expect(at).toHaveLength(PAGES);
    spans.push({ first: Math.min(...at), last: Math.max(...at) });
    // In all, since a stall of this process shortens single gaps between arrivals.
    expect(Math.max(...at) - Math.min(...at)).toBeGreaterThan(0.9 * (PAGES - 1) * PACING_MS);
  }
  // Not in turns: each had begun before any had ended.
  expect(Math.max(...spans.map(({ first }) => first))).toBeLessThan(
    Math.min(...spans.map(({ last }) => last)),
  );
  expect(mostOpen).toBeGreaterThan(1);
  expect(await models.Meeting.countDocuments()).toBe(3 * PAGES * PAGE);
  expect(await Promise.all(processes.map((process) => process.end('SIGTERM')))).toEqual([0, 0]);
});
