import { z } from 'zod';

/** Description of the valid values, without its full stop. */
export const DATE_TIME = 'Must be an ISO 8601 date and time with an offset, such as 2026-01-31T09:30:00Z';

/**
 * Validates a time as RFC 3339 with an offset; rejects `2026-02-30` and times without an offset. `t` and `z` may be in
 * lower case (RFC 3339 section 5.6). Returns the text in upper case.
 */
export const dateTimeText = () =>
  z
    .string()
    .toUpperCase()
    .pipe(z.iso.datetime({ offset: true, error: `${DATE_TIME}.` }));

const isoDateTime = dateTimeText();

/** Returns the time that a text names; null if it is not ISO 8601 with an offset, or out of the range of `Date`. */
export function parseDateTime(text: unknown): Date | null {
  const { success, data } = isoDateTime.safeParse(text);
  const at = success ? new Date(data) : null;
  return at && !Number.isNaN(at.getTime()) ? at : null;
}
