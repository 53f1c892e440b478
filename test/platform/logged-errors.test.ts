import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/database/models.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { freshDatabase } from '../support/databases.ts';

/** Planted in documents; must not occur in the log. */
const CANARY = 'canary-7f3a "quoted" {braced} \'single\' `ticked`\n    at planted (transcript.ts:1:1)';
const TRACE = /canary|braced|ticked|planted/;

let database: Database;
let lines: string[] = [];
const log = createLogger('info', { write: (line) => void lines.push(line) });
beforeAll(async () => {
  database = await openDatabase(freshDatabase());
});
afterAll(() => database.connection.close());

/** Logs the error that an operation throws; returns the line. */
async function loggedBy(operation: () => Promise<unknown>): Promise<{ line: string; err: { type: string } }> {
  lines = [];
  const error = await operation().then(
    () => new Error('the operation succeeded'),
    (thrown: unknown) => thrown,
  );
  log.error({ err: error }, 'failed');
  const [line = ''] = lines;
  return { line, ...(JSON.parse(line) as { err: { type: string } }) };
}

test('an error of any collection is logged without the documents', async () => {
  for (const model of Object.values(database.models) as mongoose.Model<unknown>[]) {
    const { collection } = model;
    const _id = new mongoose.Types.ObjectId() as never;
    await collection.insertOne({ _id, customerId: 7, text: CANARY });
    const document = { _id, customerId: 7, text: CANARY, nested: { transcript: [CANARY] } };
    const operations: Record<string, () => Promise<unknown>> = {
      MongoBulkWriteError: () => collection.insertMany([document, document], { ordered: false }),
      MongoServerError: () => collection.insertOne(document),
      'MongoServerError of an update': () =>
        collection.updateOne({ customerId: 7, _id }, { $inc: { text: 1 } as never }),
      'MongoServerError of a command': () =>
        collection.updateOne({ customerId: 7, _id }, { $bad: { text: CANARY } } as never),
      'an error of the model': () =>
        model.create([{ customerId: { secret: CANARY }, [CANARY]: CANARY }] as never),
      CastError: () => model.find({ customerId: { $gt: { secret: CANARY } } } as never).exec(),
    };
    for (const [name, operation] of Object.entries(operations)) {
      const { line, err } = await loggedBy(operation);
      expect(err, `${collection.name}: ${name}`).toMatchObject({
        type: expect.stringMatching(/^(Mongo|Validation|Cast|Strict|ObjectParameter)/),
        message: expect.any(String),
        stack: expect.stringContaining('\n    at '),
      });
      expect(line, `${collection.name}: ${name}`).not.toMatch(TRACE);
    }
    await collection.deleteOne({ customerId: 7, _id });
  }
});

test('an error of a parser is logged without the input, and causes as errors are', async () => {
  const parse = await loggedBy(async () => {
    try {
      JSON.parse(CANARY);
    } catch (cause) {
      throw new Error('The body is not JSON.', { cause });
    }
  });
  expect(parse.line).not.toMatch(TRACE);
  expect(parse.err).toMatchObject({
    type: 'Error',
    message: 'The body is not JSON.',
    cause: { type: 'SyntaxError' },
  });
});

test('other errors keep their message, code and stack', async () => {
  const failure = Object.assign(new TypeError("Cannot read properties of undefined (reading 'name')"), {
    code: 'E_TEST',
    document: { text: CANARY },
  });
  const { line, err } = await loggedBy(() => Promise.reject(failure));
  expect(err).toEqual({
    type: 'TypeError',
    message: "Cannot read properties of undefined (reading 'name')",
    code: 'E_TEST',
    stack: failure.stack,
  });
  expect(line).not.toMatch(TRACE);
  expect((await loggedBy(() => Promise.reject(CANARY))).err).toBe('string thrown');
});
