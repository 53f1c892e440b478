import mongoose from 'mongoose';
import { expect, test } from 'vitest';
import type { ShardStep } from '../../src/platform/mongo/shard-plan.ts';
import { runCommand } from '../support/command.ts';
import { freshDatabase } from '../support/databases.ts';
import { temporaryDir } from '../support/embedded.ts';

interface Result {
  database: string;
  topology: string | null;
  steps: ShardStep[];
  unsharded: { collection: string; reason: string }[];
  hints: string[];
}

/** Commands start slowly while other tests keep the cores busy. */
const TIMEOUT = { timeout: 120_000 };

test('--plan needs no database, and prints every command', TIMEOUT, async () => {
  await using dir = await temporaryDir();
  const { code, stdout } = await runCommand(['shard', '--plan', '--json'], { DATA_DIR: dir.path });
  expect(code).toBe(0);
  const { database, topology, steps, unsharded } = JSON.parse(stdout) as Result;
  expect([database, topology]).toEqual(['engagement', null]);
  expect(steps[0]?.command).toEqual({ enableSharding: 'engagement' });
  expect(steps.map(({ command }) => command)).toContainEqual({
    shardCollection: 'engagement.conversationMessages',
    key: { customerId: 1, conversationId: 1 },
    unique: false,
  });
  expect(unsharded.map(({ collection }) => collection)).toContain('tenants');
});

test('on a replica set, --plan compares indexes and --apply refuses', TIMEOUT, async () => {
  await using dir = await temporaryDir();
  const uri = freshDatabase();
  const env = { DATA_DIR: dir.path, MONGODB_URI: uri };
  const connection = await mongoose.createConnection(uri).asPromise();
  // Without the indexes of this version.
  await connection.dropDatabase();
  try {
    const messages = connection.collection('conversationMessages');
    await messages.createIndex({ conversationId: 1, seq: 1 }, { unique: true, name: 'old' });
    await connection.collection('meetings').createIndex({ customerId: 1, _id: 1 });
    const before = await connection.listCollections();

    const planned = await runCommand(['shard', '--plan', '--json'], env);
    expect(planned.code).toBe(0);
    const { topology, steps } = JSON.parse(planned.stdout) as Result;
    expect(topology).toBe('replica set');
    const stateOf = (action: ShardStep['action'], collection: string) =>
      steps.find((step) => step.action === action && step.collection === collection)?.state;
    expect(stateOf('create index', 'meetings')).toBe('done');
    expect(stateOf('create index', 'conversations')).toBe('pending');
    expect(stateOf('shard collection', 'meetings')).toBe('pending');
    // The database itself sends the index commands.
    for (const { action, database, command } of steps)
      if (action === 'drop index' || action === 'create index')
        await connection.getClient().db(database).command(command);
    expect((await messages.indexes()).map(({ name }) => name)).toEqual(['_id_']);

    const applied = await runCommand(['shard', '--apply', '--json'], env);
    expect(applied.code).toBe(1);
    expect(JSON.parse(applied.stdout)).toMatchObject({
      error: { code: 'NOT_CONFIGURED', message: expect.stringContaining('mongos') },
    });
    expect(applied.stderr).toContain('replica set');
    for (const log of ['auditIntents', 'auditEntries'])
      expect(await connection.collection(log).countDocuments(), log).toBe(0);
    expect(before.map(({ name }) => name).sort()).toEqual(['conversationMessages', 'meetings']);
  } finally {
    await connection.dropDatabase();
    await connection.close();
  }
});

test('--apply refuses the embedded database, and one of the options is required', TIMEOUT, async () => {
  await using dir = await temporaryDir();
  const env = { DATA_DIR: dir.path };
  const [embedded, neither, both] = await Promise.all([
    runCommand(['shard', '--apply'], env),
    runCommand(['shard'], env),
    runCommand(['shard', '--plan', '--apply'], env),
  ]);
  expect([embedded.code, embedded.stderr]).toEqual([1, expect.stringContaining('MONGODB_URI is not set')]);
  for (const { code, stderr } of [neither, both])
    expect([code, stderr]).toEqual([2, expect.stringContaining('--plan or --apply')]);
});
