import { describe, expect, test } from 'vitest';
import { failureOf } from '../../../src/features/meetings/connection/connection-errors.ts';
import { type Continuation, ProviderError } from '../../../src/features/meetings/provider/provider.types.ts';
import { createCallRetries } from '../../../src/features/meetings/provider/provider-calls.ts';
import {
  connectionAfterFailure,
  contentExpectedSince,
  continuationDigest,
  nextScheduledSync,
  planClaimedRun,
  planNextPage,
  REPEATED_INTERRUPTIONS,
  sinceFor,
  UNBOUNDED_LISTING,
} from '../../../src/features/meetings/sync/sync-planning.ts';
import { CipherError } from '../../../src/platform/cipher.ts';

const now = new Date('2026-06-15T12:00:00.000Z');
const since = new Date('2026-03-17T12:00:00.000Z');
const after: Continuation = { type: 'next', value: 'https://provider.example/meetings?page=3' };

describe('the start of the time range of a sync', () => {
  test.each([
    {
      when: 'before the first success',
      lastSyncAt: null,
      oldestExpected: null,
      is: '2026-03-17T12:00:00.000Z',
    },
    {
      when: 'before the first success, with a missing transcript',
      lastSyncAt: null,
      oldestExpected: '2026-06-10T08:00:00.000Z',
      is: '2026-03-17T12:00:00.000Z',
    },
    {
      when: 'after a success',
      lastSyncAt: '2026-06-15T11:00:00.000Z',
      oldestExpected: null,
      is: '2026-06-14T11:00:00.000Z',
    },
    {
      when: 'after a success long ago',
      lastSyncAt: '2025-01-02T00:00:00.000Z',
      oldestExpected: null,
      is: '2025-01-01T00:00:00.000Z',
    },
    {
      when: 'with a missing transcript before the overlap',
      lastSyncAt: '2026-06-15T11:00:00.000Z',
      oldestExpected: '2026-06-10T08:00:00.000Z',
      is: '2026-06-10T07:59:59.000Z',
    },
    {
      when: 'with a missing transcript within the overlap',
      lastSyncAt: '2026-06-15T11:00:00.000Z',
      oldestExpected: '2026-06-15T08:00:00.000Z',
      is: '2026-06-14T11:00:00.000Z',
    },
  ])('$when is $is', ({ lastSyncAt, oldestExpected, is }) => {
    const found = sinceFor({
      lastSyncAt: lastSyncAt === null ? null : new Date(lastSyncAt),
      oldestExpected: oldestExpected === null ? null : new Date(oldestExpected),
      now,
    });
    expect(found.toISOString()).toBe(is);
  });

  test('expects changes for seven days', () => {
    expect(contentExpectedSince(now).toISOString()).toBe('2026-06-08T12:00:00.000Z');
  });
});

test.each([
  { schedule: null, is: null },
  { schedule: 3_600_000, is: '2026-06-15T13:00:00.000Z' },
  { schedule: '0 0 * * *', is: 'next midnight' },
])('the next sync by schedule $schedule is $is', ({ schedule, is }) => {
  const next = nextScheduledSync({ schedule, now });
  if (typeof schedule !== 'string') return expect(next?.toISOString() ?? null).toBe(is);
  const midnight = new Date(now);
  midnight.setHours(24, 0, 0, 0);
  expect(next).toEqual(midnight);
});

describe('the first step of a claimed run', () => {
  const run = { generation: 'g1', since, after: null, claims: 1 };
  const connection = { generation: 'g1' };
  test.each([
    { when: 'a new run', run, connection, is: { type: 'fetch', request: { since, after: null } } },
    {
      when: 'a run with a checkpoint',
      run: { ...run, after, claims: 2 },
      connection,
      is: { type: 'fetch', request: { since, after } },
    },
    { when: 'the fifth claim', run: { ...run, claims: 5 }, connection, is: { type: 'fetch' } },
    {
      when: 'the sixth claim without a stored page',
      run: { ...run, claims: 6 },
      connection,
      is: { type: 'fail', failure: REPEATED_INTERRUPTIONS },
    },
    { when: 'a deleted connection', run, connection: null, is: { type: 'cancel' } },
    { when: 'a replaced key', run, connection: { generation: 'g2' }, is: { type: 'cancel' } },
    {
      when: 'a replaced key after too many claims',
      run: { ...run, claims: 6 },
      connection: { generation: 'g2' },
      is: { type: 'cancel' },
    },
  ])('of $when is $is.type', ({ run, connection, is }) => {
    expect(planClaimedRun({ run, connection })).toMatchObject(is);
  });
});

describe('the step after a stored page', () => {
  const visited = new Set([continuationDigest({ type: 'cursor', value: '2' })]);
  test.each([
    { when: 'the last page', next: null, pages: 1, is: { type: 'succeed' } },
    { when: 'the last of too many pages', next: null, pages: 20_000, is: { type: 'succeed' } },
    {
      when: 'a page with a next one',
      next: after,
      pages: 1,
      is: { type: 'fetch', request: { since, after } },
    },
    {
      when: 'a page that repeats a continuation',
      next: { type: 'cursor', value: '2' } as const,
      pages: 2,
      is: { type: 'fail', failure: UNBOUNDED_LISTING },
    },
    {
      when: 'a page whose `next` equals a visited cursor',
      next: { type: 'next', value: '2' } as const,
      pages: 2,
      is: { type: 'fetch' },
    },
    { when: 'page 19,999', next: after, pages: 19_999, is: { type: 'fetch' } },
    {
      when: 'page 20,000 with a next one',
      next: after,
      pages: 20_000,
      is: { type: 'fail', failure: UNBOUNDED_LISTING },
    },
  ])('$when is $is.type', ({ next, pages, is }) => {
    expect(
      planNextPage({
        run: { since },
        page: { meetings: [], next },
        pages,
        listsOldestFirst: false,
        visited,
      }),
    ).toMatchObject(is);
  });
});

test('the end of a chosen range is requested as a whole second', () => {
  const requested = (until: string) => {
    const run = { generation: 'g', scope: 'range' as const, since, until: new Date(until), after: null };
    const step = planClaimedRun({ run: { ...run, claims: 1 }, connection: { generation: 'g' } });
    return step.type === 'fetch' && step.request.until?.toISOString();
  };
  expect(requested('2026-06-01T12:00:00.001Z')).toBe('2026-06-01T12:00:01.000Z');
  expect(requested('2026-06-01T12:00:00.000Z')).toBe('2026-06-01T12:00:00.000Z');
});

describe('failed attempts of one request', () => {
  const limited = { type: 'rate_limited', retryAfter: undefined } as const;
  const limitedFor = (seconds: number) => ({ type: 'rate_limited', retryAfter: `${seconds}` }) as const;
  const broken = { type: 'broken', retryAfter: undefined } as const;
  const brokenFor = (seconds: number) => ({ type: 'broken', retryAfter: `${seconds}` }) as const;

  /** Waits in milliseconds before the retries, and `fail` once the request fails. */
  test.each([
    {
      attempts: 'five consecutive 429s',
      failed: Array(5).fill(limited),
      decisions: [1_000, 2_000, 4_000, 8_000, 'fail'],
    },
    {
      attempts: '429s interrupted by a 500',
      failed: [...Array(4).fill(limited), broken, ...Array(5).fill(limited)],
      decisions: [1_000, 2_000, 4_000, 8_000, 1_000, 1_000, 2_000, 4_000, 8_000, 'fail'],
    },
    {
      attempts: 'six broken attempts',
      failed: Array(6).fill(broken),
      decisions: [1_000, 2_000, 4_000, 8_000, 16_000, 'fail'],
    },
    {
      attempts: 'alternating 429s and broken attempts',
      failed: Array(6).fill([limited, broken]).flat(),
      decisions: [1_000, 1_000, 1_000, 2_000, 1_000, 4_000, 1_000, 8_000, 1_000, 16_000, 1_000, 'fail'],
    },
    {
      attempts: 'a 429 with a shorter Retry-After',
      failed: [limited, limitedFor(1)],
      decisions: [1_000, 1_000],
    },
    { attempts: 'a 429 with a Retry-After of 15 minutes', failed: [limitedFor(900)], decisions: [900_000] },
    { attempts: 'a 429 with a longer Retry-After', failed: [limitedFor(901)], decisions: ['fail'] },
    { attempts: 'a 503 with a longer Retry-After', failed: [brokenFor(30)], decisions: [30_000] },
    {
      attempts: 'a 503 with a shorter Retry-After',
      failed: [broken, brokenFor(1)],
      decisions: [1_000, 2_000],
    },
  ])('$attempts: $decisions', ({ failed, decisions }) => {
    const retries = createCallRetries();
    const found = failed.map((attempt) => {
      const decision = retries.after(attempt, now);
      return decision.type === 'retry' ? decision.waitMs : decision.type;
    });
    expect(found).toEqual(decisions);
  });

  test('the failure carries the time that the provider named', () => {
    const retries = createCallRetries();
    const decision = retries.after(limitedFor(1_000), now);
    expect(decision).toEqual({ type: 'fail', retryAfter: new Date('2026-06-15T12:16:40.000Z') });
  });
});

describe('a failed run and its connection', () => {
  const nextSyncAt = new Date('2026-06-15T13:00:00.000Z');
  const later = new Date('2026-06-15T14:00:00.000Z');
  const provider = (code: ConstructorParameters<typeof ProviderError>[0], retryAfter: Date | null = null) =>
    new ProviderError(code, 'test', { retryAfter });

  test.each([
    {
      error: provider('key_invalid'),
      code: 'PROVIDER_KEY_INVALID',
      connection: { status: 'key_invalid', nextSyncAt: null },
    },
    { error: provider('rate_limited'), code: 'RATE_LIMITED', connection: { status: 'failing' } },
    {
      error: provider('rate_limited', later),
      code: 'RATE_LIMITED',
      connection: { status: 'failing', nextSyncAt: later },
    },
    { error: provider('rate_limited', now), code: 'RATE_LIMITED', connection: { status: 'failing' } },
    {
      error: provider('unavailable', later),
      code: 'PROVIDER_UNAVAILABLE',
      connection: { status: 'failing', nextSyncAt: later },
    },
    { error: provider('bad_response'), code: 'PROVIDER_UNAVAILABLE', connection: { status: 'failing' } },
    { error: provider('foreign_next'), code: 'PROVIDER_UNAVAILABLE', connection: { status: 'failing' } },
    {
      error: new CipherError('unknown_key', 'test'),
      code: 'NOT_CONFIGURED',
      connection: { status: 'failing' },
    },
  ])('a failure with code $code leaves the connection $connection', ({ error, code, connection }) => {
    const failed = failureOf(error);
    expect(failed?.failure.code).toBe(code);
    expect(failed && connectionAfterFailure(failed, { nextSyncAt })).toEqual(connection);
  });

  test('a run without a schedule stays unscheduled', () => {
    const failed = { status: 'failing', retryAfter: later } as const;
    expect(connectionAfterFailure(failed, { nextSyncAt: null })).toEqual({ status: 'failing' });
  });

  test.each([{ error: provider('cancelled') }, { error: new Error('the database is unreachable') }])(
    '$error.message does not fail the run',
    ({ error }) => {
      expect(failureOf(error)).toBeNull();
    },
  );
});
