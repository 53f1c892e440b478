import { z } from 'zod';

/** Description of the valid values, without its full stop. */
export const DATE_TIME =
  'Must be an ISO 8601 date, or date and time with an offset, such as 2026-01-31T09:30:00Z';

/** The seconds and the colon of the offset are optional. A query string that does not encode a `+` turns it into a space. */
const PARTS = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d)(\.\d+)?)?(Z|([+ -]\d\d):?(\d\d))?)?$/i;

/** Rejects impossible times, such as `2026-02-30`. */
const rfc3339 = z.iso.datetime({ offset: true });

interface Leniency {
  /**
   * For times of other systems: a time without an offset is UTC, and the second 60, a leap second, is the first one of the
   * next minute.
   */
  isLenient?: boolean;
}

/**
 * Returns the time that a text names: a date (midnight UTC), or a date and time with an offset. Null for any other value,
 * and for a time outside of the years 0 to 9999 in UTC, which would need more digits in a response.
 */
export function parseDateTime(value: unknown, { isLenient = false }: Leniency = {}): Date | null {
  const parts = typeof value === 'string' ? PARTS.exec(value) : null;
  if (!parts) return null;
  const [, date, time, second = '00', fraction = '', zone, hours, minutes] = parts;
  if (time && !zone && !isLenient) return null;
  const isLeapSecond = isLenient && second === '60';
  const offset = hours ? `${hours.replace(' ', '+')}:${minutes}` : 'Z';
  const text = `${date}T${time ?? '00:00'}:${isLeapSecond ? '59' : second}${fraction}${offset}`;
  if (!rfc3339.safeParse(text).success) return null;
  const at = new Date(Date.parse(text) + (isLeapSecond ? 1_000 : 0));
  return at.getUTCFullYear() >= 0 && at.getUTCFullYear() <= 9_999 ? at : null;
}

/** Validates a time with `parseDateTime`; the output is its `Date`. */
export const dateTime = (leniency?: Leniency) =>
  z.string().transform((text, context) => {
    const at = parseDateTime(text, leniency);
    if (at) return at;
    context.addIssue(`${DATE_TIME}.`);
    return z.NEVER;
  });
