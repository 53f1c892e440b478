import type { Connection } from 'mongoose';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { coherenceModel, coherenceStore } from '../../src/platform/coherence/coherence.store.ts';
import { createCoherenceMember } from '../../src/platform/coherence/coherence-member.ts';
import { type CacheEntry, coherentCache } from '../../src/platform/coherence/coherent-cache.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { connectMongo } from '../../src/platform/mongo/connect.ts';
import { eventually } from '../support/eventually.ts';
import { startTestMongo, type TestMongo } from '../support/mongo.ts';

let mongo: TestMongo;
let connection: Connection;

beforeAll(async () => {
  mongo = await startTestMongo({ failpoints: true });
  connection = await connectMongo(mongo.uri);
});
afterAll(async () => {
  await connection.close();
  await mongo.stop();
});

function startMember() {
  const store = coherenceStore(coherenceModel(connection));
  const member = createCoherenceMember({ store, caches: true, log: createLogger('silent') });
  onTestFinished(async () => {
    await mongo.failCommands('off');
    await member.close();
  });
  return { store, member };
}

test('work that begins while its process deregisters waits until the process has registered again', async () => {
  const { member } = startMember();
  await member.hold(['a'], async () => {});
  await mongo.failCommands({
    ...{ commands: ['delete'], collection: 'coherence' },
    failure: { blockConnection: true, blockTimeMS: 200 },
  });
  // The process is idle.
  await eventually(() => member.registration() === null, 15_000);
  expect(await member.hold(['a'], async () => member.registration())).not.toBeNull();
});

test('work in progress counts as that of an expelled process while it has no registration', async () => {
  const { store, member } = startMember();
  const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const working = member.hold(['a'], () => {
    started.resolve();
    return ended.promise;
  });
  await started.promise;
  const registration = member.registration();
  expect(await store.hasExpelled()).toBe(false);
  // An acknowledgement and its repetition by the driver, as during a step-down.
  await mongo.failCommands({ commands: ['update'], collection: 'coherence', times: 2 });
  const expiresAt = new Date(Date.now() + 60_000);
  await coherenceModel(connection).create({ _id: 'fence', type: 'fence', topics: ['b'], expiresAt });
  await eventually(() => store.hasExpelled());
  await eventually(() => ![null, registration].includes(member.registration()));
  expect(await coherenceModel(connection).countDocuments({ type: 'process' })).toBe(1);
  ended.resolve();
  await working;
});

test('a value that is read during two changes is read again when one of them ends', async () => {
  const { member } = startMember();
  const loads: PromiseWithResolvers<string>[] = [];
  const cache = coherentCache({
    coherence: { ...member, change: (_topics, make) => make(), awaitHolders: async () => true },
    entries: new Map<string, CacheEntry<string>>(),
    prefix: 'value',
    toKey: (text) => text,
    load: () => {
      const load = Promise.withResolvers<string>();
      loads.push(load);
      return load.promise;
    },
  });
  member.fence('first', ['value:a']);
  member.fence('second', ['value:a']);
  const value = cache.get('a');
  member.unfence('first');
  loads[0]?.resolve('before the first change');
  await eventually(() => loads.length === 2);
  loads[1]?.resolve('after it');
  expect(await value).toBe('after it');
  member.unfence('second');
});
