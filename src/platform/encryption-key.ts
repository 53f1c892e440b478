import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** File in `DATA_DIR` in the format of `CONNECTOR_ENCRYPTION_KEY`. */
const KEY_FILE = 'encryption.key';
const KEYS = /^[0-9a-fA-F]{64}(,[0-9a-fA-F]{64})*$/;

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** Reads the keys; returns null if the file does not exist. */
async function readKeys(path: string): Promise<string[] | null> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });
  if (text === null) return null;
  if (!KEYS.test(text.trim())) {
    throw new Error(
      `${path} is not an encryption key (64 hexadecimal characters). Restore the file from a backup; stored secrets cannot be decrypted without it.`,
    );
  }
  return text.trim().split(',');
}

/**
 * Loads the encryption keys from `dataDir`, and creates a key if there is none. Used outside of production when
 * `CONNECTOR_ENCRYPTION_KEY` is unset (contract 2).
 *
 * Only the owner can read the file. It is created atomically and synced to disk before the key is used, so two
 * processes that start at the same time get the same key.
 * @throws Error if the file is not a valid key file
 */
export async function loadOrCreateEncryptionKey(dataDir: string): Promise<string[]> {
  const path = join(dataDir, KEY_FILE);
  const existing = await readKeys(path);
  if (existing) return existing;

  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const draft = join(dataDir, `.${KEY_FILE}.${randomUUID()}`);
  try {
    await using handle = await open(draft, 'wx', 0o600);
    await handle.writeFile(`${randomBytes(32).toString('hex')}\n`);
    await handle.sync();
    // A link, unlike a rename, fails if another process has created the file.
    await link(draft, path).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  const keys = await readKeys(path);
  if (!keys) throw new Error(`${path} was deleted during startup; start the service again.`);
  return keys;
}
