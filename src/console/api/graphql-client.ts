import type { TypedDocumentString } from '../generated/graphql.ts';

/** What a request identifies itself by. */
export interface Access {
  key: string;
  /** The tenant that an admin acts for; null: the key's own, or none. */
  customerId: number | null;
}

export interface ErrorDetail {
  path: string;
  message: string;
}

/** An error of the catalogue (contract 4), as a person can read it. */
export class ApiError extends Error {
  readonly code: string;
  readonly details: readonly ErrorDetail[];
  readonly requestId: string | null;

  constructor(
    code: string,
    message: string,
    details: readonly ErrorDetail[] = [],
    requestId: string | null = null,
  ) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.details = details;
    this.requestId = requestId;
  }
}

interface Body<R> {
  data?: R | null;
  errors?: { message: string; extensions?: { code?: string; details?: ErrorDetail[]; requestId?: string } }[];
}

/** Runs an operation. @throws ApiError */
export type Call = <R, V>(
  document: TypedDocumentString<R, V>,
  ...[variables]: V extends Record<string, never> ? [] : [V]
) => Promise<R>;

/** The headers that every request carries, subscriptions too. */
export const headersOf = ({ key, customerId }: Access): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  ...(customerId === null ? {} : { 'x-customer-id': String(customerId) }),
});

/**
 * The one way to the service: the public GraphQL API.
 * @param onUnauthenticated called when the key works no more
 */
export function createCall(access: Access, onUnauthenticated: () => void): Call {
  return async <R, V>(document: TypedDocumentString<R, V>, ...[variables]: unknown[]): Promise<R> => {
    const response = await fetch('/graphql', {
      method: 'POST',
      headers: { ...headersOf(access), 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query: document.toString(), variables }),
    }).catch(() => {
      throw new ApiError('SERVICE_UNAVAILABLE', 'The service cannot be reached. Is it running?');
    });
    const body = (await response.json().catch(() => ({}))) as Body<R>;
    const [error] = body.errors ?? [];
    if (error) {
      const { code = 'INTERNAL', details, requestId } = error.extensions ?? {};
      if (code === 'UNAUTHENTICATED') onUnauthenticated();
      throw new ApiError(code, error.message, details, requestId);
    }
    if (!body.data) throw new ApiError('INTERNAL', `The service answered with status ${response.status}.`);
    return body.data;
  };
}
