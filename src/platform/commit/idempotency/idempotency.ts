import { AsyncLocalStorage } from 'node:async_hooks';
import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { mayHaveChanged } from '../../../errors/to-app-error.ts';
import type { Cipher } from '../../cipher.ts';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../logger.ts';
import { duplicateKeyOf } from '../../mongo/duplicate-key.ts';
import type { Reencryption } from '../../reencrypt-secrets.ts';
import type { Committed, UnitOfWork } from '../committer.ts';
import { canonicalJson } from './canonical-json.ts';
import { createTurns } from './exclusive-turns.ts';
import type { IdempotencyDoc } from './idempotency.model.ts';
import type { IdempotencyStore } from './idempotency.store.ts';
import { differentInput, inProgress, noResponse } from './idempotency-errors.ts';
import { createOutcomeEncryption } from './outcome-encryption.ts';

/** Lifetime of an `Idempotency-Key` (contract 4). */
const TTL_MS = 24 * 60 * 60 * 1000;
/** Longest time that a request waits for the outcome of an earlier one with the same key. */
const MAX_WAIT_MS = 10_000;
/** Interval at which a request reads whether another process has completed an earlier one. */
const POLL_INTERVAL_MS = 50;
/** Longest duration of an operation: a claim without an outcome after that is one of a process that died. */
const CLAIM_MS = 60_000;
/** Maximum size of a stored response. Characters of its JSON. */
const MAX_RESPONSE_CHARACTERS = 256 * 1024;

/** A request with an `Idempotency-Key`. */
export interface IdempotentRequest {
  /** Tenant that the request acts for, or the API key if it acts for none. */
  owner: string;
  /** Method and route: the same key on another route is another request. */
  route: string;
  key: string;
  /** JSON values that a repetition has in common with the first request. */
  input: unknown;
  /** True if the operation makes all of its changes in one commit of the outbox, whose result determines its response. */
  commitsOnce: boolean;
  /** True if the response contains nothing besides that result: it is not stored as well. */
  resultSuffices?: boolean;
}

/** Outcome of an operation. Only the value of a success is stored, as JSON. */
export interface Outcome<T> {
  value: T;
  isSuccess: boolean;
  /** True if an operation that failed may have made changes: it is not executed again. */
  mayHaveChanged?: boolean;
}

/** Value of an operation that was executed now or, if `replayed`, by an earlier request. */
export interface IdempotentValue<T> {
  value: T;
  replayed: boolean;
}

/** Runs operations with an `Idempotency-Key` once, over all processes of a database. */
export interface Idempotency {
  /**
   * Executes an operation, or returns the value of the earlier request with the same key.
   *
   * @throws whatever `execute` throws; AppError `CONFLICT` if the key was used with a different input, is in use by a
   *   request in progress (with `retryAfter`), or if the earlier request may have made changes and has no stored response
   */
  run<T>(request: IdempotentRequest, execute: () => Promise<Outcome<T>>): Promise<IdempotentValue<T>>;
  /** Makes the record of the current request, if it has a key, part of a commit. */
  commitOnce: CommitOnce;
  /** Re-encrypts the stored outcomes that are encrypted under an older key. */
  rotateSecrets(): Promise<Reencryption>;
}

type Plan<E, T> = () => Promise<UnitOfWork<E, T>> | UnitOfWork<E, T>;

export type CommitOnce = <E, T, F>(
  plan: Plan<E, T>,
  commit: (plan: Plan<E, T>) => Promise<Committed<T, F>>,
) => Promise<Committed<T, F>>;

/** State of a request that commits once. */
interface CommitState {
  id: string;
  fingerprint: string;
  /** Record as read before the operation began; undefined once it may have changed. */
  stored: IdempotencyDoc | null | undefined;
  hasCommitted: boolean;
  /** True if the latest plan writes the record: if the operation succeeds, its result is stored. */
  isRecorded: boolean;
  /** True if the commit returned the result of an earlier request. */
  replayed: boolean;
}

interface Deps {
  store: IdempotencyStore;
  cipher: Cipher;
  clock: Clock;
  log: Logger;
}

export function createIdempotency({ store, cipher, clock, log }: Deps): Idempotency {
  const inTurn = createTurns({ maxWaitMs: MAX_WAIT_MS, timeout: inProgress });
  const commits = new AsyncLocalStorage<CommitState>();

  const { encrypt, decrypt, rotateSecrets } = createOutcomeEncryption({ store, cipher, log });

  const isCurrent = (stored: IdempotencyDoc | null): stored is IdempotencyDoc =>
    stored !== null && stored.expiresAt > clock.now();

  const newRecord = (
    { id, fingerprint }: Pick<CommitState, 'id' | 'fingerprint'>,
    outcome: Partial<IdempotencyDoc> = {},
  ): IdempotencyDoc => ({
    _id: id,
    fingerprint,
    result: null,
    response: null,
    claimedUntil: null,
    expiresAt: new Date(clock.now().getTime() + TTL_MS),
    ...outcome,
  });

  /** Executes an operation whose commit writes the record. */
  async function executeCommitting<T>(
    state: CommitState,
    { resultSuffices = false }: IdempotentRequest,
    execute: () => Promise<Outcome<T>>,
  ): Promise<IdempotentValue<T>> {
    const { value, isSuccess } = await commits.run(state, execute);
    // One write less per request: a repetition makes the response from the result of the commit.
    const isStored = resultSuffices && (state.isRecorded || state.replayed);
    const json = isSuccess && !isStored ? JSON.stringify(value) : undefined;
    if (json !== undefined && json.length <= MAX_RESPONSE_CHARACTERS)
      await store.saveResponse(newRecord(state), encrypt(state.id, json)).catch((error: unknown) => {
        log.warn({ err: error }, 'failed to store the response of an Idempotency-Key');
      });
    return { value, replayed: state.replayed };
  }

  /** Executes an operation whose record was written before it began. */
  async function executeClaimed<T>(
    record: IdempotencyDoc,
    execute: () => Promise<Outcome<T>>,
  ): Promise<IdempotentValue<T>> {
    const finish = async (write: () => Promise<void>) => {
      await write().catch((error: unknown) => {
        log.warn({ err: error }, 'failed to store the outcome of an Idempotency-Key');
      });
    };
    const abandon = () => store.abandon(record, clock.now());
    let outcome: Outcome<T>;
    try {
      outcome = await execute();
    } catch (error) {
      await finish(() => (mayHaveChanged(error) ? abandon() : store.release(record)));
      throw error;
    }
    const { value, isSuccess } = outcome;
    const json = isSuccess ? JSON.stringify(value) : '';
    if (!isSuccess) await finish(() => (outcome.mayHaveChanged ? abandon() : store.release(record)));
    else if (json.length > MAX_RESPONSE_CHARACTERS) await finish(abandon);
    else await finish(() => store.completeClaim(record, encrypt(record._id, json)));
    return { value, replayed: false };
  }

  /** Returns the stored response; null if the request is to be executed, as it was not or its response was lost. */
  async function storedResponse<T>(state: CommitState): Promise<IdempotentValue<T> | null> {
    const deadline = performance.now() + MAX_WAIT_MS;
    for (;;) {
      const stored = await store.find(state.id);
      state.stored = stored;
      if (!isCurrent(stored)) return null;
      if (stored.fingerprint !== state.fingerprint) throw differentInput();
      if (stored.response !== null)
        return { value: JSON.parse(decrypt(state.id, stored.response)) as T, replayed: true };
      if (stored.claimedUntil === null) return null;
      if (stored.claimedUntil <= clock.now()) throw noResponse();
      if (performance.now() > deadline) throw inProgress();
      await sleep(POLL_INTERVAL_MS);
    }
  }

  async function runInTurn<T>(
    state: CommitState,
    request: IdempotentRequest,
    execute: () => Promise<Outcome<T>>,
  ): Promise<IdempotentValue<T>> {
    for (;;) {
      const earlier = await storedResponse<T>(state);
      if (earlier) return earlier;
      if (request.commitsOnce) return executeCommitting(state, request, execute);
      const now = clock.now();
      const claim = newRecord(state, { claimedUntil: new Date(now.getTime() + CLAIM_MS) });
      if (await store.claim(claim, now)) return executeClaimed(claim, execute);
    }
  }

  /** Plans a commit that writes the record; if an earlier request has written it, returns that one's result. */
  async function planOnce<E, T>(state: CommitState, plan: Plan<E, T>): Promise<UnitOfWork<E, T>> {
    const stored = state.stored === undefined ? await store.find(state.id) : state.stored;
    state.stored = undefined;
    state.isRecorded = false;
    if (isCurrent(stored)) {
      if (stored.fingerprint !== state.fingerprint) throw differentInput();
      // Stored by a repetition that changed nothing: its response is available to the next request.
      if (stored.result === null) throw inProgress();
      state.replayed = true;
      return { writes: [], events: [], result: decode<T>(decrypt(state.id, stored.result)) };
    }
    const planned = await plan();
    // A repetition that changes nothing.
    if (planned.writes.length === 0 && planned.events.length === 0) return planned;
    const record = newRecord(state, { result: encrypt(state.id, encode(planned.result)) });
    const expired = stored ? [store.removal(stored)] : [];
    state.isRecorded = true;
    return { ...planned, writes: [...expired, ...planned.writes, store.insertion(record)] };
  }

  return {
    run(request, execute) {
      const { owner, route, key, input } = request;
      const id = `${owner}:${route}:${key}`;
      // Serialized: committed together, requests with the same key would abort the transaction of their group.
      return inTurn(id, () => {
        const fingerprint = hash('sha256', canonicalJson(input));
        const state = {
          id,
          fingerprint,
          stored: undefined,
          hasCommitted: false,
          isRecorded: false,
          replayed: false,
        };
        return runInTurn(state, request, execute);
      });
    },

    async commitOnce(plan, commit) {
      const state = commits.getStore();
      if (!state) return commit(plan);
      if (state.hasCommitted) throw new Error('An operation that is declared to commit once commits again.');
      state.hasCommitted = true;
      const commitRecorded = () => commit(() => planOnce(state, plan));
      return commitRecorded().catch((error: unknown) => {
        if (duplicateKeyOf(error) === null) throw error;
        // Another process has committed a request with the same key: its result is stored now.
        return commitRecorded();
      });
    },

    rotateSecrets,
  };
}

/** Serializes the result of a commit; extended JSON keeps its dates. */
const encode = (result: unknown): string =>
  mongo.BSON.EJSON.stringify({ result }, undefined, undefined, { relaxed: true, ignoreUndefined: true });

const decode = <T>(text: string): T => (mongo.BSON.EJSON.parse(text) as { result: T }).result;
