import type { Models } from '../../database/models.ts';
import type { Cipher } from '../../platform/cipher.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Coherence } from '../../platform/coherence/coherence.ts';
import { privacyKeyStore } from './privacy-keys.store.ts';
import { type SuppressionSource, suppressionService } from './suppression.service.ts';
import { suppressionStore } from './suppression.store.ts';

interface Deps {
  models: Models;
  cipher: Cipher;
  coherence: Coherence;
  onSuppressed: (source: SuppressionSource, count: number) => void;
  clock: Clock;
}

/** Keyed hashes of identifiers, and the suppression of erased people. */
export function createPrivacy({ models, cipher, coherence, onSuppressed, clock }: Deps) {
  const keys = privacyKeyStore(models, cipher);
  const suppressions = suppressionStore(models, keys, coherence);
  return {
    keys,
    services: { suppressions: suppressionService({ suppressions, keys, onSuppressed, clock }) },
    hasSecretUnderUnknownKey: keys.hasKeyUnderUnknownKey,
    rotateSecrets: keys.rotateSecrets,
  };
}
