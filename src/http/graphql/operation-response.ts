import { type ExecutionResult, GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { GraphQLContext } from '../../../schema/context.ts';
import { ERROR_STATUS, type ErrorCode } from '../../errors/error-codes.ts';
import { toAppError } from '../../errors/to-app-error.ts';
import type { Logger } from '../../platform/logger.ts';
import { isServerError, logServerError } from '../request-log.ts';
import { boundedDetails, boundedErrors, boundedMessage } from '../response/error-size.ts';
import { EVENT_STREAM_TYPE, GRAPHQL_RESPONSE_TYPE, type ResponseType } from '../response/response-types.ts';
import { completeEventStream, serverSentEvents } from './server-sent-events.ts';

export interface GraphQLResponse {
  status: number;
  type: ResponseType;
  /** By name, such as `Idempotent-Replayed`. */
  headers: Record<string, string>;
  /** True if it has a server error, which the status says only if nothing was executed. */
  isFailed?: boolean;
  /** True for the result of a query: a read, which contains no secret. */
  isRead?: boolean;
  /**
   * A string is a complete body. An iterator yields server-sent events, each to be sent immediately; the caller calls
   * `return()` when the client disconnects or the server stops. It never throws.
   */
  body: string | AsyncIterableIterator<string>;
}

/** Result in the error format of contract 4; without `data` if the operation was not executed. */
interface FormattedResult {
  errors?: GraphQLFormattedError[];
  data?: unknown;
}

const formatResult = ({ data, errors }: ExecutionResult, context: GraphQLContext): FormattedResult =>
  errors ? { errors: formatErrors(errors, context), data } : { data };

/** A result with its JSON. */
interface SerializedResult extends ExecutionResult {
  json?: string;
}

/** Serializes the result of an operation that was executed, before its response is built. */
export const serialized = (result: ExecutionResult, context: GraphQLContext): SerializedResult => ({
  ...result,
  ...(result.data !== undefined && { json: JSON.stringify(formatResult(result, context)) }),
});

/** Builds the response to an operation that was executed or refused. */
export const resultResponse = (
  type: ResponseType,
  result: SerializedResult,
  context: GraphQLContext,
): GraphQLResponse => ({
  ...(result.json === undefined
    ? completeResponse(type, formatResult(result, context))
    : { status: 200, type, body: encoded(type, result.json) }),
  headers: { ...context.responseHeaders, ...retryAfterHeader(result.errors) },
  isFailed: hasServerError(result.errors),
});

const hasServerError = (errors: readonly unknown[] = []): boolean =>
  errors.some((error) => isServerError(toAppError(error)));

/** Builds the response to a subscription that has started. */
export function subscriptionResponse(
  results: AsyncIterable<ExecutionResult>,
  context: GraphQLContext,
): GraphQLResponse {
  const formatEvent = (event: ExecutionResult) => {
    context.reads.reset();
    return { result: formatResult(event, context), id: context.subscription.eventId };
  };
  const formatFailure = (error: unknown) => ({ errors: formatErrors([error], context) });
  const body = serverSentEvents(results, formatEvent, formatFailure);
  return { status: 200, type: EVENT_STREAM_TYPE, headers: {}, body };
}

/** Builds the response to an operation that was not executed. */
export function failureResponse(
  type: ResponseType,
  error: unknown,
  context: GraphQLContext,
): GraphQLResponse {
  const causes: unknown[] = error instanceof AggregateError ? error.errors : [error];
  const errors = formatErrors(causes, context);
  const { allow } = toAppError(error);
  const headers = allow ? { Allow: allow.join(', ') } : retryAfterHeader([error]);
  return { ...completeResponse(type, { errors }), headers, isFailed: hasServerError(causes) };
}

const completeResponse = (
  type: ResponseType,
  result: FormattedResult,
): Pick<GraphQLResponse, 'status' | 'type' | 'body'> => ({
  status: statusOf(type, result),
  type,
  body: encoded(type, JSON.stringify(result)),
});

const encoded = (type: ResponseType, json: string): string =>
  type === EVENT_STREAM_TYPE ? completeEventStream(json) : json;

/**
 * Returns the HTTP status of a result. Once execution has begun it is 200. Before, `application/json` has a 4xx only for
 * requests that are malformed; `application/graphql-response+json` has one for every error.
 */
function statusOf(type: ResponseType, { data, errors = [] }: FormattedResult): number {
  if (data !== undefined || type === EVENT_STREAM_TYPE) return 200;
  const codes = errors.map(({ extensions }) => extensions?.code as ErrorCode);
  if (codes.includes('METHOD_NOT_ALLOWED')) return 405;
  if (codes.some((code) => ERROR_STATUS[code] === 400)) return 400;
  if (type !== GRAPHQL_RESPONSE_TYPE) return 200;
  const [code = 'INTERNAL'] = codes;
  // Variables that cannot be coerced are a 400 in GraphQL over HTTP.
  return code === 'VALIDATION_FAILED' ? 400 : ERROR_STATUS[code];
}

/** Returns `Retry-After` if the limit of an operation was exceeded; the message contains the seconds as well. */
function retryAfterHeader(errors: readonly unknown[] = []): Record<string, string> {
  const seconds = errors.map((error) => toAppError(error).retryAfter ?? 0);
  const longest = Math.max(0, ...seconds);
  return longest > 0 ? { 'Retry-After': String(longest) } : {};
}

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
const formatErrors = (errors: readonly unknown[], context: FormatContext): GraphQLFormattedError[] =>
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
