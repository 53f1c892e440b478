import { hash } from 'node:crypto';
import { isObject } from '../../is-object.ts';
import type { Reencryption } from '../../reencrypt-secrets.ts';
import { createClaimedKeys } from './claimed-key.ts';
import { createTurns } from './exclusive-turns.ts';
import {
  createIdempotencyRecords,
  type IdempotencyAnswers,
  type IdempotencyRecordsDeps,
  type IdempotentValue,
  inProgress,
  type KeyedRequest,
  MAX_WAIT_MS,
  type Outcome,
} from './idempotency-records.ts';
import { type CommittingOperation, createIdempotentCommits } from './idempotent-commit.ts';

/** A request with an `Idempotency-Key`. */
export interface IdempotentRequest {
  /** Tenant of the request; the API key of a request without a tenant. */
  owner: string;
  /** Method and route: the same key on another route is another request. */
  route: string;
  key: string;
  /** JSON values that a repeated request must have in common with the first one. */
  input: unknown;
}

/**
 * Runs operations with an `Idempotency-Key` once, over all processes of a database. If there was an
 * earlier request with the same key, both methods return its value. They throw whatever the operation throws, and AppError
 * `CONFLICT` if the earlier request had a different input, is still in progress (with `retryAfter`), or may have made
 * changes and has no stored response.
 */
export interface Idempotency {
  /** For an operation that makes all of its changes in one commit, whose result determines its response. */
  recordInCommit<T>(
    request: IdempotentRequest,
    operation: CommittingOperation<T>,
  ): Promise<IdempotentValue<T>>;
  /** For every other operation. */
  claimFirst<T>(request: IdempotentRequest, execute: () => Promise<Outcome<T>>): Promise<IdempotentValue<T>>;
  /** The stored outcomes as data about people. */
  answers: IdempotencyAnswers;
  /** Re-encrypts the stored outcomes that are encrypted under an older key. */
  rotateSecrets(): Promise<Reencryption>;
}

/** Creates the execution of operations with an `Idempotency-Key`, over the records of a database. */
export function createIdempotency(deps: IdempotencyRecordsDeps): Idempotency {
  const records = createIdempotencyRecords(deps);
  const executeWithCommit = createIdempotentCommits({ ...deps, records });
  const executeClaimed = createClaimedKeys({ ...deps, records });
  // In one group, two requests with the same key would abort its transaction.
  const turns = createTurns({ maxWaitMs: MAX_WAIT_MS, timeout: inProgress });

  function inTurn<T>(
    { owner, route, key, input }: IdempotentRequest,
    run: (request: KeyedRequest) => Promise<T>,
  ): Promise<T> {
    const id = `${owner}:${route}:${key}`;
    return turns(id, () => run({ owner, id, fingerprint: hash('sha256', canonicalJson(input)) }));
  }

  return {
    recordInCommit: (request, operation) =>
      inTurn(request, (keyed) => deps.whileStoring(request.owner, () => executeWithCommit(keyed, operation))),
    claimFirst: (request, execute) => inTurn(request, (keyed) => executeClaimed(keyed, execute)),
    answers: records.answers,
    rotateSecrets: records.rotateSecrets,
  };
}

/** Serializes JSON with sorted members, so that equal values have equal text. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
