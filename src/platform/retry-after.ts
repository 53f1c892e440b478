/** More seconds than this are as good as never, and must still give a date. */
const MAX_SECONDS = 1_000_000_000;

/**
 * `Retry-After` (RFC 9110 section 10.2.3) in milliseconds from now: seconds, or an HTTP date in any of its three
 * forms; 0 for a time that is over, null when it says neither.
 */
export function parseRetryAfter(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text), MAX_SECONDS) * 1000;
  // `Date.parse` finds a date in nearly everything, `1.5` included; an HTTP date begins with the day's name.
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text)) return null;
  // All of them are in GMT, the oldest form without saying so.
  const at = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(at) ? null : Math.max(0, at - now.getTime());
}
