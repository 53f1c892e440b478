import { randomUUID } from 'node:crypto';
import { readdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { inject } from 'vitest';
import { sidecarDatabaseName } from '../../src/sidecar/sidecar-database-name.ts';

/** Longer than any deletion takes, unless the transaction of a killed process holds documents for a minute. */
const MAX_DELETION_MS = 5_000;

/** Databases of the current file. */
const inUse = new Set<string>();

/** Takes the name of a database that an earlier file has used; another process may take it first. */
function takeReleased(): string | undefined {
  const pool = inject('databasePool');
  return readdirSync(pool).find((name) => {
    try {
      // One call of the system, so it succeeds in one process only; `rmSync` makes several.
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
 * It may have the collections and indexes of the service already: to create and to drop them takes MongoDB a second of
 * CPU time, and more the more there are, so files use databases one after the other.
 */
export function freshDatabase(): string {
  const name = takeReleased() ?? `t_${randomUUID()}`;
  inUse.add(name);
  const uri = new URL(inject('mongoUri'));
  uri.pathname = `/${name}`;
  return uri.toString();
}

async function deleteDocuments(db: mongo.Db): Promise<void> {
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  if (collections.some(({ name }) => name === 'system.profile')) {
    await db.command({ profile: 0 });
    await db.collection('system.profile').drop();
  }
  const own = collections.filter(({ name }) => !name.startsWith('system.'));
  await Promise.all(
    own.map(({ name }) => db.collection(name).deleteMany({}, { maxTimeMS: MAX_DELETION_MS })),
  );
}

/** Empties the databases of the current file and those of its sidecars, whose services have stopped, for the next files. */
export async function releaseDatabases(): Promise<void> {
  if (inUse.size === 0) return;
  const client = await mongo.MongoClient.connect(inject('mongoUri'));
  try {
    for (const name of inUse) {
      const databases = [name, sidecarDatabaseName(name)].map((each) => client.db(each));
      const isEmpty = await Promise.all(databases.map(deleteDocuments)).then(
        () => true,
        // Not used again.
        () => false,
      );
      if (isEmpty) writeFileSync(join(inject('databasePool'), name), '');
    }
  } finally {
    inUse.clear();
    await client.close();
  }
}
