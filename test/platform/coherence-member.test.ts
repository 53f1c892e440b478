import type { Connection } from 'mongoose';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { coherenceModel, coherenceStore } from '../../src/platform/coherence/coherence.store.ts';
import { createCoherenceMember } from '../../src/platform/coherence/coherence-member.ts';
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
