import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { inject, type RunnerTestCase, TestRunner } from 'vitest';
import { UNSHARDED } from '../../src/database/sharding.ts';
import { isTimedOut } from '../../src/platform/mongo/unavailable.ts';
import { sidecarDatabaseName } from '../../src/sidecar/sidecar-database-name.ts';

/** Longer than any command of a release takes, unless a killed process has left a transaction. */
const MAX_COMMAND_MS = 5_000;

/** Server error code of a command on a collection with an index build (`BackgroundOperationInProgressForNamespace`). */
const INDEX_BUILDING = 12_587;
const isIndexBuilding = (error: unknown): boolean =>
  error instanceof mongo.MongoServerError && error.code === INDEX_BUILDING;

/** Databases of the current file. */
const inUse = new Set<string>();

/** Takes the name of a database that an earlier file has used; another process may take it first. */
function takeReleased(): string | undefined {
  const pool = inject('databasePool');
  return readdirSync(pool).find((name) => {
    try {
      // A single system call, so it succeeds in one process only; `rmSync` makes several.
      unlinkSync(join(pool, name));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
  });
}

/**
 * Returns the connection string of a database without documents on the tests' replica set, for the current file alone.
 * It may have the collections and indexes of the service already. Creating and dropping them costs MongoDB a second of
 * CPU time, and more the more there are, so files use databases one after the other.
 */
export function freshDatabase(): string {
  const name = takeReleased() ?? `t_${randomUUID()}`;
  inUse.add(name);
  const uri = new URL(inject('mongoUri'));
  uri.pathname = `/${name}`;
  return uri.toString();
}

/** Hash of a collection without documents. */
const HASH_OF_NONE = createHash('md5').digest('hex');

/** Removes what a test may have left: documents, validators, and query plans that suit those documents. */
async function resetCollections(
  db: mongo.Db,
  isKept: (collection: string) => boolean = () => true,
): Promise<void> {
  const collections = await db.listCollections().toArray();
  if (collections.some(({ name }) => name === 'system.profile')) {
    await db.command({ profile: 0 });
    await db.collection('system.profile').drop();
  }
  // Its lock waits for transactions of killed processes, whose inserts a deletion would not see.
  const { collections: hashes = {} } = await db.command({ dbHash: 1, maxTimeMS: MAX_COMMAND_MS });
  async function reset({ name, options }: mongo.CollectionInfo): Promise<void> {
    if (!isKept(name)) await db.command({ drop: name, maxTimeMS: MAX_COMMAND_MS });
    else {
      if (options?.validator) await db.command({ collMod: name, validator: {}, maxTimeMS: MAX_COMMAND_MS });
      if (hashes[name] !== HASH_OF_NONE)
        await db.collection(name).deleteMany({}, { maxTimeMS: MAX_COMMAND_MS });
      await db.command({ planCacheClear: name });
    }
  }
  await Promise.all(
    (collections as mongo.CollectionInfo[]).filter(({ name }) => !name.startsWith('system.')).map(reset),
  );
}

/** Forgets the databases of an earlier file that did not release them, which may still be in use. */
export function forgetDatabases(): void {
  inUse.clear();
}

/**
 * Lets the next tests use the database of a service that the current test has stopped: a file with a service per test
 * would take as many databases. A test that has failed before may have left indexes, or requests in progress: it keeps
 * the database of a service that `onTestFinished` or `afterEach` stops. A service that the body of a test stops cannot
 * know of a later failure. What hooks of the file stop is released after them.
 */
export async function releaseDatabaseOfTest(uri: string): Promise<void> {
  const test = TestRunner.getCurrentTest<RunnerTestCase | undefined>();
  if (test && test.result?.state !== 'fail') await releaseDatabases([new URL(uri).pathname.slice(1)]);
}

/** Lets the next files use databases of the current file and their sidecars, whose services have stopped. */
export async function releaseDatabases(names: readonly string[] = [...inUse]): Promise<void> {
  if (names.length === 0) return;
  const ofService = new Set([
    ...Object.keys(UNSHARDED),
    ...inject('shardKeys').map(([collection]) => collection),
  ]);
  const client = await mongo.MongoClient.connect(inject('mongoUri'));
  try {
    for (const name of names) {
      inUse.delete(name);
      try {
        await resetCollections(client.db(name), (collection) => ofService.has(collection));
        await resetCollections(client.db(sidecarDatabaseName(name)));
      } catch (error) {
        // A killed process has left a transaction, or the build of an index: no file uses the database again.
        if (isTimedOut(error) || isIndexBuilding(error)) continue;
        throw error;
      }
      writeFileSync(join(inject('databasePool'), name), '');
    }
  } finally {
    await client.close();
  }
}
