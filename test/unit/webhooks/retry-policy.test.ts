import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { leaseTtlMs } from '../../../src/features/webhooks/delivery/lease.ts';
import { INLINE_ATTEMPTS, nextAttemptAt } from '../../../src/features/webhooks/delivery/retry-policy.ts';
import { parseRetryAfter } from '../../../src/platform/retry-after.ts';
import { MAX_ATTEMPTS } from '../../../src/shared/delivery-attempts.ts';

const MINUTE = 60_000;
const NOW = new Date('2026-01-31T09:30:00Z');
const DELAYS = [5 * MINUTE, 30 * MINUTE, 120 * MINUTE] as const;

interface Failure {
  attempt: number;
  responseStatus?: number | null;
  retryAfter?: string;
  random?: number;
}

/** Returns the delay until the next attempt in milliseconds; null when the attempts are exhausted. */
function delay({ attempt, responseStatus = 500, retryAfter, random = 0.5 }: Failure): number | null {
  const at = nextAttemptAt({ attempt, responseStatus, retryAfter }, NOW, {
    delays: DELAYS,
    random: () => random,
  });
  return at && at.getTime() - NOW.getTime();
}

describe('the delay after a failed attempt', () => {
  test.each([
    [1, 0],
    [2, 5 * MINUTE],
    [3, 30 * MINUTE],
    [4, 120 * MINUTE],
    [5, null],
    [6, null],
  ])('after attempt %i: %s ms', (attempt, expected) => {
    expect(delay({ attempt })).toBe(expected);
  });

  test('every scheduled attempt has a configured delay', () => {
    expect(MAX_ATTEMPTS - INLINE_ATTEMPTS).toBe(DELAYS.length);
  });

  test.each([
    [0, 4.5],
    [0.25, 4.75],
    [0.5, 5],
    [1, 5.5],
  ])('a random number of %f results in %f minutes instead of 5', (random, minutes) => {
    expect(delay({ attempt: 2, random })).toBe(minutes * MINUTE);
  });

  test('jitter stays within 10 % of the delay', () => {
    fc.assert(
      fc.property(fc.constantFrom(2, 3, 4), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, random) => {
        const configured = DELAYS[attempt - INLINE_ATTEMPTS] ?? 0;
        const actual = delay({ attempt, random }) ?? 0;
        expect(Math.abs(actual - configured)).toBeLessThanOrEqual(0.1 * configured);
      }),
    );
  });

  test('an inline attempt follows at once, without jitter', () => {
    expect(delay({ attempt: 1, random: 1 })).toBe(0);
  });
});

describe('Retry-After', () => {
  test.each<[string, Failure, number]>([
    ['429 stretches the delay', { attempt: 2, responseStatus: 429, retryAfter: '480', random: 0 }, 8],
    ['503 stretches the delay', { attempt: 2, responseStatus: 503, retryAfter: '480', random: 0 }, 8],
    ['other statuses do not', { attempt: 2, responseStatus: 500, retryAfter: '480' }, 5],
    ['no response does not', { attempt: 2, responseStatus: null, retryAfter: '480' }, 5],
    ['a shorter value does not shorten the delay', { attempt: 2, responseStatus: 429, retryAfter: '1' }, 5],
    ['twice the delay at most', { attempt: 2, responseStatus: 429, retryAfter: '86400', random: 0 }, 10],
    [
      'twice the last delay at most',
      { attempt: 4, responseStatus: 429, retryAfter: '86400', random: 0 },
      240,
    ],
    [
      'an HTTP date counts from now',
      { attempt: 2, responseStatus: 503, retryAfter: 'Sat, 31 Jan 2026 09:37:00 GMT', random: 0 },
      7,
    ],
    ['garbage is ignored', { attempt: 2, responseStatus: 429, retryAfter: 'soon' }, 5],
    ['an inline attempt ignores it', { attempt: 1, responseStatus: 429, retryAfter: '480' }, 0],
    ['jitter makes it later', { attempt: 2, responseStatus: 429, retryAfter: '400', random: 0.75 }, 43 / 6],
    [
      'jitter makes twice the delay later',
      { attempt: 2, responseStatus: 429, retryAfter: '600', random: 1 },
      11,
    ],
    [
      'jitter spreads what is asked beyond it',
      { attempt: 2, responseStatus: 429, retryAfter: '86400', random: 0.5 },
      10.5,
    ],
  ])('%s', (_name, failure, minutes) => {
    expect(delay(failure)).toBe(minutes * MINUTE);
  });

  test('is never answered earlier, up to twice the delay, and at most a tenth later', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(2, 3, 4),
        fc.integer({ min: 0, max: 20_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempt, seconds, random) => {
          const longest = 2 * (DELAYS[attempt - INLINE_ATTEMPTS] ?? 0);
          const actual = delay({ attempt, responseStatus: 429, retryAfter: String(seconds), random }) ?? 0;
          expect(actual).toBeGreaterThanOrEqual(Math.min(seconds * 1000, longest));
          expect(actual).toBeLessThanOrEqual(1.1 * longest);
        },
      ),
    );
  });

  test.each([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7_000],
    ['99999999999999999999', 1_000_000_000_000],
    ['Sat, 31 Jan 2026 09:31:00 GMT', 60_000],
    ['Saturday, 31-Jan-26 09:31:00 GMT', 60_000],
    ['Sat Jan 31 09:31:00 2026', 60_000],
    ['Fri, 30 Jan 2026 09:31:00 GMT', 0],
    ['', null],
    [undefined, null],
    ['1.5', null],
    ['-1', null],
    ['1e3', null],
    ['2026-01-31T09:31:00Z', null],
    ['Sat, 99 Foo 2026', null],
  ])('%j is %s ms', (header, expected) => {
    expect(parseRetryAfter(header, NOW)).toBe(expected);
  });
});

test.each([
  [1_000, 7_000],
  [5_000, 15_000],
  [12_500, 30_000],
  [60_000, 30_000],
])('the lease of attempts with a timeout of %i ms lasts %i ms', (timeoutMs, expected) => {
  expect(leaseTtlMs(timeoutMs)).toBe(expected);
});
