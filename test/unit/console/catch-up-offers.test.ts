import { expect, test } from 'vitest';
import {
  catchUpOffers,
  type NewestDeliveries,
} from '../../../src/console/pages/webhooks/endpoints/catch-up-offers.ts';

const NOW_MS = Date.parse('2026-11-20T12:00:00Z');
const MINUTE_MS = 60_000;

const before = (minutes: number): string => new Date(NOW_MS - minutes * MINUTE_MS).toISOString();

/** A delivery that was created, and last attempted, so many minutes ago. */
const delivery = (minutes: number, fields: object = {}): NonNullable<NewestDeliveries['failed']> => ({
  ...{
    createdAt: before(minutes),
    lastAttemptAt: before(minutes),
    nextRetryAt: null,
    attempt: 1,
    error: null,
  },
  ...fields,
});
const exhausted = delivery(60, { attempt: 5, error: 'http_500' });
const gone = delivery(60, { error: 'http_410' });
const cancelled = delivery(50, { attempt: 0, lastAttemptAt: null });
const retrying = delivery(60, { attempt: 3, error: 'http_500', nextRetryAt: before(-90) });

const offers = (newest: NewestDeliveries, autoRecover = false) =>
  catchUpOffers(newest, { autoRecover, nowMs: NOW_MS });
const NOTHING = { answersAgain: false, retry: false, recover: false };

test.each<[string, NewestDeliveries]>([
  ['without deliveries', {}],
  ['while the receiver fails', { retrying, failed: exhausted, succeeded: delivery(70) }],
  [
    'when the retry is due within a minute',
    { retrying: { ...retrying, nextRetryAt: before(0) }, succeeded: delivery(1) },
  ],
  [
    'a day after the miss',
    { cancelled: delivery(25 * 60), failed: delivery(25 * 60, { error: 'http_410' }) },
  ],
  [
    'for what the receiver has refused',
    { failed: delivery(60, { error: 'http_400' }), succeeded: delivery(1) },
  ],
])('nothing is offered %s', (_, newest) => {
  expect(offers(newest)).toEqual(NOTHING);
});

test('what waits or has failed is offered once the receiver answers again', () => {
  const succeeded = delivery(1);
  expect(offers({ retrying, succeeded })).toEqual({ answersAgain: true, retry: true, recover: false });
  const recover = { answersAgain: true, retry: false, recover: true };
  expect(offers({ failed: exhausted, succeeded })).toEqual(recover);
  expect(offers({ cancelled, failed: gone, succeeded })).toEqual(recover);
  // The service recovers it.
  expect(offers({ failed: exhausted, succeeded }, true)).toEqual(NOTHING);
});

test('what a 410 has ended is offered once the endpoint is enabled, without a claim about the receiver', () => {
  const recover = { answersAgain: false, retry: false, recover: true };
  expect(offers({ failed: gone })).toEqual(recover);
  expect(offers({ cancelled, failed: gone, succeeded: delivery(70) })).toEqual(recover);
  // An older cancellation says nothing about the failure.
  const old = delivery(30 * 60, { lastAttemptAt: null });
  expect(offers({ cancelled: old, failed: gone, succeeded: delivery(70) })).toEqual(recover);
});
