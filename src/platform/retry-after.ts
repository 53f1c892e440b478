/** Upper bound, so that the result added to the current time is a valid date. */
const MAX_SECONDS = 1_000_000_000;

/**
 * Parses a `Retry-After` header (RFC 9110 section 10.2.3): seconds, or an HTTP date in any of its three formats.
 * @returns milliseconds from now, 0 for a date in the past; null if the header is absent or invalid
 */
export function parseRetryAfter(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text), MAX_SECONDS) * 1000;
  // `Date.parse` accepts nearly any text, even `1.5`; an HTTP date starts with the day of the week.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return null;
  // All formats are in GMT, but the asctime format does not state it.
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}
