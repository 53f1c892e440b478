import { isObject } from '../../is-object.ts';
import { duplicateKeyOf } from '../../mongo/duplicate-key.ts';
import type { Committed, Plan, UnitOfWork } from '../unit-of-work.ts';
import type { IdempotencyDoc } from './idempotency.model.ts';
import {
  differentInput,
  type IdempotencyRecords,
  type IdempotencyRecordsDeps,
  type IdempotentValue,
  inProgress,
  type KeyedRequest,
  type Outcome,
} from './idempotency-records.ts';

/**
 * The one commit of a request with an `Idempotency-Key`. A resolver passes it to its service, and the service to the
 * outbox.
 */
export interface IdempotentCommit {
  /**
   * Commits a unit of work with the record of the request as one more write, or returns the result that an earlier
   * request has committed.
   *
   * @throws whatever `commit` throws; AppError `CONFLICT` if the earlier request had a different input
   */
  run<E, T, F>(
    plan: Plan<E, T>,
    commit: (plan: Plan<E, T>) => Promise<Committed<T, F>>,
  ): Promise<Committed<T, F>>;
}

/** Options of a service method that commits. */
export interface CommitOptions {
  /** Null or absent if the request has no key, or its key was claimed. */
  idempotency?: IdempotentCommit | null;
}

export interface CommittingOperation<T> {
  /** True if the response follows from the result of the commit, so that only the result is stored. */
  resultSuffices: boolean;
  /** @param commit writes the record; the operation must commit its changes through it */
  execute(commit: IdempotentCommit): Promise<Outcome<T>>;
}

/**
 * The protocol of an operation that makes all of its changes in one commit, whose result determines its response. The
 * record is part of the commit. A lost response is recomputed from the stored result.
 */
export function createIdempotentCommits({
  store,
  log,
  records,
}: Pick<IdempotencyRecordsDeps, 'store' | 'log'> & { records: IdempotencyRecords }) {
  /** @param earlier the record that was read before the operation began */
  function newCommit(request: KeyedRequest, earlier: IdempotencyDoc | null) {
    const { id, fingerprint } = request;
    let hasBegun = false;
    /** Undefined once the record may have changed. */
    let known: IdempotencyDoc | null | undefined = earlier;
    /** True if the latest plan writes the record: it is stored if the operation succeeds. */
    let isRecorded = false;
    /** True if the latest plan returned the result of an earlier request. */
    let replayed = false;

    async function planOnce<E, T>(plan: Plan<E, T>): Promise<UnitOfWork<E, T>> {
      const stored = known === undefined ? await store.find(id) : known;
      known = undefined;
      isRecorded = false;
      if (records.isCurrent(stored)) {
        if (stored.fingerprint !== fingerprint) throw differentInput();
        // A repeated request that changed nothing has stored its response, which the next request returns.
        if (stored.result === null) throw inProgress();
        replayed = true;
        const result = decode<T>(records.decrypt(id, stored.result));
        return { writes: [store.confirmation(stored)], events: [], result };
      }
      const unit = await plan();
      // Nothing to commit: the operation finds its changes already made.
      if (unit.writes.length === 0 && unit.events.length === 0) return unit;
      const record = records.newRecord(request, { result: records.encrypt(id, encode(unit.result)) });
      const expired = stored ? [store.removal(stored)] : [];
      isRecorded = true;
      return { ...unit, writes: [...expired, ...unit.writes, store.insertion(record)] };
    }

    const commit: IdempotentCommit = {
      async run(plan, commitPlan) {
        if (hasBegun) throw new Error('An operation that is declared to commit once commits again.');
        hasBegun = true;
        const commitRecorded = () => commitPlan(() => planOnce(plan));
        return commitRecorded().catch((error: unknown) => {
          if (duplicateKeyOf(error) === null) throw error;
          // Another process has committed a request with the same key: its result is stored now.
          return commitRecorded();
        });
      },
    };
    return {
      commit,
      wasUsed: () => hasBegun,
      /** Returns true if the record has the result of the operation. */
      hasResult: () => isRecorded || replayed,
      replayed: () => replayed,
    };
  }

  async function saveResponse(request: KeyedRequest, value: unknown): Promise<void> {
    const ciphertext = await records.encryptResponse(request, value, 'committed');
    if (ciphertext !== null) await store.saveResponse(records.newRecord(request), ciphertext);
  }

  /** Executes the operation, or returns the response to an earlier request. */
  return async <T>(
    request: KeyedRequest,
    { resultSuffices, execute }: CommittingOperation<T>,
  ): Promise<IdempotentValue<T>> => {
    const { response, record } = await records.earlier<T>(request);
    if (response) return response;
    const { commit, wasUsed, hasResult, replayed } = newCommit(request, record);
    const { value, isSuccess } = await execute(commit);
    if (!isSuccess) return { value, replayed: replayed() };
    if (!wasUsed()) throw new Error('An operation that is declared to commit once commits without its key.');
    // Saves a write per request: a repeated request recomputes the response from the result of the commit.
    if (!(resultSuffices && hasResult()))
      await saveResponse(request, value).catch((error: unknown) => {
        log.warn({ err: error }, 'failed to store the response of an Idempotency-Key');
      });
    return { value, replayed: replayed() };
  };
}

/** Serializes the result of a commit, which is JSON with dates. */
const encode = (result: unknown): string => JSON.stringify(withoutDates({ result }));

const decode = <T>(text: string): T => (withDates(JSON.parse(text)) as { result: T }).result;

/** Replaces dates by `{ $date }`, and escapes names that begin with `$`, such as the operators of a filter. */
function withoutDates(value: unknown): unknown {
  if (value instanceof Date) return { $date: value.toISOString() };
  if (Array.isArray(value)) return value.map(withoutDates);
  if (!isObject(value)) return value;
  const escaped = (name: string): string => (name.startsWith('$') ? `$${name}` : name);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [escaped(name), withoutDates(member)]),
  );
}

/** Reverses `withoutDates`. An earlier build stored extended JSON, where a time before 1970 is a number of milliseconds. */
function withDates(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDates);
  if (!isObject(value)) return value;
  if (typeof value.$date === 'string') return new Date(value.$date);
  if (isObject(value.$date)) return new Date(Number(value.$date.$numberLong));
  const unescaped = (name: string): string => (name.startsWith('$$') ? name.slice(1) : name);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [unescaped(name), withDates(member)]),
  );
}
