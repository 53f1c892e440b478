import { randomBytes, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Name of the file in `DATA_DIR`; its content has the form of `CONNECTOR_ENCRYPTION_KEY`. */
const FILE = 'encryption.key';
const KEYS = /^[0-9a-fA-F]{64}(,[0-9a-fA-F]{64})*$/;

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** The keys in the file; null when there is no file. */
async function readKeys(path: string): Promise<string[] | null> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  });
  if (text === null) return null;
  if (!KEYS.test(text.trim())) {
    throw new Error(
      `${path} is not an encryption key (64 hexadecimal characters). Restore it: without it no stored secret can be read.`,
    );
  }
  return text.trim().split(',');
}

/**
 * The encryption keys kept in `dataDir`, where a first one is made when there is none: what a start outside
 * production uses when `CONNECTOR_ENCRYPTION_KEY` is unset (contract 2).
 *
 * The file is readable by its owner only, is on disk before the keys are used, and comes into being complete:
 * of two processes that start at once both get the same key. Throws when a file is there that is no key.
 */
export async function loadOrCreateEncryptionKey(dataDir: string): Promise<string[]> {
  const path = join(dataDir, FILE);
  const existing = await readKeys(path);
  if (existing) return existing;

  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const draft = join(dataDir, `.${FILE}.${randomUUID()}`);
  try {
    await using handle = await open(draft, 'wx', 0o600);
    await handle.writeFile(`${randomBytes(32).toString('hex')}\n`);
    await handle.sync();
    // A link fails where a rename would replace: whoever is first decides.
    await link(draft, path).catch((error: unknown) => {
      if (!isCode(error, 'EEXIST')) throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  const keys = await readKeys(path);
  if (!keys) throw new Error(`${path} vanished while it was being made.`);
  return keys;
}
