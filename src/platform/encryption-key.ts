import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { loadOrCreateSecret } from './secret-file.ts';

/** File in `DATA_DIR` in the format of `CONNECTOR_ENCRYPTION_KEY`. */
const KEY_FILE = 'encryption.key';
const KEYS = /^[0-9a-fA-F]{64}(,[0-9a-fA-F]{64})*$/;

/**
 * Loads the encryption keys from `dataDir`, and creates a key if there is none. Used outside of production when
 * `CONNECTOR_ENCRYPTION_KEY` is unset (contract 2).
 *
 * @throws Error if the file is not a valid key file
 */
export async function loadOrCreateEncryptionKey(dataDir: string): Promise<string[]> {
  const path = join(dataDir, KEY_FILE);
  const text = await loadOrCreateSecret(path, () => randomBytes(32).toString('hex'));
  if (KEYS.test(text)) return text.split(',');
  throw new Error(
    `${path} is not an encryption key (64 hexadecimal characters). Restore the file from a backup; stored secrets cannot be decrypted without it.`,
  );
}
