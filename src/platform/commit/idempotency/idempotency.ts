import { hash } from 'node:crypto';
import { isObject } from '../../is-object.ts';
import type { Reencryption } from '../../reencrypt-secrets.ts';
import { createClaimedKeys } from './claimed-key.ts';
import { createTurns } from './exclusive-turns.ts';
import {
  createIdempotencyRecords,
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
  /** Tenant that the request acts for, or the API key if it acts for none. */
  owner: string;
  /** Method and route: the same key on another route is another request. */
  route: string;
  key: string;
  /** JSON values that a repetition has in common with the first request. */
  input: unknown;
}

/**
 * Runs operations with an `Idempotency-Key` once, over all processes of a database. Both methods return the value of the
 * earlier request with the same key if there is one. They throw whatever the operation throws, and AppError `CONFLICT` if
 * the key was used with a different input, is in use by a request in progress (with `retryAfter`), or if the earlier
 * request may have made changes and has no stored response.
 */
export interface Idempotency {
  /** For an operation that makes all of its changes in one commit, whose result determines its response. */
  recordInCommit<T>(
    request: IdempotentRequest,
    operation: CommittingOperation<T>,
  ): Promise<IdempotentValue<T>>;
  /** For every other operation. */
  claimFirst<T>(request: IdempotentRequest, execute: () => Promise<Outcome<T>>): Promise<IdempotentValue<T>>;
  /** Re-encrypts the stored outcomes that are encrypted under an older key. */
  rotateSecrets(): Promise<Reencryption>;
}

export function createIdempotency(deps: IdempotencyRecordsDeps): Idempotency {
  const records = createIdempotencyRecords(deps);
  const executeWithCommit = createIdempotentCommits({ ...deps, records });
  const executeClaimed = createClaimedKeys({ ...deps, records });
  // Committed together, requests with the same key would abort the transaction of their group.
  const turns = createTurns({ maxWaitMs: MAX_WAIT_MS, timeout: inProgress });

  function inTurn<T>(
    { owner, route, key, input }: IdempotentRequest,
    run: (request: KeyedRequest) => Promise<T>,
  ): Promise<T> {
    const id = `${owner}:${route}:${key}`;
    return turns(id, () => run({ id, fingerprint: hash('sha256', canonicalJson(input)) }));
  }

  return {
    recordInCommit: (request, operation) => inTurn(request, (keyed) => executeWithCommit(keyed, operation)),
    claimFirst: (request, execute) => inTurn(request, (keyed) => executeClaimed(keyed, execute)),
    rotateSecrets: records.rotateSecrets,
  };
}

/** Serializes JSON with the members of objects in one order, so that equal values have equal text. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
