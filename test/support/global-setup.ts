import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { shardedCollections } from '../../src/database/sharding.ts';
import { startTestMongo } from './mongo.ts';
import type { Watch } from './sharding/watch-variable.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Connection string of the replica set of one member that all tests share, see `freshDatabase`. */
    mongoUri: string;
    /** Directory with an entry for each database that the next test file may use, see `freshDatabase`. */
    databasePool: string;
    /** Shard keys, from the schemas. A test's process must not read them: the schemas take the plugins of the first connection only. */
    shardKeys: Watch['keys'];
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const mongo = await startTestMongo();
  project.provide('mongoUri', mongo.uri);
  const keys = shardedCollections().map(({ collection, key }): Watch['keys'][number] => [
    collection,
    Object.keys(key),
  ]);
  project.provide('shardKeys', keys);
  const databasePool = await mkdtemp(join(tmpdir(), 'engagement-databases-'));
  project.provide('databasePool', databasePool);
  return async () => {
    await mongo.stop();
    await rm(databasePool, { recursive: true, force: true });
  };
}
