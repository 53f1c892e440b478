import type { ExecutionResult, GraphQLFormattedError } from 'graphql';
import type { GraphQLContext } from '../../../schema/context.ts';
import { ERROR_STATUS, type ErrorCode } from '../../errors/error-codes.ts';
import { toAppError } from '../../errors/to-app-error.ts';
import { formatErrors } from './format-error.ts';
import { EVENT_STREAM_TYPE, GRAPHQL_RESPONSE_TYPE, type ResponseType } from './response-types.ts';
import { completeEventStream, serverSentEvents } from './server-sent-events.ts';

export interface GraphQLResponse {
  status: number;
  type: ResponseType;
  /** Alternating names and values (`Idempotent-Replayed`). */
  headers: readonly string[];
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

/** Builds the response to an operation that was executed. */
export const resultResponse = (
  type: ResponseType,
  result: ExecutionResult,
  context: GraphQLContext,
): GraphQLResponse => ({
  ...completeResponse(type, formatResult(result, context)),
  headers: [...Object.entries(context.responseHeaders).flat(), ...retryAfterHeader(result.errors)],
});

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
  return { status: 200, type: EVENT_STREAM_TYPE, headers: [], body };
}

/** Builds the response to an operation that was not executed. */
export function failureResponse(
  type: ResponseType,
  error: unknown,
  context: GraphQLContext,
): GraphQLResponse {
  const errors = formatErrors(error instanceof AggregateError ? error.errors : [error], context);
  const { allow } = toAppError(error);
  const headers = allow ? ['Allow', allow.join(', ')] : retryAfterHeader([error]);
  return { ...completeResponse(type, { errors }), headers };
}

function completeResponse(
  type: ResponseType,
  result: FormattedResult,
): Pick<GraphQLResponse, 'status' | 'type' | 'body'> {
  if (type === EVENT_STREAM_TYPE) return { status: 200, type, body: completeEventStream(result) };
  return { status: statusOf(type, result), type, body: JSON.stringify(result) };
}

/**
 * Returns the HTTP status of a result. Once execution has begun it is 200. Before, `application/json` has a 4xx only for
 * requests that are malformed; `application/graphql-response+json` has one for every error.
 */
function statusOf(type: ResponseType, { data, errors = [] }: FormattedResult): number {
  if (data !== undefined) return 200;
  const codes = errors.map(({ extensions }) => extensions?.code as ErrorCode);
  if (codes.includes('METHOD_NOT_ALLOWED')) return 405;
  if (codes.some((code) => ERROR_STATUS[code] === 400)) return 400;
  if (type !== GRAPHQL_RESPONSE_TYPE) return 200;
  const [code = 'INTERNAL'] = codes;
  // Variables that cannot be coerced are a 400 in GraphQL over HTTP.
  return code === 'VALIDATION_FAILED' ? 400 : ERROR_STATUS[code];
}

/** Returns `Retry-After` if the limit of an operation was exceeded; the message contains the seconds as well. */
function retryAfterHeader(errors: readonly unknown[] = []): string[] {
  const seconds = errors.map((error) => toAppError(error).retryAfter ?? 0);
  const longest = Math.max(0, ...seconds);
  return longest > 0 ? ['Retry-After', String(longest)] : [];
}
