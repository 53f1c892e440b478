import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { toAppError } from '../../errors/to-app-error.ts';
import type { Logger } from '../../platform/logger.ts';
import { logServerError } from '../request-log.ts';

/**
 * Formats an error for a GraphQL response: `extensions` has `code`, `requestId` and optional `details` (contract 4).
 * Causes are logged, never sent.
 */
export function formatError(
  error: unknown,
  { requestId, log }: { requestId: string; log: Logger },
): GraphQLFormattedError {
  const appError = toAppError(error);
  logServerError(appError, { requestId, log });
  const { code, message, details } = appError;
  const { locations, path } = error instanceof GraphQLError ? error : {};
  return {
    message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: { code, ...(details && { details }), requestId },
  };
}
