import type { TypedDocumentString } from '../generated/graphql.ts';
import { fetchFromService } from './connection.ts';

/** Credentials of a request. */
export interface Access {
  key: string;
  /** The customer that an admin key acts for; null if the key belongs to a customer or none is selected. */
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

interface ResponseBody<R> {
  data?: R | null;
  errors?: { message: string; extensions?: { code?: string; details?: ErrorDetail[]; requestId?: string } }[];
}

/** Executes a query or mutation. @throws ApiError */
export type Call = <R, V>(
  document: TypedDocumentString<R, V>,
  ...[variables]: V extends Record<string, never> ? [] : [V]
) => Promise<R>;

/** Builds the headers of every request, subscriptions included. */
export const requestHeaders = ({ key, customerId }: Access): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  ...(customerId === null ? {} : { 'x-customer-id': String(customerId) }),
});

/**
 * Returns the members of a request that identify its document. A production build names the text that the service has,
 * so that the console works where the service executes trusted documents only.
 */
export const documentParams = <R, V>(
  document: TypedDocumentString<R, V>,
): { query: string } | { documentId: string } =>
  import.meta.env.PROD
    ? { documentId: document.__meta__?.documentId as string }
    : { query: document.toString() };

/**
 * Creates a client of the public GraphQL API, the only API that the console uses.
 *
 * @param onUnauthenticated called when the service rejects the key
 */
export function createCall(access: Access, onUnauthenticated: () => void): Call {
  return async <R, V>(document: TypedDocumentString<R, V>, ...[variables]: unknown[]): Promise<R> => {
    const response = await fetchFromService('/graphql', {
      method: 'POST',
      headers: { ...requestHeaders(access), 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ ...documentParams(document), variables }),
    }).catch(() => {
      throw new ApiError('SERVICE_UNAVAILABLE', 'Failed to connect to the service.');
    });
    const body = (await response.json().catch(() => ({}))) as ResponseBody<R>;
    const [error] = body.errors ?? [];
    if (error) {
      const { code = 'INTERNAL', details, requestId } = error.extensions ?? {};
      if (code === 'UNAUTHENTICATED') onUnauthenticated();
      throw new ApiError(code, error.message, { details, requestId });
    }
    if (!body.data)
      throw new ApiError('INTERNAL', `The service returned HTTP ${response.status} without data.`);
    return body.data;
  };
}
