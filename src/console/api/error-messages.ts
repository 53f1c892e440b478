import { ApiError } from './graphql-client.ts';

/** What each code of the catalogue means for the person in front of the screen, and what to do about it. */
const SENTENCES: Record<string, string> = {
  BAD_REQUEST: 'The service could not read the request.',
  UNAUTHENTICATED: 'The key does not work (any more). Sign in with one that does.',
  FORBIDDEN: 'This key may not do that. A key of a larger scope is needed.',
  NOT_FOUND: 'It is not there. It may have been deleted, or belongs to another customer.',
  METHOD_NOT_ALLOWED: 'The service does not do that at this address.',
  CONFLICT: 'That does not fit with what is there now.',
  PAYLOAD_TOO_LARGE: 'That is more than the service takes at a time (1 MiB).',
  UNSUPPORTED_MEDIA_TYPE: 'The service takes JSON only.',
  VALIDATION_FAILED: 'Something in it is not right.',
  RATE_LIMITED: 'Too many requests. Wait a moment and try again.',
  NOT_CONFIGURED: 'This part is not set up on this service.',
  PROVIDER_KEY_INVALID: 'The provider does not accept this key. Make a new one there and connect again.',
  PROVIDER_UNAVAILABLE: 'The meeting provider does not answer. Try again later.',
  SERVICE_UNAVAILABLE: 'A part of the service cannot be reached just now. Try again in a moment.',
  INTERNAL: 'Something went wrong in the service. Its log says what.',
};

/** An error as a title, what the service said of it, and each detail. */
export interface ReadableError {
  title: string;
  message: string;
  details: readonly { path: string; message: string }[];
  requestId: string | null;
}

export function readable(error: unknown): ReadableError {
  if (!(error instanceof ApiError)) {
    return {
      title: 'Something went wrong on this page.',
      message: String(error),
      details: [],
      requestId: null,
    };
  }
  const { code, message, details, requestId } = error;
  return { title: SENTENCES[code] ?? message, message, details, requestId };
}
