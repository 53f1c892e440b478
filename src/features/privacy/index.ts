import type { Config } from '../../config/config.ts';
import type { Models } from '../../database/models.ts';
import type { Cipher } from '../../platform/cipher.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Coherence } from '../../platform/coherence/coherence.ts';
import type { Logger } from '../../platform/logger.ts';
import { createFieldEncryption } from './field-encryption.ts';
import { privacyKeyStore } from './privacy-keys.store.ts';
import { type SuppressionSource, suppressionService } from './suppression.service.ts';
import { suppressionStore } from './suppression.store.ts';

interface Deps {
  models: Models;
  cipher: Cipher;
  coherence: Coherence;
  /** Returns false once a tenant is removed. */
  hasTenant: (customerId: number) => Promise<boolean>;
  onSuppressed: (source: SuppressionSource, count: number) => void;
  /** Called for each value that cannot be decrypted, with the name of its collection. */
  onUnreadable: (collection: string) => void;
  clock: Clock;
  log: Logger;
  config: Pick<Config, 'piiEncryption'>;
}

/** Keyed hashes of identifiers, the suppression of erased people, and the encryption of personal fields. */
export function createPrivacy(deps: Deps) {
  const { models, cipher, coherence, hasTenant, onSuppressed, onUnreadable, clock, log, config } = deps;
  const keys = privacyKeyStore(models, { cipher, coherence, hasTenant });
  let unreadableAt: Date | null = null;
  const countUnreadable = (collection: string) => {
    unreadableAt = clock.now();
    onUnreadable(collection);
  };
  const suppressions = suppressionStore(models, keys, coherence);
  return {
    keys,
    encryption: createFieldEncryption({
      ...{ keys, log, isOn: config.piiEncryption },
      onUnreadable: countUnreadable,
    }),
    /** Returns when this process last found a value that it cannot decrypt; null if it has not. */
    lastUnreadable: () => unreadableAt,
    services: { suppressions: suppressionService({ suppressions, privacyKeys: keys, onSuppressed, clock }) },
    hasSecretUnderUnknownKey: keys.hasSecretUnderUnknownKey,
    rotateSecrets: keys.rotateSecrets,
  };
}
