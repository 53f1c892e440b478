import { setTimeout as sleep } from 'node:timers/promises';
import { type Child, startChild } from '../support/child-process.ts';
import { startTestMongo } from '../support/mongo.ts';
import type { MeetingSourceCalls } from './support/meeting-source.ts';
import { cpuMs, watchMemory } from './support/proc.ts';
import { compared, type Figure, single } from './support/report.ts';
import { type BenchService, startService } from './support/service.ts';
import { alternate, median } from './support/stats.ts';

const MEETINGS = 2_000;
const SEGMENTS = 500;
const PAGE = 50;
const PAGES = MEETINGS / PAGE;
const PAIRS = 3;
const MEGABYTE = 1_000_000;
/** Requests of the benchmark itself are work of the service; the run has its exact times. */
const POLL_MS = 1_000;
const KEY = 'rec_bench';

interface Run {
  status: string;
  stored: number;
  pages: number;
  startedAt: string;
  finishedAt: string;
}

async function operation<T>(service: BenchService, key: string, query: string): Promise<T> {
  const { data, errors } = await service.request<{ data?: T; errors?: unknown }>('POST', '/graphql', key, {
    query,
  });
  if (!data || errors) throw new Error(JSON.stringify(errors));
  return data;
}

/** Waits until a tenant's stored meetings are indexed. */
async function indexed(service: BenchService, key: string): Promise<void> {
  const query = '{ meetingSearchBacklog }';
  while ((await operation<{ meetingSearchBacklog: number }>(service, key, query)).meetingSearchBacklog > 0)
    await sleep(POLL_MS);
}

/** A first sync of a tenant, and the milliseconds from its start to its end. */
async function sync(service: BenchService, key: string): Promise<number> {
  await operation(service, key, `mutation { connectRecorder(apiKey: "${KEY}") { status } }`);
  await operation(service, key, 'mutation { syncMeetings { id } }');
  for (;;) {
    const query = '{ recorderConnection { lastRun { status stored pages startedAt finishedAt } } }';
    const { recorderConnection } = await operation<{ recorderConnection: { lastRun: Run } }>(
      service,
      key,
      query,
    );
    const { status, stored, pages, startedAt, finishedAt } = recorderConnection.lastRun;
    if (status === 'succeeded' && stored === MEETINGS && pages === PAGES)
      return Date.parse(finishedAt) - Date.parse(startedAt);
    if (status !== 'running') throw new Error(`the sync ${status} with ${stored} meetings`);
    await sleep(POLL_MS);
  }
}

/** Reads the same pages without processing them: returns the time of the fake provider alone, in milliseconds. */
async function walk(url: string): Promise<number> {
  const startedAt = performance.now();
  let next: string | undefined = `${url}/meetings?limit=${PAGE}`;
  let pages = 0;
  while (next) {
    const response: Response = await fetch(next, { headers: { authorization: `Bearer ${KEY}` } });
    const text = await response.text();
    // Its last member: the page itself is not taken apart.
    next = /"next":"([^"]*)"\}$/.exec(text.slice(-2_000))?.[1];
    pages += 1;
  }
  if (pages !== PAGES) throw new Error(`the fake provider has ${pages} pages`);
  return performance.now() - startedAt;
}

/** Overhead of the connector in time and memory. */
export async function meetings(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack();
  const mongo = stack.adopt(await startTestMongo({ database: 'meetings' }), (started) => started.stop());
  const source: Child<MeetingSourceCalls> = stack.use(
    startChild(import.meta.resolve('./support/meeting-source.ts')),
  );
  const url = await source.call('start', { count: MEETINGS, segments: SEGMENTS });
  const service = stack.use(
    await startService(mongo.uri, {
      RECORDER_API_URL: url,
      CONNECTOR_PACING: '1ms',
      MEETING_SYNC_SCHEDULE: 'off',
    }),
  );
  const before = watchMemory(service.pid).stop().most;
  const gained: number[] = [];
  const cpu: number[] = [];
  const pairs = await alternate(
    PAIRS,
    async () => {
      using memory = watchMemory(service.pid);
      const key = await service.newKey(gained.length + 1);
      const cpuBefore = cpuMs(service.pid);
      const ms = await sync(service, key);
      await indexed(service, key);
      cpu.push((cpuMs(service.pid) - cpuBefore) / PAGES);
      gained.push((memory.stop().most - before) / MEGABYTE);
      return ms;
    },
    () => walk(url),
  );
  const perPage = pairs.map(({ subject, baseline }) => ({
    subject: subject / PAGES,
    baseline: baseline / PAGES,
  }));
  const added = perPage.map(({ subject, baseline }) => subject - baseline);
  return [
    compared(
      `a page of ${PAGE} meetings of ${SEGMENTS} segments against the fake provider alone, ms`,
      perPage,
    ),
    single('added to a page, ms', median(added), { atMost: 60 }),
    single('CPU time of the service, search index included, ms/page', median(cpu)),
    single(`resident memory gained by a sync of ${MEETINGS} meetings, most, MB`, gained[0] ?? Number.NaN, {
      atMost: 80,
    }),
    single(`resident memory gained by ${PAIRS} of them, most, MB`, Math.max(...gained)),
  ];
}
