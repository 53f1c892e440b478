import type { TypedDocumentString } from '../generated/graphql.ts';
import { fetchFromService } from './connection.ts';

/** Customer of a request; the browser adds the session. */
export interface Access {
  /** The customer whose data is requested; null if none is selected. */
  customerId: number | null;
}

export interface ErrorDetail {
  path: string;
  message: string;
}

/** A GraphQL error with its code from the service's error catalog. */
export class ApiError extends Error {
  readonly code: string;
  readonly details: readonly ErrorDetail[];
  readonly requestId: string | null;

  constructor(
    code: string,
    message: string,
    { details = [], requestId = null }: { details?: readonly ErrorDetail[]; requestId?: string | null } = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.details = details;
    this.requestId = requestId;
  }
}

/** Returns true for an error of the service with this code. */
export const hasErrorCode = (error: unknown, code: string): error is ApiError =>
  error instanceof ApiError && error.code === code;

interface ErrorFields {
  code?: string;
  details?: ErrorDetail[];
  requestId?: string;
}

interface ResponseBody<R> {
  data?: R | null;
  errors?: { message: string; extensions?: ErrorFields }[];
}

/** Error of a request other than a GraphQL operation. */
interface RestErrorBody {
  error?: ErrorFields & { message: string };
}

/** Executes a query or mutation. @throws ApiError */
export type Call = <R, V>(
  document: TypedDocumentString<R, V>,
  ...[variables]: V extends Record<string, never> ? [] : [V]
) => Promise<R>;

/** Requests extend the session until this long after the user's last input. Milliseconds. */
const ACTIVE_MS = 60_000;

let lastInputAt = Date.now();

/** Records an input of the user. Without input, the session ends, although the page refreshes itself. */
export function recordInput(): void {
  lastInputAt = Date.now();
}

/** Builds the headers of every request, subscriptions included. */
export const requestHeaders = ({ customerId }: Access): Record<string, string> => ({
  // The service accepts a session only together with this header (protection against forged requests).
  'x-engagement-console': Date.now() - lastInputAt < ACTIVE_MS ? 'active' : 'background',
  ...(customerId === null ? {} : { 'x-customer-id': String(customerId) }),
});

/**
 * Returns the members of a request that identify its document. A production build sends the ID instead of the text: the
 * service can be configured to execute trusted documents only.
 */
export const documentParams = <R, V>(
  document: TypedDocumentString<R, V>,
): { query: string } | { documentId: string } =>
  import.meta.env.PROD
    ? { documentId: document.__meta__?.documentId as string }
    : { query: document.toString() };

const toApiError = (message: string, { code = 'INTERNAL', details, requestId }: ErrorFields): ApiError =>
  new ApiError(code, message, { details, requestId });

export type RequestOptions = RequestInit & { headers?: Record<string, string> };

/** Sends a request. @throws ApiError if the service is unreachable or responds with a REST error */
export async function sendRequest<T extends object>(
  path: string,
  access: Access,
  { headers, ...init }: RequestOptions,
): Promise<T> {
  const response = await fetchFromService(path, {
    ...init,
    headers: { ...requestHeaders(access), ...headers },
  }).catch(() => {
    throw new ApiError('SERVICE_UNAVAILABLE', 'Failed to connect to the service.');
  });
  const body = (await response.json().catch(() => ({}))) as T & RestErrorBody;
  if (body.error) throw toApiError(body.error.message, body.error);
  if (response.status !== 204 && Object.keys(body).length === 0)
    throw new ApiError('INTERNAL', `The service returned HTTP ${response.status} without data.`);
  return body;
}

/**
 * Creates a client of the public GraphQL API, the only API that the console uses.
 *
 * @param onUnauthenticated called with the reason when the service rejects the session
 */
export function createCall(access: Access, onUnauthenticated: (reason: string) => void): Call {
  return async <R, V>(document: TypedDocumentString<R, V>, ...[variables]: unknown[]): Promise<R> => {
    const { data, errors } = await sendRequest<ResponseBody<R>>('/graphql', access, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ ...documentParams(document), variables }),
    });
    const [error] = errors ?? [];
    if (error) {
      if (error.extensions?.code === 'UNAUTHENTICATED') onUnauthenticated(error.message);
      throw toApiError(error.message, error.extensions ?? {});
    }
    if (!data) throw new ApiError('INTERNAL', 'The response of the service has no data.');
    return data;
  };
}
