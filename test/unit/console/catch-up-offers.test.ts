import { expect, test } from 'vitest';
import {
  catchUpOffers,
  type MissedDeliveries,
} from '../../../src/console/pages/webhooks/endpoints/catch-up-offers.ts';

const NOW_MS = Date.parse('2026-11-20T12:00:00Z');
const MINUTE_MS = 60_000;

const before = (minutes: number): string => new Date(NOW_MS - minutes * MINUTE_MS).toISOString();

/** A delivery that was attempted last so many minutes ago. */
const delivery = (minutes: number) => ({
  lastAttemptAt: before(minutes),
  nextRetryAt: null,
  waitingFor: null,
  error: null as string | null,
  failureReason: null,
});
const attempt = (responseStatus: number, manual = false) => ({ responseStatus, manual });
const exhausted = {
  ...delivery(60),
  error: 'http_500',
  failureReason: 'exhausted',
  attempts: [1, 2, 3, 4, 5].map(() => attempt(500)),
} as const;
const gone = {
  ...exhausted,
  error: 'http_410',
  failureReason: 'stopped_by_receiver',
  attempts: [attempt(410)],
} as const;
const stopped = { ...gone, error: 'http_400', attempts: [attempt(400)] };
const unreadable = { ...gone, error: 'payload_unreadable', failureReason: 'payload_unreadable' } as const;
const retrying = { ...delivery(60), error: 'http_500', nextRetryAt: before(-90) };
const succeeded = delivery(1);

const offers = (missed: Partial<MissedDeliveries>, autoRecover = false) =>
  catchUpOffers({ failed: [], whileDisabled: false, ...missed }, { autoRecover, nowMs: NOW_MS });
const NOTHING = { answersAgain: false, retry: false, recover: false };
const RETRY = { answersAgain: true, retry: true, recover: false };
/** An offer that claims nothing about the receiver. */
const RECOVER = { answersAgain: false, retry: false, recover: true };

test.each<[string, Partial<MissedDeliveries>]>([
  ['without deliveries', {}],
  ['while the receiver fails', { retrying, failed: [exhausted], succeeded: delivery(70) }],
  [
    'after a failed resend of a delivery that had succeeded',
    { retrying, failed: [exhausted], succeeded: { ...succeeded, error: 'http_500' } },
  ],
  ['when the retry is due within a minute', { retrying: { ...retrying, nextRetryAt: before(0) }, succeeded }],
  [
    'when the next attempt waits for the rate limit',
    { retrying: { ...retrying, waitingFor: 'rate_limit' }, succeeded },
  ],
  ['for what the receiver has refused', { failed: [stopped], succeeded }],
  [
    'for a resend of it that received a 410',
    { failed: [{ ...stopped, attempts: [attempt(400), attempt(410, true)] }] },
  ],
  ['for an unreadable payload', { failed: [unreadable], succeeded }],
])('nothing is offered %s', (_, missed) => {
  expect(offers(missed)).toEqual(NOTHING);
});

test('what waits or has failed is offered once the receiver answers again', () => {
  expect(offers({ retrying, succeeded })).toEqual(RETRY);
  const recover = { ...RECOVER, answersAgain: true };
  expect(offers({ failed: [exhausted], succeeded })).toEqual(recover);
  expect(offers({ failed: [gone], succeeded })).toEqual(recover);
  // A later refusal does not hide what was exhausted before.
  expect(offers({ failed: [stopped, unreadable, exhausted], succeeded })).toEqual(recover);
  // The service recovers it.
  expect(offers({ failed: [exhausted], succeeded }, true)).toEqual(NOTHING);
});

test('what a 410 has ended is offered once the endpoint is enabled, without a claim about the receiver', () => {
  expect(offers({ failed: [gone] })).toEqual(RECOVER);
  expect(offers({ failed: [stopped, gone], succeeded: delivery(70) })).toEqual(RECOVER);
  const resent = { ...gone, error: 'http_500', attempts: [attempt(410), attempt(500, true)] };
  expect(offers({ failed: [resent] })).toEqual(RECOVER);
});

test('what occurred while the endpoint was disabled is offered, without a claim about the receiver', () => {
  expect(offers({ whileDisabled: true })).toEqual(RECOVER);
  expect(offers({ whileDisabled: true, failed: [stopped], succeeded })).toEqual(RECOVER);
});
