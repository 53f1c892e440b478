import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { coherenceModel } from '../../src/platform/coherence/coherence.store.ts';
import { connectMongo } from '../../src/platform/mongo/connect.ts';
import { type CoherenceProcess, startCoherenceProcess } from '../support/coherence-process.ts';
import { eventually } from '../support/eventually.ts';
import { sizeOf } from '../support/full-size.ts';
import { startTestMongo, type TestMongo } from '../support/mongo.ts';

/** The contract says 2.2 s; the rest is for a slow machine. */
const MAX_WAIT_MS = 3_500;
const LEASE_MS = 2_000;

let mongo: TestMongo;
let connection: Connection;

async function openStore(uri: string): Promise<Connection> {
  const opened = await connectMongo(uri);
  await coherenceModel(opened).createCollection();
  await coherenceModel(opened).createIndexes();
  return opened;
}

beforeAll(async () => {
  mongo = await startTestMongo({ expiresPromptly: true });
  connection = await openStore(mongo.uri);
});
afterAll(async () => {
  await connection.close();
  await mongo.stop();
});

const coherence = () => coherenceModel(connection);
const registrations = () => coherence().countDocuments({ type: 'process' });
const fences = () => coherence().countDocuments({ type: 'fence' });

/** Starts processes, and stores values that begin with 0. */
async function starting(count: number, keys: string[], { uri, db } = { uri: mongo.uri, db: connection }) {
  await coherenceModel(db).deleteMany({});
  const values = db.collection<{ _id: string; value: number }>('values');
  await values.deleteMany({});
  await values.insertMany(keys.map((_id) => ({ _id, value: 0 })));
  const processes = await Promise.all(Array.from({ length: count }, () => startCoherenceProcess(uri)));
  onTestFinished(async () => {
    await Promise.all(processes.map((process) => process.end('SIGKILL')));
  });
  return processes as [CoherenceProcess, CoherenceProcess, CoherenceProcess];
}

/** Reads a key until the process serves it from its cache. */
async function warm(process: CoherenceProcess, key: string): Promise<void> {
  await eventually(async () => {
    const before = await process.call('loads');
    for (let i = 0; i < 10; i += 1) await process.call('read', key);
    return (await process.call('loads')) === before;
  });
}

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const startedAt = performance.now();
  return { value: await work(), ms: performance.now() - startedAt };
}

/** Reads keys in all processes until it is stopped; each read must return the latest change answered before it. */
function keepReading(processes: CoherenceProcess[], answered: Map<string, number>) {
  let stopped = false;
  let reads = 0;
  const stale: string[] = [];
  const readers = processes.map(async (_, index) => {
    while (!stopped) {
      await Promise.all(
        [...answered].map(async ([key, least]) => {
          const value = await processes[index]?.call('read', key).catch(() => null);
          if (value === null || value === undefined) return;
          reads += 1;
          if (value < least) stale.push(`${key}: ${value} after ${least}`);
        }),
      );
      await sleep(5);
    }
  });
  return {
    stale,
    async stop() {
      stopped = true;
      await Promise.all(readers);
      return reads;
    },
  };
}

test('a change is visible in every process once it is answered', async () => {
  const processes = await starting(3, ['a', 'b']);
  for (const process of processes) for (const key of ['a', 'b']) await warm(process, key);
  const answered = new Map([
    ['a', 0],
    ['b', 0],
  ]);
  const reading = keepReading(processes, answered);
  for (let i = 0; i < 15; i += 1)
    for (const key of ['a', 'b']) {
      const value = await processes[i % 3]?.call('write', key);
      answered.set(key, value ?? 0);
    }
  const reads = await reading.stop();
  expect(reading.stale).toEqual([]);
  expect(reads).toBeGreaterThan(100);
  expect(answered.get('a')).toBe(15);
  expect(await fences()).toBe(0);
});

test('no read is stale while processes write, pause, die and start at random', async () => {
  const keys = ['a', 'b', 'c', 'd'];
  const processes: CoherenceProcess[] = await starting(3, keys);
  const answered = new Map(keys.map((key) => [key, 0]));
  const reading = keepReading(processes, answered);
  const until = performance.now() + sizeOf({ small: 5_000, full: 10_000 });
  const any = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T;
  let writes = 0;
  // Each change waits for the process that is stopped or was killed: a loaded machine makes few in the time.
  const goesOn = () => performance.now() < until || writes <= 10;
  const writing = [1, 2, 3].map(async () => {
    while (goesOn()) {
      const key = any(keys);
      const value = await any(processes)
        .call('write', key)
        .catch(() => null);
      // Values only grow, so a later answer of another change does not lower what a read must return.
      if (value !== null) answered.set(key, Math.max(answered.get(key) ?? 0, value));
      writes += value === null ? 0 : 1;
      await sleep(Math.random() * 100);
    }
  });
  while (goesOn()) {
    const index = Math.floor(Math.random() * 3);
    const victim = processes[index] as CoherenceProcess;
    if (Math.random() < 0.25) {
      await victim.end('SIGKILL');
      processes[index] = await startCoherenceProcess(mongo.uri);
      onTestFinished(() => processes[index]?.end('SIGKILL'));
    } else {
      process.kill(victim.pid, 'SIGSTOP');
      await sleep(Math.random() * 3_500);
      process.kill(victim.pid, 'SIGCONT');
    }
    await sleep(Math.random() * 500);
  }
  await Promise.all(writing);
  const reads = await reading.stop();
  console.info(`${writes} changes, ${reads} reads`);
  expect(reading.stale).toEqual([]);
  expect(writes).toBeGreaterThan(10);
  expect(reads).toBeGreaterThan(100);
});

describe('a process that does not acknowledge a change', () => {
  test('delays one change if it was killed, and not the next one', async () => {
    const [writer, reader, victim] = await starting(3, ['a']);
    for (const process of [reader, victim]) await warm(process, 'a');
    await victim.end('SIGKILL');
    const first = await timed(() => writer.call('write', 'a'));
    expect(await reader.call('read', 'a')).toBe(1);
    const next = await timed(() => writer.call('write', 'a'));
    expect(await reader.call('read', 'a')).toBe(2);
    console.info(`after a kill: ${Math.round(first.ms)} ms, then ${Math.round(next.ms)} ms`);
    expect(first.ms).toBeGreaterThan(LEASE_MS);
    expect(first.ms).toBeLessThan(MAX_WAIT_MS);
    expect(next.ms).toBeLessThan(1_500);
  });

  test('serves nothing stale after it was paused across a change', async () => {
    const [writer, reader] = await starting(2, ['a', 'b']);
    for (const key of ['a', 'b']) await warm(reader, key);
    for (let round = 1; round <= 2; round += 1) {
      process.kill(reader.pid, 'SIGSTOP');
      // The second change does not wait for the paused process any more.
      expect(await writer.call('write', 'a')).toBe(round);
      expect(await writer.call('write', 'b')).toBe(round);
      const reads = ['a', 'b'].map((key) => reader.call('read', key));
      process.kill(reader.pid, 'SIGCONT');
      expect(await Promise.all(reads)).toEqual([round, round]);
      await warm(reader, 'a');
      expect([await reader.call('read', 'a'), await reader.call('read', 'b')]).toEqual([round, round]);
    }
  });

  test('delays nothing after it was idle or has ended gracefully', async () => {
    const [writer, reader, third] = await starting(3, ['a']);
    for (const process of [reader, third]) await warm(process, 'a');
    expect(await registrations()).toBe(2);
    await third.end('SIGTERM');
    expect(await registrations()).toBe(1);
    const during = await timed(() => writer.call('write', 'a'));
    // It does not read fences while its cache is not in use.
    await eventually(async () => (await registrations()) === 0, 15_000);
    const after = await timed(() => writer.call('write', 'a'));
    for (const { ms } of [during, after]) expect(ms).toBeLessThan(1_500);
    expect(await reader.call('read', 'a')).toBe(2);
  });
});

describe('a writer that is killed', () => {
  /** Lets MongoDB remove the fences as expired. */
  async function expireFences() {
    await coherence().updateMany({ type: 'fence' }, { $set: { expiresAt: new Date(0) } });
    await eventually(async () => (await fences()) === 0, 30_000);
  }

  test.each(['writeHeldBefore', 'writeHeldAfter'] as const)('leaves no stale value: %s', async (type) => {
    const [writer, reader, other] = await starting(3, ['a']);
    for (const process of [reader, other]) await warm(process, 'a');
    const write = writer.call(type, 'a').catch(() => null);
    await writer.reached(type === 'writeHeldBefore' ? 'a before' : 'a after');
    await writer.end('SIGKILL');
    expect(await write).toBeNull();
    const value = type === 'writeHeldBefore' ? 0 : 1;
    expect(await Promise.all([reader, other].map((process) => process.call('read', 'a')))).toEqual([
      value,
      value,
    ]);
    // The first change also waits for the killed process, if that was registered.
    expect(await other.call('write', 'a')).toBe(value + 1);
    expect((await timed(() => other.call('write', 'a'))).ms).toBeLessThan(1_500);
    expect(await reader.call('read', 'a')).toBe(value + 2);
    expect(await fences()).toBe(1);
    await expireFences();
    for (const process of [reader, other]) await warm(process, 'a');
    expect(await reader.call('read', 'a')).toBe(value + 2);
  });

  test('leaves no stale value: while it waits for acknowledgements', async () => {
    const [writer, reader, paused] = await starting(3, ['a']);
    for (const process of [reader, paused]) await warm(process, 'a');
    process.kill(paused.pid, 'SIGSTOP');
    const write = writer.call('write', 'a').catch(() => null);
    await eventually(async () => (await fences()) === 1);
    await writer.end('SIGKILL');
    expect(await write).toBeNull();
    process.kill(paused.pid, 'SIGCONT');
    expect(await reader.call('write', 'a')).toBe(1);
    expect(await paused.call('read', 'a')).toBe(1);
    await expireFences();
    for (const process of [reader, paused]) await warm(process, 'a');
    expect((await timed(() => reader.call('write', 'a'))).ms).toBeLessThan(1_500);
    expect(await paused.call('read', 'a')).toBe(2);
  });
});

test('a writer whose fence expired before its change raises another one before it answers', async () => {
  const [writer, reader] = await starting(2, ['a']);
  await warm(reader, 'a');
  for (let round = 1; round <= 3; round += 1) {
    const write = writer.call('writeHeldBefore', 'a');
    await eventually(async () => (await fences()) === 1);
    await writer.reached('a before');
    await sleep(50);
    await coherence().deleteMany({ type: 'fence' });
    // Without a fence, the old value is cached again.
    await warm(reader, 'a');
    expect(await reader.call('read', 'a')).toBe(round - 1);
    await writer.call('continue', 'a');
    expect(await write).toBe(round);
    expect(await reader.call('read', 'a')).toBe(round);
    expect(await fences()).toBe(0);
  }
});

test('a process without the database serves its cache for at most the lease', async () => {
  const [reader] = await starting(1, ['a']);
  await warm(reader, 'a');
  const { pid = 0 } = mongo.members[0] ?? {};
  process.kill(pid, 'SIGSTOP');
  onTestFinished(() => void process.kill(pid, 'SIGCONT'));
  await sleep(LEASE_MS + 100);
  let answered = false;
  const read = reader.call('read', 'a').finally(() => {
    answered = true;
  });
  await sleep(1_000);
  expect(answered).toBe(false);
  process.kill(pid, 'SIGCONT');
  expect(await read).toBe(0);
  await warm(reader, 'a');
});

test('no read is stale across step-downs of the primary', async () => {
  const set = await startTestMongo({ members: 3 });
  const db = await openStore(set.uri);
  onTestFinished(async () => {
    await db.close();
    await set.stop();
  });
  const processes = await starting(3, ['a', 'b'], { uri: set.uri, db });
  const answered = new Map([
    ['a', 0],
    ['b', 0],
  ]);
  const reading = keepReading(processes, answered);
  let writes = 0;
  for (let round = 0; round < 2; round += 1) {
    const stepDown = set.stepDown().catch(() => {});
    for (let i = 0; i < 12; i += 1) {
      const key = i % 2 ? 'a' : 'b';
      const value = await processes[i % 3]?.call('write', key).catch(() => null);
      if (typeof value !== 'number') continue;
      answered.set(key, Math.max(answered.get(key) ?? 0, value));
      writes += 1;
    }
    await stepDown;
  }
  const reads = await reading.stop();
  console.info(`${writes} changes, ${reads} reads`);
  expect(reading.stale).toEqual([]);
  expect(writes).toBeGreaterThan(10);
});

test('a process serves no cached value while a majority does not confirm that its primary is still one', async () => {
  const set = await startTestMongo({ members: 3 });
  const db = await openStore(set.uri);
  onTestFinished(async () => {
    await db.close();
    await set.stop();
  });
  const [process] = await starting(1, ['a'], { uri: set.uri, db });
  await warm(process, 'a');
  await set.lockSecondaries();
  await process.call('read', 'a');
  // In use, so that the process tries to renew its lease.
  const deadline = performance.now() + LEASE_MS;
  while (performance.now() < deadline) await process.call('read', 'a');
  const values = db.collection<{ _id: string; value: number }>('values');
  for (let value = 1; value <= 5; value += 1) {
    // Without a fence, as a change on the other side of a partition.
    await values.updateOne({ _id: 'a' }, { $set: { value } }, { writeConcern: { w: 1 } });
    expect(await process.call('read', 'a')).toBe(value);
  }
  await set.unlockSecondaries();
  await warm(process, 'a');
});

describe('work that uses a value after it has read it', () => {
  test('is awaited in every process, also in the one that asks; later work is not', async () => {
    const [one, two] = await starting(2, ['a']);
    for (const holder of [one, two]) {
      const working = holder.call('readAndHold', 'a');
      await holder.reached('a read');
      await two.call('write', 'a');
      expect(await two.call('awaitHoldersBriefly', 'a')).toBe(0);
      await holder.call('continue', 'a');
      const before = await working;
      expect(await two.call('awaitHolders', 'a')).toBe(1);
      expect(await holder.call('read', 'a')).toBe(before + 1);
    }
    const other = one.call('readAndHold', 'b');
    await one.reached('b read');
    expect(await two.call('awaitHolders', 'a')).toBe(1);
    await one.call('continue', 'b');
    await other;
    expect(await fences()).toBe(0);
  });

  test('is awaited for longer than others take that begin in turn meanwhile', async () => {
    const [one, two] = await starting(2, ['a']);
    const first = one.call('readAndHold', 'a');
    await one.reached('a read');
    const awaited = two.call('awaitHolders', 'a');
    await eventually(async () => (await fences()) === 1);
    await sleep(LEASE_MS);
    const later = two.call('readAndHold', 'a');
    await two.reached('a read');
    await one.call('continue', 'a');
    await first;
    expect(await awaited).toBe(1);
    await two.call('continue', 'a');
    await later;
  });

  test('keeps its process registered, and counts for some seconds after that was expelled', async () => {
    const [one, two] = await starting(2, ['a']);
    const working = one.call('readAndHold', 'a').catch(() => null);
    await one.reached('a read');
    await sleep(6_000);
    expect(await registrations()).toBe(1);
    expect(await two.call('awaitHoldersBriefly', 'a')).toBe(0);
    await one.end('SIGKILL');
    await working;
    expect(await two.call('awaitHoldersBriefly', 'a')).toBe(0);
    expect(await registrations()).toBe(0);
    await eventually(async () => (await two.call('awaitHolders', 'a')) === 1, 15_000);
  });
});
