import mongoose, { type Connection } from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { modelsOf } from '../../src/database/models.ts';
import { toAppError } from '../../src/errors/to-app-error.ts';
import { rawReads } from '../../src/platform/mongo/raw-collection.ts';
import { limitReads } from '../../src/platform/mongo/read-limits.ts';
import { freshDatabase } from '../support/databases.ts';

let connection: Connection;
/** Commands sent to the database, as `name: maxTimeMS`. */
let sent: string[];

beforeAll(async () => {
  connection = await mongoose
    .createConnection(freshDatabase(), { monitorCommands: true, autoIndex: false, autoCreate: false })
    .asPromise();
  limitReads(connection);
  connection.getClient().on('commandStarted', ({ commandName, command }) => {
    sent.push(`${commandName}: ${command.maxTimeMS ?? 'none'}`);
  });
});
afterAll(async () => {
  await connection.close();
});

test('every read has a time limit, and no write has one', async () => {
  const { Tenant, Event } = modelsOf(connection);
  sent = [];
  await Tenant.find().lean();
  await Tenant.findOne({ customerId: 1 });
  await Tenant.find().lean().cursor().next();
  await Tenant.countDocuments({ customerId: 1 }, { limit: 5 });
  await Tenant.distinct('customerId');
  await Event.aggregate([{ $match: { customerId: 1 } }]);
  await rawReads(Event).find({ customerId: 1 }).toArray();
  await rawReads(Event)
    .aggregate([{ $match: { customerId: 1 } }])
    .toArray();
  expect(sent).toEqual([
    'find: 10000',
    'find: 10000',
    'find: 10000',
    'aggregate: 10000',
    'distinct: 10000',
    'aggregate: 10000',
    'find: 10000',
    'aggregate: 10000',
  ]);

  sent = [];
  await Tenant.updateOne({ customerId: 1 }, { $set: { name: 'x' } });
  await Tenant.findOneAndUpdate({ customerId: 1 }, { $set: { name: 'x' } });
  await Tenant.create({ customerId: 1, orgId: 'o', name: 'n', createdAt: new Date() });
  await Tenant.deleteMany({ customerId: 1 });
  expect(sent).toEqual(['update: none', 'findAndModify: none', 'insert: none', 'delete: none']);
});

test('a read beyond its limit is SERVICE_UNAVAILABLE, not an internal error', async () => {
  await connection.collection('slow').insertOne({});
  const product = ['a', 'b'].flatMap((name) => [
    { $set: { [name]: { $range: [0, 5_000] } } },
    { $unwind: `$${name}` },
  ]);
  const error = await connection
    .collection('slow')
    .aggregate([...product, { $count: 'n' }], { maxTimeMS: 50 })
    .toArray()
    .catch((thrown: unknown) => thrown);
  const { code, status, message } = toAppError(error);
  expect([code, status]).toEqual(['SERVICE_UNAVAILABLE', 503]);
  expect(message).toMatch(/in time/);
});
