import type { Query } from 'mongoose';
import { PERSONAL_FIELDS } from '../../src/database/personal-collections.ts';
import { createFieldEncryption, type FieldEncryption } from '../../src/features/privacy/field-encryption.ts';
import type { OwnedDocument, PersonalFields } from '../../src/features/privacy/personal-fields.ts';
import { privacyKeyStore } from '../../src/features/privacy/privacy-keys.store.ts';
import { createCipher } from '../../src/platform/cipher.ts';
import type { Coherence } from '../../src/platform/coherence/coherence.ts';
import { createLogger } from '../../src/platform/logger.ts';
import type { TestApp } from './app.ts';
import { SHARED_KEY } from './encryption-environment.ts';

/** Coherence of a process that caches nothing. */
export const UNCACHED = {
  isLeased: () => false,
  mayCache: () => false,
  subscribe() {},
} as unknown as Coherence;

/** Encryption of the fields of an application's database. @param options.key as `CONNECTOR_ENCRYPTION_KEY` */
export const sharedEncryption = (
  { models }: Pick<TestApp, 'models'>,
  { isOn, key = SHARED_KEY }: { isOn: boolean; key?: string },
): FieldEncryption =>
  createFieldEncryption({
    keys: privacyKeyStore(models, {
      cipher: createCipher([key]),
      coherence: UNCACHED,
      hasTenant: async (customerId) => (await models.Tenant.exists({ customerId })) !== null,
    }),
    isOn,
    onUnreadable() {},
    log: createLogger('silent'),
  });

/** Returns documents of the database with their personal fields in plain text, whether those are encrypted or not. */
export const decrypted = <D extends OwnedDocument>(
  app: Pick<TestApp, 'models'>,
  personal: PersonalFields,
  documents: D[],
): Promise<D[]> => sharedEncryption(app, { isOn: false }).decrypt(personal, documents);

/** Returns the documents of a query with their personal fields in plain text. */
export async function plainRows<D extends OwnedDocument>(
  app: Pick<TestApp, 'models'>,
  query: Query<unknown, unknown, object, D>,
): Promise<D[]> {
  const name = query.model.collection.collectionName;
  const personal = PERSONAL_FIELDS.find(({ collection }) => collection === name);
  if (!personal) throw new Error(`${name} has no personal fields.`);
  return decrypted(app, personal, await query.lean<D[]>());
}
