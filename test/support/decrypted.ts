import { createFieldEncryption } from '../../src/features/privacy/field-encryption.ts';
import type { OwnedDocument, PersonalFields } from '../../src/features/privacy/personal-fields.ts';
import { privacyKeyStore } from '../../src/features/privacy/privacy-keys.store.ts';
import { createCipher } from '../../src/platform/cipher.ts';
import type { Coherence } from '../../src/platform/coherence/coherence.ts';
import { createLogger } from '../../src/platform/logger.ts';
import type { TestApp } from './app.ts';
import { SHARED_KEY } from './encryption-environment.ts';

/** Coherence of a store that caches nothing. */
export const UNCACHED = {
  isLeased: () => false,
  mayCache: () => false,
  subscribe() {},
} as unknown as Coherence;

/** Returns documents of the database with their personal fields in plain text, whether those are encrypted or not. */
export function decrypted<D extends OwnedDocument>(
  { models }: Pick<TestApp, 'models'>,
  personal: PersonalFields,
  documents: D[],
): Promise<D[]> {
  const keys = privacyKeyStore(models, { cipher: createCipher([SHARED_KEY]), coherence: UNCACHED });
  return createFieldEncryption({
    keys,
    isOn: false,
    onUnreadable() {},
    log: createLogger('silent'),
  }).decrypt(personal, documents);
}
