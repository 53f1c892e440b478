import { ApiError, type ErrorDetail } from './graphql-client.ts';

/** Title for each code of the error catalog and for the console's own codes. The service's message is shown below it. */
const TITLES: Record<string, string> = {
  BAD_REQUEST: 'The service could not parse the request.',
  DOCUMENT_NOT_TRUSTED: 'The service does not execute this document. Reload the page.',
  PERSISTED_QUERY_NOT_FOUND: 'The console is of another version than the service. Reload the page.',
  UNAUTHENTICATED: 'This API key is not valid or has expired.',
  FORBIDDEN: 'This API key lacks the required scope.',
  FOREIGN_ORIGIN: 'The service received another host name than the one in the address bar.',
  NOT_FOUND: 'Not found. It may have been deleted or belong to another customer.',
  METHOD_NOT_ALLOWED: 'Method not allowed.',
  CONFLICT: 'The request conflicts with the current state.',
  POSITION_GONE: 'It has been removed by retention.',
  PAYLOAD_TOO_LARGE: 'The request exceeds the maximum size of 1 MiB.',
  UNSUPPORTED_MEDIA_TYPE: 'The service accepts JSON only.',
  VALIDATION_FAILED: 'Some values are not valid.',
  RATE_LIMITED: 'Too many requests. Wait a moment and try again.',
  NOT_CONFIGURED: 'This feature is not configured on this service.',
  PROVIDER_KEY_INVALID:
    'The meeting provider rejected this API key. Create a new key there and connect again.',
  PROVIDER_UNAVAILABLE: 'The meeting provider is not responding. Try again later.',
  SERVICE_UNAVAILABLE: 'The service or one of its dependencies is unavailable. Try again in a moment.',
  INTERNAL: 'Internal error. The service log has the cause.',
};

export interface ReadableError {
  title: string;
  message: string;
  details: readonly ErrorDetail[];
  requestId: string | null;
}

export function toReadableError(error: unknown): ReadableError {
  if (!(error instanceof ApiError)) {
    return { title: 'The page failed unexpectedly.', message: String(error), details: [], requestId: null };
  }
  const { code, message, details, requestId } = error;
  return { title: TITLES[code] ?? message, message, details, requestId };
}

/** Returns the validation messages of an error by the path of their field. */
export const messagesByPath = (error: unknown): Partial<Record<string, string>> =>
  error instanceof ApiError
    ? Object.fromEntries(error.details.map(({ path, message }) => [path, message]))
    : {};
