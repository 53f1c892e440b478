import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { toAppError } from '../../errors/to-app-error.ts';
import type { Logger } from '../../platform/logger.ts';
import { logServerError } from '../request-log.ts';
import { boundedDetails, boundedErrors, boundedMessage } from '../response/error-size.ts';

const MAX_LOCATIONS = 50;
/** Maximum path length; a path contains the aliases of a document, which may be long. */
const MAX_PATH_CHARACTERS = 2_000;

interface FormatContext {
  requestId: string;
  log: Logger;
}

/**
 * Formats the errors of a GraphQL response: `extensions` has `code`, `requestId` and optional `details` (contract 4).
 * Causes are logged, never sent.
 */
export const formatErrors = (errors: readonly unknown[], context: FormatContext): GraphQLFormattedError[] =>
  boundedErrors(errors.map((error) => formatError(error, context)));

function formatError(error: unknown, { requestId, log }: FormatContext): GraphQLFormattedError {
  const appError = toAppError(error);
  logServerError(appError, { requestId, log });
  const { code, message } = appError;
  const details = boundedDetails(appError.details);
  const { locations, path } = error instanceof GraphQLError ? error : {};
  return {
    message: boundedMessage(message),
    ...(locations && { locations: locations.slice(0, MAX_LOCATIONS) }),
    ...(path && path.join().length <= MAX_PATH_CHARACTERS && { path }),
    extensions: { code, ...(details && { details }), requestId },
  };
}
