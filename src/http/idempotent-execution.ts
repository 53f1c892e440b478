import type { GraphQLField } from 'graphql';
import type { GraphQLContext } from '../../schema/context.ts';
import { AppError } from '../errors/app-error.ts';
import type { IdempotentRequest } from '../platform/commit/idempotency/idempotency.ts';
import type { Outcome } from '../platform/commit/idempotency/idempotency-records.ts';

interface Operation extends Pick<IdempotentRequest, 'route' | 'input'> {
  /** True if the operation makes all of its changes in one commit, whose result determines its response. */
  commitsOnce: boolean;
  /** True if the response consists of that result alone; false by default. */
  resultSuffices?: boolean;
}

/**
 * Executes an operation, or replays the response to an earlier request with the same `Idempotency-Key` (contract 4).
 * @throws whatever `execute` throws; AppError CONFLICT for the key, VALIDATION_FAILED if it is malformed
 */
export async function executeOnce<T>(
  context: GraphQLContext,
  { route, input, commitsOnce, resultSuffices = false }: Operation,
  execute: () => Promise<Outcome<T>>,
): Promise<T> {
  const key = context.idempotencyKey;
  if (key === null) return (await execute()).value;
  const { idempotency } = context.services;
  const request = { owner: ownerOf(context), route, key, input: inputOf(context, input) };
  const { value, replayed } = commitsOnce
    ? await idempotency.recordInCommit(request, {
        resultSuffices,
        execute(commit) {
          context.idempotency = commit;
          return execute();
        },
      })
    : await idempotency.claimFirst(request, execute);
  if (replayed) context.responseHeaders['Idempotent-Replayed'] = 'true';
  return value;
}

/** Returns true if a field is declared to make all of its changes in one commit (`schema/commits-once.ts`). */
export const commitsOnce = ({ extensions }: GraphQLField<unknown, unknown>): boolean =>
  extensions.commitsOnce === true;

/**
 * Returns what a repeated request must have in common with the first one: the resources of a limited key as well, since
 * they decide what it may read of the stored response.
 */
const inputOf = ({ principal: { resources } }: GraphQLContext, input: unknown): unknown =>
  resources === null ? input : [input, resources.toSorted()];

/** Returns the tenant that a request acts for; the API key if it names none. */
function ownerOf({ tenant, principal }: GraphQLContext): string {
  try {
    return String(tenant().customerId);
  } catch (error) {
    if (error instanceof AppError) return `key-${principal.keyId}`;
    throw error;
  }
}
