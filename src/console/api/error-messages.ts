import { ERROR_TITLES } from './error-titles.ts';
import { ApiError, type ErrorDetail } from './graphql-client.ts';

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
  return { title: ERROR_TITLES[code] ?? message, message, details, requestId };
}

/** Returns the validation messages of an error by the path of their field. */
export const messagesByPath = (error: unknown): Partial<Record<string, string>> =>
  error instanceof ApiError
    ? Object.fromEntries(error.details.map(({ path, message }) => [path, message]))
    : {};
