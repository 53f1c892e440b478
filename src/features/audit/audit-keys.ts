import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Cipher, CipherError } from '../../platform/cipher.ts';
import { reencryptAll } from '../../platform/reencrypt-secrets.ts';
import type { AuditHeadDoc } from './audit.model.ts';
import type { AuditStore } from './audit.store.ts';
import { FIRST_PREVIOUS, signatureOf } from './audit-chain.ts';

/** Keys of logs that a process keeps decrypted. */
const CACHED_KEYS = 1_000;
const KEY_BYTES = 32;

const keyOwner = (log: number): string => `audit:${log}`;

/** @throws Error if no entry can follow the one that a head names */
function withPosition(head: AuditHeadDoc): AuditHeadDoc {
  if (!Number.isSafeInteger(head.sequence))
    throw new Error(`The head of the audit log ${head._id} was changed.`);
  return head;
}

/** Heads of the logs, and the keys of their hashes, which are stored encrypted. */
export function auditKeys({ store, cipher }: { store: AuditStore; cipher: Cipher }) {
  /** By log and ciphertext: a log that begins again has another key. */
  const keys = new LRUCache<string, KeyObject>({ max: CACHED_KEYS });

  /** Returns the stored key of a log. @throws if it cannot be decrypted */
  const storedKeyOf = ({ _id, key }: AuditHeadDoc): KeyObject =>
    createSecretKey(Buffer.from(cipher.decrypt(key, keyOwner(_id)), 'base64'));

  function reencrypted({ _id, key }: AuditHeadDoc): string | null {
    try {
      return cipher.reencrypt(key, keyOwner(_id));
    } catch (error) {
      if (error instanceof CipherError && error.reason !== 'unknown_key') return null;
      throw error;
    }
  }

  return {
    storedKeyOf,
    /** Returns the key of a log, which the process may have decrypted before. @throws if it cannot be decrypted */
    keyOf(head: AuditHeadDoc): KeyObject {
      const id = `${head._id} ${head.key}`;
      const known = keys.get(id) ?? storedKeyOf(head);
      keys.set(id, known);
      return known;
    },
    /**
     * Returns the head of a log, which it creates with the first act.
     * @throws Error if no entry can be appended: the head was removed while the log has entries, which another key would not
     *   match, or was given a position that is none
     */
    async headOf(log: number): Promise<AuditHeadDoc> {
      const existing = await store.head(log);
      if (existing) return withPosition(existing);
      if (!(await store.hasEntries(log))) {
        const bytes = randomBytes(KEY_BYTES);
        const head = { _id: log, sequence: 0, hash: FIRST_PREVIOUS };
        const key = cipher.encrypt(bytes.toString('base64'), keyOwner(log));
        await store.ensureHead({ ...head, key, signature: signatureOf(createSecretKey(bytes), head) });
      }
      // Another process can have created the head, and appended an entry, meanwhile.
      const created = await store.head(log);
      if (!created) throw new Error(`The audit log ${log} has entries, but its head was removed.`);
      return withPosition(created);
    },
    hasSecretUnderUnknownKey: store.hasSecretUnderUnknownKey,
    /** Re-encrypts the keys of all logs that are under an older key, except those that were changed. */
    rotateSecrets: () => reencryptAll(store.heads(), reencrypted, store.replaceKey),
  };
}

export type AuditKeys = ReturnType<typeof auditKeys>;
