import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { shardedCollections } from '../../src/database/sharding.ts';
import { startTestMongo } from './mongo.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Connection string of the replica set of one member that all tests share, see `freshDatabase`. */
    mongoUri: string;
    /** Directory with an entry for each database that the next test file may use, see `freshDatabase`. */
    databasePool: string;
    /** Shard keys. A test's process must not read the schemas for them: these take the plugins of their first connection only. */
    shardKeys: [collection: string, fields: string[]][];
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const mongo = await startTestMongo({
    // It has thousands of collections: with a small cache, a quarter of its CPU time goes into walks that search dirty
    // pages.
    cacheGb: 2,
    // Tests that kill a process wait for the end of its transaction.
    transactionLifetime: 10,
  });
  project.provide('mongoUri', mongo.uri);
  project.provide(
    'shardKeys',
    shardedCollections().map(({ collection, key }) => [collection, Object.keys(key)]),
  );
  const databasePool = await mkdtemp(join(tmpdir(), 'engagement-databases-'));
  project.provide('databasePool', databasePool);
  return async () => {
    await mongo.stop();
    await rm(databasePool, { recursive: true, force: true });
  };
}
