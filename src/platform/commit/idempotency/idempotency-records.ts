import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../errors/app-error.ts';
import { type Cipher, CipherError, encryptedUnder } from '../../cipher.ts';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { type Reencryption, reencryptAll } from '../../reencrypt-secrets.ts';
import type { TenantRef } from '../../tenant-ref.ts';
import { createTimeSlice } from '../../time-slice.ts';
import type { IdempotencyDoc } from './idempotency.model.ts';
import type { EncryptedField, IdempotencyStore } from './idempotency.store.ts';

/** Lifetime of an `Idempotency-Key` (contract 4). */
const TTL_MS = 24 * 60 * 60 * 1000;
/** Maximum wait of a request for the outcome of an earlier request with the same key. */
export const MAX_WAIT_MS = 10_000;
/** Interval at which a waiting request polls for that outcome. */
const POLL_INTERVAL_MS = 50;
/** Maximum size of a stored response, in characters of its JSON. */
const MAX_RESPONSE_CHARACTERS = 256 * 1024;

/** A request as its record identifies it. */
export interface KeyedRequest {
  /** As `IdempotentRequest`. */
  owner: string;
  /** Owner, route and key. */
  id: string;
  /** Hash of the input. */
  fingerprint: string;
}

/** Outcome of an operation. Only the value of a success is stored, as JSON. */
export interface Outcome<T> {
  value: T;
  isSuccess: boolean;
  /** True if a failed operation may have made changes; it is then not executed again. */
  mayHaveChanged?: boolean;
}

/** Result of an operation; `replayed` if an earlier request executed it. */
export interface IdempotentValue<T> {
  value: T;
  replayed: boolean;
}

/** What is stored of an earlier request with the same key. */
interface Earlier<T> {
  /** Its response; null if the present request must be executed. */
  response: IdempotentValue<T> | null;
  /** Its record, which may have expired; null for none. */
  record: IdempotencyDoc | null;
}

/** Difference between the clocks of processes that is allowed for. */
const MAX_CLOCK_SKEW_MS = 60 * 60 * 1000;
/** Records per read. */
const SCAN_BATCH = 200;

/** The stored outcomes as data about people, for their erasure. */
export interface IdempotencyAnswers {
  /**
   * Returns the keys of a tenant whose request has ended, with their outcomes in plain text, except those under an encryption key that is not configured.
   *
   * @param after `next` of the previous call; null for the first one
   * @param since leaves out the keys of earlier requests, within the accuracy of the clocks of processes
   */
  scan(
    tenant: TenantRef,
    after: string | null,
    since?: Date,
  ): Promise<{ found: { id: string; texts: string[] }[]; next: string | null }>;
  /** Removes records with their keys, which clients choose: a repetition of such a request is executed again. */
  remove(ids: readonly string[]): Promise<void>;
}

export interface IdempotencyRecordsDeps {
  /** Runs an operation whose outcome is stored: an erasure removes outcomes once those in progress are stored. */
  whileStoring: <T>(owner: string, operation: () => Promise<T>) => Promise<T>;
  /** Takes bytes of an owner's budget for stored responses; returns false if it does not suffice. */
  reserveBytes: (budget: string, bytes: number) => Promise<boolean>;
  store: IdempotencyStore;
  cipher: Cipher;
  clock: Clock;
  log: Logger;
}

export type IdempotencyRecords = ReturnType<typeof createIdempotencyRecords>;

/** The records of requests with an `Idempotency-Key`. Results and responses are encrypted, each bound to its record. */
export function createIdempotencyRecords({
  store,
  reserveBytes,
  cipher,
  clock,
  log,
}: IdempotencyRecordsDeps) {
  /** @throws AppError `CONFLICT` if the encryption key is no longer configured */
  function decrypt(id: string, ciphertext: string): string {
    try {
      return cipher.decrypt(ciphertext, cipherOwnerOf(id));
    } catch (error) {
      if (!(error instanceof CipherError)) throw error;
      log.warn({ err: error }, 'failed to decrypt the stored response of an Idempotency-Key');
      throw noResponse();
    }
  }

  /** Returns null for a value under an unknown encryption key: its record is refused until it expires, within a day. */
  function reencrypt(id: string, ciphertext: string | null): string | null {
    try {
      return ciphertext && cipher.reencrypt(ciphertext, cipherOwnerOf(id));
    } catch (error) {
      if (error instanceof CipherError) return null;
      throw error;
    }
  }

  const isCurrent = (record: IdempotencyDoc | null): record is IdempotencyDoc =>
    record !== null && record.expiresAt > clock.now();

  const encrypt = (id: string, text: string): string => cipher.encrypt(text, cipherOwnerOf(id));

  return {
    newRecord: (
      { id, fingerprint }: Omit<KeyedRequest, 'owner'>,
      outcome: Partial<IdempotencyDoc> = {},
    ): IdempotencyDoc => ({
      _id: id,
      fingerprint,
      result: null,
      response: null,
      claimedUntil: null,
      expiresAt: new Date(clock.now().getTime() + TTL_MS),
      ...outcome,
    }),

    /** Returns true if a record exists and has not expired. */
    isCurrent,

    encrypt,
    decrypt,

    /**
     * Returns the ciphertext of a response; null if the response is too large to be stored, or the owner has stored too
     * much.
     *
     * @param protocol has a budget of its own: a committed response is made again, a claimed one is lost
     */
    async encryptResponse(
      { id, owner }: KeyedRequest,
      value: unknown,
      protocol: 'claimed' | 'committed',
    ): Promise<string | null> {
      const json = JSON.stringify(value);
      if (json.length > MAX_RESPONSE_CHARACTERS) return null;
      const ciphertext = encrypt(id, json);
      return (await reserveBytes(`${owner}:${protocol}`, ciphertext.length)) ? ciphertext : null;
    },

    /**
     * Returns the stored data of an earlier request with the same key. Waits while that request is in progress.
     *
     * @throws AppError `CONFLICT` if the input differs, the wait is too long, or the response was not stored
     */
    async earlier<T>({ id, fingerprint }: KeyedRequest): Promise<Earlier<T>> {
      const deadline = performance.now() + MAX_WAIT_MS;
      for (;;) {
        const record = await store.find(id);
        if (!isCurrent(record)) return { response: null, record };
        if (record.fingerprint !== fingerprint) throw differentInput();
        if (record.response !== null) {
          const value = JSON.parse(decrypt(id, record.response)) as T;
          return { response: { value, replayed: true }, record };
        }
        if (record.claimedUntil === null) return { response: null, record };
        if (record.claimedUntil <= clock.now()) throw noResponse();
        if (performance.now() > deadline) throw inProgress();
        await sleep(POLL_INTERVAL_MS);
      }
    },

    answers: {
      async scan({ customerId }, after, since) {
        const expiresAfter = since ? new Date(since.getTime() + TTL_MS - MAX_CLOCK_SKEW_MS) : null;
        const rows = await store.ofTenant(customerId, {
          ...{ after, limit: SCAN_BATCH, now: clock.now(), expiresAfter },
        });
        const yieldToRequests = createTimeSlice();
        const textOf = (id: string, ciphertext: string | null) => {
          try {
            return ciphertext === null ? [] : [cipher.decrypt(ciphertext, cipherOwnerOf(id))];
          } catch (error) {
            if (error instanceof CipherError) return [];
            throw error;
          }
        };
        const found: { id: string; texts: string[] }[] = [];
        for (const { _id: id, result, response } of rows) {
          await yieldToRequests();
          found.push({ id, texts: [...textOf(id, result), ...textOf(id, response)] });
        }
        return {
          found,
          next: rows.length < SCAN_BATCH ? null : (rows.at(-1)?._id ?? null),
        };
      },
      remove: store.remove,
    } satisfies IdempotencyAnswers,

    /** Re-encrypts the stored outcomes that are encrypted under an older key. */
    async rotateSecrets(): Promise<Reencryption> {
      const isPrimary = encryptedUnder([cipher.primaryKeyId]);
      const rotate = (field: EncryptedField): Promise<Reencryption> =>
        reencryptAll(
          store.notMatching(field, isPrimary),
          (record) => reencrypt(record._id, record[field]),
          (record, ciphertext) => store.replace(record, field, [record[field] ?? '', ciphertext]),
        );
      const [results, responses] = [await rotate('result'), await rotate('response')];
      return {
        checked: results.checked + responses.checked,
        reencrypted: results.reencrypted + responses.reencrypted,
      };
    },
  };
}

/** Returns the owner that the ciphertexts of a record are bound to. */
const cipherOwnerOf = (id: string): string => `idempotency:${id}`;

export const differentInput = () =>
  new AppError(
    'CONFLICT',
    'This Idempotency-Key was used with a different request; use a new key for a new request.',
  );

export const inProgress = () =>
  new AppError(
    'CONFLICT',
    'A request with this Idempotency-Key is in progress; retry after the time in Retry-After.',
    { retryAfter: 1 },
  );

const noResponse = () =>
  new AppError(
    'CONFLICT',
    'The response to the first request with this Idempotency-Key was not stored, and the request may have been executed; read the current state, then use a new key for a new request.',
  );
