import { setTimeout as sleep } from 'node:timers/promises';
import mongoose, { type Connection } from 'mongoose';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createDatabaseClock, timeOfHolder } from '../../src/platform/mongo/database-clock.ts';
import { freshDatabase } from '../support/databases.ts';
import { startTestMongo } from '../support/mongo.ts';

/** Two processes on one machine; a slow machine may delay a reading. */
const TOLERANCE_MS = 1_000;

/** Interval of the readings. */
const SYNC_INTERVAL_MS = 10_000;
const SILENCE_MS = 6_000;

const log = pino({ level: 'silent' });

let connection: Connection;
beforeAll(async () => {
  connection = await mongoose.createConnection(freshDatabase()).asPromise();
});
afterAll(() => connection.close());

test('the clock has the time of the primary', async () => {
  const clock = await createDatabaseClock(connection, log);
  expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(TOLERANCE_MS);
  clock.close();
});

test('the primary that holds a collection states its time, as routers need it', async () => {
  await connection.collection('counters').insertOne({});
  const db = connection.getClient().db(connection.name);
  const time = await timeOfHolder(db, 'counters');
  expect(Math.abs(time.getTime() - Date.now())).toBeLessThan(TOLERANCE_MS);
});

/** Difference from the time of the primary, which runs on this machine. */
const errorMs = (clock: { now(): Date }): number => clock.now().getTime() - Date.now();

test('a reading that the database answers late does not change the clock', async () => {
  const mongo = await startTestMongo();
  const direct = await mongoose.createConnection(mongo.uri).asPromise();
  const { pid } = mongo.members[0] ?? { pid: 0 };
  const clock = await createDatabaseClock(direct, log);
  try {
    await sleep(SYNC_INTERVAL_MS - 1_000);
    process.kill(pid, 'SIGSTOP');
    await sleep(SILENCE_MS);
    process.kill(pid, 'SIGCONT');
    const errors: number[] = [];
    for (let i = 0; i < 100; i += 1) {
      errors.push(Math.abs(errorMs(clock)));
      await sleep(10);
    }
    expect(Math.max(...errors)).toBeLessThan(TOLERANCE_MS);
  } finally {
    process.kill(pid, 'SIGCONT');
    clock.close();
    await direct.close();
    await mongo.stop();
  }
});

describe('after the machine was suspended or its clock was set', () => {
  /** The clocks of a machine whose monotonic clock has stood still, and whose wall clock is wrong. */
  async function machine() {
    let suspendedMs = 0;
    let wrongMs = 0;
    const clock = await createDatabaseClock(connection, log, {
      monotonic: () => performance.now() - suspendedMs,
      wall: () => Date.now() + wrongMs,
      uptime: () => performance.now(),
    });
    onTestFinished(() => clock.close());
    return {
      clock,
      async suspend(ms: number): Promise<void> {
        await sleep(ms);
        suspendedMs += ms;
      },
      setForward(ms: number): void {
        wrongMs += ms;
      },
    };
  }

  test('the first time that the clock gives is not in the past', async () => {
    const { clock, suspend } = await machine();
    await suspend(3_000);
    expect(errorMs(clock)).toBeGreaterThan(-TOLERANCE_MS);
    await sleep(500);
    expect(Math.abs(errorMs(clock))).toBeLessThan(TOLERANCE_MS);
  });

  test.each([3_600_000, -3_600_000])('a wall clock that was set by %i ms has no effect', async (ms) => {
    const { clock, setForward } = await machine();
    setForward(ms);
    expect(Math.abs(errorMs(clock))).toBeLessThan(TOLERANCE_MS);
    await sleep(500);
    expect(Math.abs(errorMs(clock))).toBeLessThan(TOLERANCE_MS);
  });
});
