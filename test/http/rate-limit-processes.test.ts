import type mongoose from 'mongoose';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/database/models.ts';
import { createSharedQuota, type SharedQuota } from '../../src/limits/shared-quota.ts';
import { freshDatabase } from '../support/databases.ts';
import { type ServiceProcess, shiftedClock } from '../support/process.ts';
import { createProcessGroup } from '../support/process-group.ts';

const LIMIT = 1_000;
const PATH = '/api/v1/event-types';

/** Starts processes that share a database and a limit, and creates a key. */
async function startProcesses(envs: Record<string, string>[]) {
  const { connection, start, newKey } = await createProcessGroup({ RATE_LIMIT: `${LIMIT}/10min` });
  const processes = await Promise.all(envs.map(start));
  const key = await newKey('--customer', '42', '--scope', 'read');
  return { processes, key, start, connection };
}

/** Sends requests, some at a time, and counts those that were accepted. */
async function hammer(
  { url }: Pick<ServiceProcess, 'url'>,
  { key, requests }: { key: string; requests: number },
): Promise<number> {
  let left = requests;
  let accepted = 0;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      const response = await fetch(url + PATH, { headers: { authorization: `Bearer ${key}` } });
      await response.arrayBuffer();
      if (response.status === 200) accepted += 1;
      else expect(response.status).toBe(429);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return accepted;
}

test('two processes with clocks that differ accept a limit together, and none exceeds it', async () => {
  const { processes, key, connection } = await startProcesses([{}, shiftedClock(7 * 60_000)]);
  for (const process of processes) expect(await hammer(process, { key, requests: 1 })).toBe(1);
  const accepted = await Promise.all(processes.map((process) => hammer(process, { key, requests: LIMIT })));
  const total = accepted.reduce((sum, count) => sum + count, processes.length);
  expect(total).toBeLessThanOrEqual(LIMIT);
  expect(total).toBeGreaterThanOrEqual(LIMIT * 0.95);
  expect(await connection.collection('quotaWindows').countDocuments()).toBe(1);
}, 300_000);

test('a limit holds when a process is killed and started again within the window', async () => {
  const { processes, key, start } = await startProcesses([{}, {}]);
  const [first, second] = processes as [ServiceProcess, ServiceProcess];
  let total = await hammer(first, { key, requests: 301 });
  total += await hammer(second, { key, requests: 155 });
  await first.end('SIGKILL');
  const restarted = await start();
  const rest = await Promise.all(
    [restarted, second].map((process) => hammer(process, { key, requests: LIMIT })),
  );
  total += rest.reduce((sum, count) => sum + count, 0);
  expect(total).toBeLessThanOrEqual(LIMIT);
  expect(total).toBeGreaterThanOrEqual(LIMIT * 0.95);
}, 300_000);

test('a process reserves points in chunks: few requests need a round trip', async () => {
  const { processes, key, connection } = await startProcesses([{ RATE_LIMIT: '60000/10min' }]);
  const [process] = processes as [ServiceProcess];
  const database = connection.db as mongoose.mongo.Db;
  await database.command({ profile: 2 });
  expect(await hammer(process, { key, requests: 250 })).toBe(250);
  await database.command({ profile: 0 });
  const reservations = await database
    .collection('system.profile')
    .countDocuments({ ns: `${database.databaseName}.quotaWindows` });
  expect(reservations).toBe(1);
});

describe('of several processes', () => {
  async function quotas(...limits: number[]) {
    const { connection, models } = await openDatabase(freshDatabase());
    onTestFinished(() => connection.close());
    return limits.map((requests) => createSharedQuota(models.QuotaWindow, { requests, windowMs: 600_000 }));
  }

  /** Takes points until the quota refuses one; returns their number. */
  async function exhaust(quota: SharedQuota | undefined): Promise<number> {
    let granted = 0;
    while ((await quota?.take('key', 1))?.granted) granted += 1;
    return granted;
  }

  test('nine that are hardly used leave the rest of the limit to the tenth', async () => {
    const [busy, ...others] = await quotas(...Array(10).fill(LIMIT));
    for (const quota of others) expect((await quota.take('key', 1)).granted).toBe(true);
    const granted = others.length + (await exhaust(busy));
    expect(granted).toBeLessThanOrEqual(LIMIT);
    expect(granted).toBeGreaterThanOrEqual(LIMIT * 0.95);
  });

  test('one that refuses an expensive operation leaves the rest of the limit to the others', async () => {
    const [refusing, other] = await quotas(LIMIT, LIMIT);
    expect(await refusing?.take('key', 700)).toMatchObject({ granted: true });
    const concurrent = await Promise.all([400, 400, 5, 400].map((points) => refusing?.take('key', points)));
    expect(concurrent.map((state) => state?.granted)).toEqual([false, false, true, false]);
    const granted = await exhaust(other);
    expect(granted).toBeLessThanOrEqual(295);
    expect(granted).toBeGreaterThanOrEqual(295 - LIMIT * 0.02);
    expect(granted + (await exhaust(refusing))).toBe(295);
  });

  test('one with a lower limit reports no negative quota and returns no points to the others', async () => {
    const [high, low, restarted] = await quotas(LIMIT, LIMIT / 10, LIMIT);
    expect(await exhaust(high)).toBe(LIMIT);
    expect(await low?.take('key', 1)).toMatchObject({ granted: false, remaining: 0 });
    expect(await exhaust(restarted)).toBe(0);
  });
});
