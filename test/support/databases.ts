import { randomUUID } from 'node:crypto';
import { readdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { inject } from 'vitest';
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

/** Removes what a test may have left: documents, a validator, and query plans that suit those documents. */
async function resetCollection(db: mongo.Db, collection: string): Promise<void> {
  // Waits for transactions of killed processes, whose inserts a deletion would not see.
  await db.command({ collMod: collection, validator: {}, maxTimeMS: MAX_COMMAND_MS });
  await db.collection(collection).deleteMany({}, { maxTimeMS: MAX_COMMAND_MS });
  await db.command({ planCacheClear: collection });
}

async function resetCollections(
  db: mongo.Db,
  isKept: (collection: string) => boolean = () => true,
): Promise<void> {
  const collections = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
  if (collections.includes('system.profile')) {
    await db.command({ profile: 0 });
    await db.collection('system.profile').drop();
  }
  await Promise.all(
    collections
      .filter((name) => !name.startsWith('system.'))
      .map((name) =>
        isKept(name) ? resetCollection(db, name) : db.command({ drop: name, maxTimeMS: MAX_COMMAND_MS }),
      ),
  );
}

/** Forgets the databases of an earlier file that did not release them, which may still be in use. */
export function forgetDatabases(): void {
  inUse.clear();
}

/** Lets the next files use the databases of the current file and its sidecars, whose services have stopped. */
export async function releaseDatabases(): Promise<void> {
  if (inUse.size === 0) return;
  const ofService = new Set([
    ...Object.keys(UNSHARDED),
    ...inject('shardKeys').map(([collection]) => collection),
  ]);
  const client = await mongo.MongoClient.connect(inject('mongoUri'));
  try {
    for (const name of inUse) {
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
