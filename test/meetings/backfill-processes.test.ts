import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/app.ts';
import type { ServiceProcess } from '../support/process.ts';
import { manyMeetings } from '../support/provider.ts';
import { BACKFILL, type LogEntry, PAUSE, RESUME } from './backfill-support.ts';
import { ask, processesBesideProvider } from './process-support.ts';
import { API_KEY, CONNECT, type Rows, type Run } from './support.ts';

const PAGE = 50;
const PAGES = 12;
const COUNT = PAGE * PAGES;
const RANGE = { since: '2020-01-01T00:00:00.000Z' };
const RUN = `{ meetingSyncRuns(first: 5) { edges { node {
  id status scope pages fetched stored updated error { code }
  log(first: 100) { edges { node { type page } } }
} } } }`;
/** Longer than the lease of a killed process, and several intervals in which available runs are claimed. */
const LEASE_MS = 14_000;

type LoggedRun = Run & { log: Rows<LogEntry> };

async function runAt(process: ServiceProcess, key: string): Promise<LoggedRun> {
  const { edges } = await ask<Rows<LoggedRun>>(process, key, RUN);
  expect(edges).toHaveLength(1);
  return edges[0]?.node as LoggedRun;
}

const over = (process: ServiceProcess, key: string): Promise<LoggedRun> =>
  eventually(async () => {
    const found = await runAt(process, key);
    return found.status !== 'running' && found;
  }, 60_000);

const typesOf = ({ log }: LoggedRun): string[] => log.edges.map(({ node }) => node.type).reverse();

/** Two processes beside a provider, and two connected tenants. */
async function cluster() {
  const { provider, models, startMany, newKey } = await processesBesideProvider(
    { meetings: manyMeetings(COUNT, 5) },
    { CONNECTOR_PACING: '50ms' },
  );
  const [first, second] = (await startMany(2)) as [ServiceProcess, ServiceProcess];
  const tenants = [];
  for (const customerId of [1, 2]) {
    const key = await newKey(customerId);
    await ask(first, key, CONNECT, { apiKey: `${API_KEY}_${customerId}` });
    tenants.push({ customerId, key, apiKey: `${API_KEY}_${customerId}` });
  }
  const pagesOf = (apiKey: string) =>
    provider.requests.filter(({ path, key }) => path.endsWith('/meetings') && key === apiKey).length;
  const [tenant, other] = tenants as [(typeof tenants)[0], (typeof tenants)[0]];
  /** Lets the provider answer only so many pages of the first tenant, so that its run does not end. */
  const hangAfter = (pages: number) =>
    provider.behave(({ key }) => (key === tenant.apiKey && pagesOf(key) > pages ? 'hang' : 'well'));
  return { provider, models, first, second, tenant, other, pagesOf, hangAfter };
}

describe('with two processes and two tenants', () => {
  test('a running backfill whose process is killed ends in the other one, with each meeting once', async () => {
    const { provider, models, first, second, tenant, other, pagesOf, hangAfter } = await cluster();
    hangAfter(5);
    const { id } = await ask<Run>(first, tenant.key, BACKFILL, RANGE);
    await ask<Run>(second, other.key, BACKFILL, RANGE);
    await eventually(async () => pagesOf(tenant.apiKey) >= 5);
    await first.end('SIGKILL');
    provider.behave('well');
    const run = await over(second, tenant.key);
    expect(run).toMatchObject({ id, status: 'succeeded', scope: 'range', pages: PAGES, fetched: COUNT });
    expect(run).toMatchObject({ stored: COUNT, updated: 0 });
    expect(typesOf(run).filter((type) => type === 'started' || type === 'claimed')).toEqual([
      'started',
      'claimed',
    ]);
    expect(await over(second, other.key)).toMatchObject({ status: 'succeeded', stored: COUNT });
    for (const { customerId } of [tenant, other])
      expect(await models.Meeting.countDocuments({ customerId })).toBe(COUNT);
  });

  test('a paused backfill survives the death of its process, and is resumed by the other one', async () => {
    const { provider, models, first, second, tenant, other, pagesOf, hangAfter } = await cluster();
    hangAfter(4);
    const { id } = await ask<Run>(first, tenant.key, BACKFILL, RANGE);
    await eventually(async () => pagesOf(tenant.apiKey) >= 4);
    // Paused by the process that does not work on it, which the other one notices by its lease.
    const paused = await ask<Run>(second, tenant.key, PAUSE);
    expect(paused).toMatchObject({ id, status: 'paused' });
    await first.end('SIGKILL');
    provider.behave('well');
    const asked = pagesOf(tenant.apiKey);
    await sleep(LEASE_MS);
    expect(pagesOf(tenant.apiKey)).toBe(asked);
    expect(await runAt(second, tenant.key)).toMatchObject({ id, status: 'paused', pages: paused.pages });
    // It does not delay another tenant.
    await ask<Run>(second, other.key, BACKFILL, RANGE);

    expect(await ask<Run>(second, tenant.key, RESUME)).toMatchObject({ id, status: 'running' });
    const run = await over(second, tenant.key);
    expect(run).toMatchObject({ id, status: 'succeeded', pages: PAGES, fetched: COUNT, stored: COUNT });
    expect(run.updated).toBe(0);
    expect(typesOf(run)).toEqual(expect.arrayContaining(['started', 'paused', 'resumed', 'claimed']));
    // At most the page in progress is fetched twice.
    expect(pagesOf(tenant.apiKey)).toBeLessThanOrEqual(PAGES + 2);
    expect(await over(second, other.key)).toMatchObject({ status: 'succeeded', stored: COUNT });
    for (const { customerId } of [tenant, other])
      expect(await models.Meeting.countDocuments({ customerId })).toBe(COUNT);
    expect(await second.end('SIGTERM')).toBe(0);
  });
});
