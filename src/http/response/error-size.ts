import type { ErrorDetail } from '../../errors/app-error.ts';

/** Maximum size of an error response in bytes (contract 4). */
const MAX_ERROR_BYTES = 64_000;
/** Reserved for the members around the errors. */
const ENVELOPE_BYTES = 1_000;
const MAX_MESSAGE_CHARACTERS = 1_000;
const MAX_DETAILS_BYTES = 32_000;

/** Truncates a message, which may quote the request. */
export const boundedMessage = (message: string): string => message.slice(0, MAX_MESSAGE_CHARACTERS);

/** Omits the last details if their JSON is too long. */
export const boundedDetails = (details: ErrorDetail[] | undefined): ErrorDetail[] | undefined =>
  details && fitting(details, MAX_DETAILS_BYTES);

/** Omits the last errors of a response if their JSON is too long. */
export const boundedErrors = <T>(errors: readonly T[]): T[] =>
  fitting(errors, MAX_ERROR_BYTES - ENVELOPE_BYTES);

function fitting<T>(items: readonly T[], maxBytes: number): T[] {
  let bytes = 0;
  const end = items.findIndex((item) => {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    return bytes > maxBytes;
  });
  return end < 0 ? [...items] : items.slice(0, end);
}
