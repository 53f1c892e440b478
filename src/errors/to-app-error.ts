import { GraphQLError } from 'graphql';
import { ZodError, type z } from 'zod';
import {
  isTimedOut,
  isUnavailable,
  isUnconfirmed,
  WritesUnavailable,
} from '../platform/mongo/unavailable.ts';
import { AppError } from './app-error.ts';
import { InputIssues, MAX_DETAILS } from './input-issues.ts';
import './validation-messages.ts';

/**
 * Reports zod's issues as details. Paths begin with the GraphQL argument (`input.events.0`);
 * a REST mount whose route has a `body` argument strips that first step, since there the body is the argument.
 */
function zodToAppError(error: ZodError): AppError {
  const issues = new InputIssues();
  addZodIssues(error, issues);
  return issues.toError();
}

/** @param base path of the validated value */
export function addZodIssues(error: ZodError, issues: InputIssues, base: readonly string[] = []): void {
  for (const issue of error.issues.slice(0, MAX_DETAILS)) {
    for (const path of pathsOf(issue)) issues.add([...base, ...path.map(String)], issue.message);
  }
}

/** Returns the paths of an issue: zod reports all unknown keys of an object in one issue; each becomes a separate detail. */
const pathsOf = (issue: z.core.$ZodIssue): PropertyKey[][] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.slice(0, MAX_DETAILS).map((key) => [...issue.path, key])
    : [issue.path];

/** Maps any thrown value to the error that clients see. An unexpected error becomes INTERNAL, with the original as cause. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof ZodError) return zodToAppError(error);
  if (!(error instanceof GraphQLError)) return unexpected(error);
  const { originalError, path } = error;
  if (!path) return originalError ? toAppError(originalError) : new AppError('BAD_REQUEST', error.message);
  // Located at a field: thrown by its resolver, or by graphql-js. The latter has nodes if it concerns an argument's
  // run-time value, and none if a resolver's result does not fit the schema.
  if (!(originalError instanceof GraphQLError)) return toAppError(originalError ?? new Error(error.message));
  return originalError.nodes ? new AppError('VALIDATION_FAILED', error.message) : unexpected(error);
}

/** Returns true if an operation that failed with this error may have made changes: the database or the code failed. */
export function mayHaveChanged(error: unknown): boolean {
  const { code, cause } = toAppError(error);
  return code === 'INTERNAL' || (isUnavailable(cause) && !(cause instanceof WritesUnavailable));
}

function unexpected(cause: unknown): AppError {
  if (isTimedOut(cause))
    return new AppError(
      'SERVICE_UNAVAILABLE',
      'The database did not complete the read in time; narrow the request, or try again later.',
      { cause },
    );
  if (isUnconfirmed(cause))
    return new AppError(
      'SERVICE_UNAVAILABLE',
      'The database did not confirm the change in time, so it may have been made; retry with the same Idempotency-Key, or read the current state first.',
      { cause },
    );
  if (cause instanceof WritesUnavailable)
    return new AppError(
      'SERVICE_UNAVAILABLE',
      'The database confirms no changes at present, and nothing was changed; try again later.',
      { cause },
    );
  return isUnavailable(cause)
    ? new AppError('SERVICE_UNAVAILABLE', 'The database is unavailable; try again later.', { cause })
    : new AppError('INTERNAL', 'Internal error.', { cause });
}
