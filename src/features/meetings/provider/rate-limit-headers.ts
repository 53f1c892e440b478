import type { ResponseHeaders } from '../../../outbound/outbound-request.ts';
import { parseRetryAfter } from '../../../platform/retry-after.ts';

/** At this many remaining requests or fewer, they are spread over the rest of the window. */
const LOW_REMAINING = 10;
/** The longest that a sync waits for a provider. */
const MAX_DELAY_MS = 15 * 60_000;

interface Quota {
  remaining: number;
  resetMs: number;
}

function quotaOf(remaining: string | undefined, resetSeconds: string | undefined): Quota | null {
  const numbers = [remaining, resetSeconds].map((text) => /^\s*(\d{1,9})\b/.exec(text ?? '')?.[1]);
  const [left, reset] = numbers;
  return left === undefined || reset === undefined
    ? null
    : { remaining: Number(left), resetMs: Number(reset) * 1_000 };
}

const parameterOf = (text: string, name: string): string | undefined =>
  new RegExp(`(?:^|[;,\\s])${name}\\s*=\\s*(\\d+)`, 'i').exec(text)?.[1];

/**
 * Parses the combined `RateLimit` field: `"minute";r=4;t=30, "day";r=900;t=3600`, or `limit=60, remaining=4, reset=30`
 * as in earlier drafts.
 */
function combinedQuotas(field: string): (Quota | null)[] {
  const earlier = quotaOf(parameterOf(field, 'remaining'), parameterOf(field, 'reset'));
  if (earlier) return [earlier];
  return field.split(',').map((policy) => quotaOf(parameterOf(policy, 'r'), parameterOf(policy, 't')));
}

const delayOf = ({ remaining, resetMs }: Quota): number =>
  remaining > LOW_REMAINING ? 0 : Math.ceil(resetMs / Math.max(1, remaining));

/**
 * Returns the delay before the next request with the same key, as advised by `Retry-After`, by `RateLimit-Remaining` with
 * `RateLimit-Reset`, or by the combined `RateLimit` (IETF draft "RateLimit header fields for HTTP"). Returns 0 without
 * advice, and for a delay longer than a sync waits.
 */
export function advisedDelayMs(headers: ResponseHeaders, now: Date): number {
  const quotas = [
    quotaOf(headers.rateLimitRemaining, headers.rateLimitReset),
    ...combinedQuotas(headers.rateLimit ?? ''),
  ];
  const delays = quotas.map((quota) => (quota ? delayOf(quota) : 0));
  const acceptable = [parseRetryAfter(headers.retryAfter, now) ?? 0, ...delays].filter(
    (delayMs) => delayMs <= MAX_DELAY_MS,
  );
  return Math.max(0, ...acceptable);
}
