/** Scheduled attempts per delivery; resends are not counted (specification, "Limits"). */
export const MAX_ATTEMPTS = 5;

/** Status codes whose `Retry-After` postpones the next scheduled attempt (RFC 9110 section 10.2.3, RFC 6585 section 4). */
export const STATUSES_WITH_RETRY_AFTER: readonly number[] = [429, 503];

/** Time by which a renewed lease exceeds the timeout of its attempt. Milliseconds. */
export const LEASE_MARGIN_MS = 5_000;
