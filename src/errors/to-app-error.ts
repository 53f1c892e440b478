import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { ZodError, type z } from 'zod';
import { AppError, type ErrorDetail } from '../errors.ts';
import type { Logger } from '../platform/logger.ts';
import { isUnavailable } from '../platform/mongo/unavailable.ts';

/**
 * What zod found, as details. Paths are those of the GraphQL arguments (`input.events.0`);
 * a REST mount whose route has a `body` argument strips that first step, since there the body is the argument.
 */
export function zodToAppError({ issues }: ZodError): AppError {
  return new AppError('VALIDATION_FAILED', 'The input is not valid.', { details: issues.flatMap(toDetails) });
}

function toDetails(issue: z.core.$ZodIssue): ErrorDetail[] {
  // zod names all unknown keys in one issue; a client wants each where it stands.
  const paths =
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
  return paths.map((path) => ({ path: path.map(String).join('.'), message: issue.message }));
}

/** What an error means to a client; anything that is not meant for one becomes INTERNAL, with itself as the cause. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof ZodError) return zodToAppError(error);
  if (!(error instanceof GraphQLError)) return internal(error);
  const { originalError, path } = error;
  if (!path) return originalError ? toAppError(originalError) : new AppError('BAD_REQUEST', error.message);
  // Located at a field: what its resolver threw, or graphql's own. That one has nodes when it is about an argument's
  // run-time value, and none when a resolver's answer does not fit the schema.
  if (!(originalError instanceof GraphQLError)) return toAppError(originalError ?? new Error(error.message));
  return originalError.nodes ? new AppError('VALIDATION_FAILED', error.message) : internal(error);
}

/** What is nobody's fault but ours, or the database's. */
const internal = (cause: unknown) =>
  isUnavailable(cause)
    ? new AppError('SERVICE_UNAVAILABLE', 'The database cannot be reached just now; try again in a moment.', {
        cause,
      })
    : new AppError('INTERNAL', 'Internal error.', { cause });

/**
 * An error as GraphQL answers it: `extensions` has `code`, `requestId` and, where there are any, `details` (contract 4).
 * Causes go to the log and nowhere else.
 */
export function formatError(
  error: unknown,
  { requestId, log }: { requestId: string; log: Logger },
): GraphQLFormattedError {
  const { code, message, details, cause, status } = toAppError(error);
  if (status >= 500) log.error({ err: cause ?? error, code, requestId }, 'request failed');
  const { locations, path } = error instanceof GraphQLError ? error : {};
  return {
    message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: { code, ...(details && { details }), requestId },
  };
}
