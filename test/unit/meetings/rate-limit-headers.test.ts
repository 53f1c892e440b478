import { describe, expect, test } from 'vitest';
import { advisedDelayMs } from '../../../src/features/meetings/provider/rate-limit-headers.ts';
import { cpuMsOf } from '../../support/cpu-time.ts';

const now = new Date('2026-11-22T10:00:00.000Z');

describe('the delay that response headers advise', () => {
  test.each<[string, Parameters<typeof advisedDelayMs>[0], number]>([
    ['no headers', {}, 0],
    ['many remaining requests', { rateLimitRemaining: '11', rateLimitReset: '60' }, 0],
    ['few remaining requests', { rateLimitRemaining: '4', rateLimitReset: '60' }, 15_000],
    ['one remaining request', { rateLimitRemaining: '1', rateLimitReset: '7' }, 7_000],
    ['no remaining request', { rateLimitRemaining: '0', rateLimitReset: '7' }, 7_000],
    ['a reset that is over', { rateLimitRemaining: '0', rateLimitReset: '0' }, 0],
    ['remaining requests without a reset', { rateLimitRemaining: '0' }, 0],
    ['a reset without remaining requests', { rateLimitReset: '60' }, 0],
    ['unusable values', { rateLimitRemaining: '-1', rateLimitReset: 'soon' }, 0],
    ['a reset after more than 15 minutes', { rateLimitRemaining: '0', rateLimitReset: '901' }, 0],
    ['the time of the day as reset', { rateLimitRemaining: '0', rateLimitReset: '1795341600' }, 0],
    ['the combined field', { rateLimit: '"default";r=2;t=30' }, 15_000],
    ['the strictest of two policies', { rateLimit: '"minute";r=50;t=30, "hour";r=0;t=90' }, 90_000],
    ['the combined field of earlier drafts', { rateLimit: 'limit=60, remaining=3, reset=30' }, 10_000],
    ['an unknown combined field', { rateLimit: 'on' }, 0],
    ['Retry-After in seconds', { retryAfter: '12' }, 12_000],
    ['Retry-After as a date', { retryAfter: 'Sun, 22 Nov 2026 10:00:30 GMT' }, 30_000],
    ['Retry-After above 15 minutes', { retryAfter: '901' }, 0],
    [
      'the longest of several',
      { retryAfter: '2', rateLimitRemaining: '0', rateLimitReset: '3', rateLimit: '"a";r=1;t=5' },
      5_000,
    ],
  ])('%s', (_what, headers, expected) => {
    expect(advisedDelayMs(headers, now)).toBe(expected);
  });

  test('is computed in linear time for a long field', async () => {
    const rateLimit = ';r '.repeat(5_000);
    expect(await cpuMsOf(() => expect(advisedDelayMs({ rateLimit }, now)).toBe(0))).toBeLessThan(1_000);
  });
});
