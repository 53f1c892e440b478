import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { loadOrCreateSecret } from '../../platform/secret-file.ts';

/** Key file of a `mongod`: it refuses clients without the key, such as other users of the machine. */
export interface MongodKey {
  path: string;
  /** Password of the internal user `__system`, which exists on every member with a key file. */
  key: string;
}

/** Loads the key of the embedded database from `dataDir`, and creates it on the first start. */
export async function loadOrCreateMongodKey(dataDir: string): Promise<MongodKey> {
  const path = join(resolve(dataDir), 'embedded.key');
  return { path, key: await loadOrCreateSecret(path, () => randomBytes(32).toString('hex')) };
}

/** Name of the user and the database that holds it. */
export const SYSTEM_USER = { username: '__system', authSource: 'local' } as const;
