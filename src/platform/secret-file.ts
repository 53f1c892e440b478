import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCodeOf } from './error-code.ts';

const readIfPresent = (path: string): Promise<string | null> =>
  readFile(path, 'utf8').catch((error: unknown) => {
    if (errorCodeOf(error) === 'ENOENT') return null;
    throw error;
  });

/**
 * Reads a secret from a file, and creates the file if there is none.
 *
 * Only the owner can read the file. It is created atomically and synced to disk before the secret is used, so two
 * processes that start at the same time get the same secret.
 *
 * @param create returns a new secret
 * @returns the text of the file without surrounding white space
 */
export async function loadOrCreateSecret(path: string, create: () => string): Promise<string> {
  const existing = await readIfPresent(path);
  if (existing !== null) return existing.trim();

  const directory = dirname(path);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const draft = join(directory, `.${basename(path)}.${randomUUID()}`);
  try {
    await using handle = await open(draft, 'wx', 0o600);
    await handle.writeFile(`${create()}\n`);
    await handle.sync();
    // Unlike a rename, a link fails if another process has created the file.
    await link(draft, path).catch((error: unknown) => {
      if (errorCodeOf(error) !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  const created = await readIfPresent(path);
  if (created === null) throw new Error(`${path} was deleted during startup; start the service again.`);
  return created.trim();
}
