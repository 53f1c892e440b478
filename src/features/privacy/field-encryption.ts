import { LRUCache } from 'lru-cache';
import { AppError } from '../../errors/app-error.ts';
import { CipherError } from '../../platform/cipher.ts';
import type { Logger } from '../../platform/logger.ts';
import type { TenantRef } from '../../platform/tenant-ref.ts';
import { createTimeSlice } from '../../platform/time-slice.ts';
import { decryptValue, encryptValue, isEncrypted } from './encrypted-value.ts';
import {
  type Hash,
  hasPersonalValue,
  LOOKUPS,
  type Lookup,
  type OwnedDocument,
  type PersonalFields,
  withHashedWords,
  withPersonalValues,
} from './personal-fields.ts';
import type { PrivacyKey, PrivacyKeyStore } from './privacy-keys.store.ts';

/**
 * Encrypts and decrypts the personal fields of documents where stores write and read them. Every read accepts plain and
 * encrypted values, whatever the setting: both exist while stored data is converted, and after the setting has changed.
 */
export interface FieldEncryption {
  /** True if new values are encrypted (`PII_ENCRYPTION`). */
  readonly isOn: boolean;
  /**
   * Returns documents as they are stored: the same ones while encryption is off. Those that lists find by personal values
   * get keyed hashes of them; such a document needs all of its personal fields. Words become keyed hashes.
   */
  encrypt<D extends OwnedDocument>(personal: PersonalFields, documents: D[]): Promise<D[]>;
  /**
   * Returns documents without ciphertexts; needs no key, and no query, for documents that have none.
   * @throws AppError `INTERNAL` if a value was modified or moved, or its key was destroyed
   */
  decrypt<D extends OwnedDocument>(personal: PersonalFields, documents: D[]): Promise<D[]>;
  /** As `decrypt` of one document. */
  decryptOne<D extends OwnedDocument>(personal: PersonalFields, document: D | null): Promise<D | null>;
  /**
   * As `decrypt`, for what clients read: a value that cannot be decrypted is replaced (`unreadableAs`), so that it hides
   * neither the rest of its document nor the others of a list. Such a document must not be written back.
   */
  decryptForView<D extends OwnedDocument>(personal: PersonalFields, documents: D[]): Promise<D[]>;
  /** As `decryptForView` of one document. */
  decryptOneForView<D extends OwnedDocument>(personal: PersonalFields, document: D | null): Promise<D | null>;
  /**
   * Returns the function that hashes what lists look for, whatever the setting; null if the tenant has no key, and so no
   * hashes.
   */
  hashing(tenant: TenantRef): Promise<Hash | null>;
  /**
   * As `hashing`, for what is about to be stored: creates the key of a tenant without one; null while encryption is off.
   */
  storedHashing(tenant: TenantRef): Promise<Hash | null>;
  /**
   * As `decrypt`, without the documents that cannot be decrypted: one must not hold up those of other tenants.
   * @param onUnreadable receives each of those
   */
  decryptReadable<D extends OwnedDocument>(
    personal: PersonalFields,
    documents: D[],
    onUnreadable?: (document: D, reason: UnreadableReason) => void,
  ): Promise<D[]>;
}

/**
 * Reason why a value cannot be decrypted. Only `unknown_key` can end: a process has another wrapping key, or data was restored
 * before `privacyKeys`.
 */
export type UnreadableReason = CipherError['reason'];

interface Deps {
  keys: Pick<PrivacyKeyStore, 'find' | 'findOrCreate'>;
  isOn: boolean;
  /** Called for each value that cannot be decrypted, with the name of its collection. */
  onUnreadable: (collection: string) => void;
  log: Logger;
}

/** Documents that are encrypted or decrypted without yielding, unless a collection declares fewer. */
const MAX_AT_ONCE = 200;
/** Tenants that a process with the setting off remembers to have no key, and for how long, in milliseconds. */
const KEYLESS = { max: 10_000, ttl: 10_000 };

/** Returns the place of a value, which its ciphertext is bound to. */
const ownerOf = ({ collection }: PersonalFields, { customerId, _id }: OwnedDocument, place: string): string =>
  JSON.stringify(['personal', collection, customerId, String(_id), place]);

const hashOf = (key: PrivacyKey, { type, identifier }: Lookup): string =>
  Buffer.from(key.hash(identifier, `lookup ${type}`), 'base64url').toString('hex');

const hashUnder =
  (key: PrivacyKey): Hash =>
  (lookup) =>
    hashOf(key, lookup);

/** Adds the hashes of what lists find a document by. */
function withLookups<D extends OwnedDocument>(
  { lookups }: PersonalFields,
  { plain, encrypted }: { plain: D; encrypted: D },
  key: PrivacyKey,
): D {
  if (!lookups) return encrypted;
  const hashes = new Set(lookups.of(plain as never).map((lookup) => hashOf(key, lookup)));
  return hashes.size === 0 ? encrypted : { ...encrypted, [LOOKUPS]: [...hashes] };
}

function withoutLookups<D extends OwnedDocument>({ lookups }: PersonalFields, document: D): D {
  if (!lookups || !(LOOKUPS in document)) return document;
  const { [LOOKUPS]: _, ...rest } = document;
  return rest as unknown as D;
}

function encryptedDocument<D extends OwnedDocument>(
  personal: PersonalFields,
  document: D,
  key: PrivacyKey,
): D {
  const encrypted = withPersonalValues(personal, document, ({ place, value }) =>
    isEncrypted(value) ? value : encryptValue(key, value, ownerOf(personal, document, place)),
  );
  return withHashedWords(
    personal,
    withLookups(personal, { plain: document, encrypted }, key),
    hashUnder(key),
  );
}

export function createFieldEncryption({ keys, isOn, onUnreadable, log }: Deps): FieldEncryption {
  async function keysOf<K>(
    documents: readonly OwnedDocument[],
    load: (tenant: TenantRef) => Promise<K>,
  ): Promise<Map<number, K>> {
    const customerIds = [...new Set(documents.map(({ customerId }) => customerId))];
    const found = await Promise.all(customerIds.map((customerId) => load({ customerId })));
    return new Map(customerIds.map((customerId, index) => [customerId, found[index] as K]));
  }

  const hasEncrypted = (personal: PersonalFields, document: OwnedDocument): boolean =>
    hasPersonalValue(personal, document, isEncrypted);

  /** Returns the error of a key that cannot be decrypted itself as its value: it concerns the documents of one tenant. */
  const findKey = async (tenant: TenantRef): Promise<PrivacyKey | CipherError | null> =>
    keys.find(tenant).catch((error: unknown) => {
      if (error instanceof CipherError) return error;
      throw error;
    });

  /** While encryption is off, reads of a tenant without a key must not cost a query each: the cache of keys has none. */
  const keyless = new LRUCache<number, true>(KEYLESS);

  async function findHashingKey(tenant: TenantRef): Promise<PrivacyKey | null> {
    if (isOn) return keys.find(tenant);
    if (keyless.has(tenant.customerId)) return null;
    const key = await findKey(tenant);
    // What is plain can be found without a key.
    if (key instanceof CipherError) return null;
    if (!key) keyless.set(tenant.customerId, true);
    return key;
  }

  /** @param onUnreadableValue returns what takes the place of a value that cannot be decrypted, or throws */
  function decrypted<D extends OwnedDocument>(
    personal: PersonalFields,
    { document, key }: { document: D; key: PrivacyKey | CipherError | null },
    onUnreadableValue: (cause: CipherError, field: string) => unknown,
  ): D {
    const plain = withPersonalValues(personal, document, ({ field, place, value }) => {
      if (!isEncrypted(value)) return value;
      try {
        if (key instanceof CipherError) throw key;
        return decryptValue(key, value, ownerOf(personal, document, place));
      } catch (error) {
        if (!(error instanceof CipherError)) throw error;
        return onUnreadableValue(error, field);
      }
    });
    return withoutLookups(personal, plain);
  }

  const raise = (cause: CipherError): never => {
    throw cause;
  };

  /** Reports a document that cannot be decrypted; what it holds is in no message. */
  function report(
    { collection }: PersonalFields,
    { customerId, _id }: OwnedDocument,
    { reason }: CipherError,
  ): void {
    onUnreadable(collection);
    log.error({ collection, customerId, id: String(_id), reason }, 'a stored value cannot be decrypted');
  }

  /** @param onError returns what takes the place of a document that cannot be decrypted; null to leave it out */
  async function decryptEach<D extends OwnedDocument>(
    personal: PersonalFields,
    documents: D[],
    onError: (document: D, cause: CipherError, key: PrivacyKey | CipherError | null) => D | null,
  ): Promise<D[]> {
    const encrypted = documents.filter((document) => hasEncrypted(personal, document));
    if (encrypted.length === 0) return documents;
    const keyOf = await keysOf(encrypted, findKey);
    const isEncryptedDocument = new Set(encrypted);
    const yieldIfLong = encrypted.length > (personal.atOnce ?? MAX_AT_ONCE) ? createTimeSlice() : null;
    const plain: D[] = [];
    for (const document of documents) {
      await yieldIfLong?.();
      const key = keyOf.get(document.customerId) ?? null;
      try {
        plain.push(
          isEncryptedDocument.has(document) ? decrypted(personal, { document, key }, raise) : document,
        );
      } catch (error) {
        if (!(error instanceof CipherError)) throw error;
        report(personal, document, error);
        const replacement = onError(document, error, key);
        if (replacement) plain.push(replacement);
      }
    }
    return plain;
  }

  const decrypt = <D extends OwnedDocument>(personal: PersonalFields, documents: D[]): Promise<D[]> =>
    decryptEach(personal, documents, ({ _id }, cause) => {
      throw new AppError(
        'INTERNAL',
        `Encrypted data of ${String(_id)} in ${personal.collection} cannot be decrypted: ${cause.message} Restore it from a backup, or delete the object.`,
        { cause },
      );
    });

  const decryptForView = <D extends OwnedDocument>(personal: PersonalFields, documents: D[]): Promise<D[]> =>
    decryptEach(personal, documents, (document, _cause, key) =>
      decrypted(personal, { document, key }, (_error, field) => personal.unreadableAs?.[field] ?? null),
    );

  return {
    isOn,
    async encrypt(personal, documents) {
      if (!isOn || documents.length === 0) return documents;
      const keyOf = await keysOf(documents, keys.findOrCreate);
      const yieldIfLong = documents.length > (personal.atOnce ?? MAX_AT_ONCE) ? createTimeSlice() : null;
      const stored: typeof documents = [];
      for (const document of documents) {
        if (yieldIfLong) await yieldIfLong();
        stored.push(encryptedDocument(personal, document, keyOf.get(document.customerId) as PrivacyKey));
      }
      return stored;
    },
    decrypt,
    decryptOne: async (personal, document) => document && ((await decrypt(personal, [document]))[0] ?? null),
    decryptForView,
    decryptOneForView: async (personal, document) =>
      document && ((await decryptForView(personal, [document]))[0] ?? null),
    decryptReadable: (personal, documents, onUnreadable = () => {}) =>
      decryptEach(personal, documents, (document, { reason }) => {
        onUnreadable(document, reason);
        return null;
      }),
    async hashing(tenant) {
      const key = await findHashingKey(tenant);
      return key && hashUnder(key);
    },
    storedHashing: async (tenant) => (isOn ? hashUnder(await keys.findOrCreate(tenant)) : null),
  };
}

/** For data that belongs to no real person, such as the demo's, and for stores without any. */
export const NO_ENCRYPTION: FieldEncryption = {
  isOn: false,
  encrypt: async (_personal, documents) => documents,
  decrypt: async (_personal, documents) => documents,
  decryptOne: async (_personal, document) => document,
  decryptForView: async (_personal, documents) => documents,
  decryptOneForView: async (_personal, document) => document,
  decryptReadable: async (_personal, documents) => documents,
  hashing: async () => null,
  storedHashing: async () => null,
};
