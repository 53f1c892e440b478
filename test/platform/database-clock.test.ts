import mongoose, { type Connection } from 'mongoose';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDatabaseClock, timeOfHolder } from '../../src/platform/mongo/database-clock.ts';
import { freshDatabase } from '../support/databases.ts';

/** Two processes on one machine; a slow machine may delay a reading. */
const TOLERANCE_MS = 1_000;

let connection: Connection;
beforeAll(async () => {
  connection = await mongoose.createConnection(freshDatabase()).asPromise();
});
afterAll(() => connection.close());

test('the clock has the time of the primary', async () => {
  const clock = await createDatabaseClock(connection, pino({ level: 'silent' }));
  expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(TOLERANCE_MS);
  clock.close();
});

test('the primary that holds a collection states its time, as routers need it', async () => {
  await connection.collection('counters').insertOne({});
  const db = connection.getClient().db(connection.name);
  const time = await timeOfHolder(db, 'counters');
  expect(Math.abs(time.getTime() - Date.now())).toBeLessThan(TOLERANCE_MS);
});
