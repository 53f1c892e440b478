import { describe, expect, test } from 'vitest';
import { newDelivery } from '../../../src/features/webhooks/delivery/delivery.model.ts';
import {
  type AcceptOutcome,
  type AttemptResult,
  CANCELLABLE,
  type CancelOutcome,
  type ClaimOutcome,
  type DiscardOutcome,
  HASTENABLE,
  HELD,
  hold,
  RECOVERABLE,
  type SettleOutcome,
  UNSTARTED,
  unhold,
} from '../../../src/features/webhooks/delivery/state.ts';
import {
  acceptedFields,
  cancelUpdate,
  claimUpdate,
  discardUpdate,
  dueFields,
  hastenUpdate,
  holdLeasedUpdate,
  holdUpdate,
  releaseUpdate,
  requeueUpdate,
  resendUpdate,
  settleUpdate,
  stateFilter,
  stateOf,
  unholdUpdate,
} from '../../../src/features/webhooks/delivery/state-updates.ts';
import { newObjectId } from '../../../src/platform/mongo/object-id.ts';

const NOW = new Date('2026-01-31T09:30:00Z');
const EXPIRES = new Date('2026-01-31T09:30:15Z');
const LATER = new Date('2026-01-31T10:00:00Z');
const EARLIER = new Date(NOW.getTime() - 60_000);
const LEASE = { token: 'token', expiresAt: EXPIRES };
const IDENTITY = {
  _id: newObjectId(NOW),
  customerId: 7,
  endpointId: 1,
  eventId: newObjectId(NOW),
  event: 'outcome.marked',
} as const;
const LEASED = { lease: 'token', dueAt: EXPIRES };
const RELEASED = { lease: '', manual: '' };
const TERMINAL = { ...RELEASED, dueAt: '' };

/** A row for each outcome of a transition: the outcome and what it changes. */
type Rows<O extends { outcome: string }> = {
  [Name in O['outcome']]: [outcome: Extract<O, { outcome: Name }>, expected: object];
};

const rowsOf = <O extends { outcome: string }>(rows: Rows<O>): [string, O, object][] =>
  Object.entries<[O, object]>(rows).map(([name, [outcome, expected]]) => [name, outcome, expected]);

describe('the fields of a new delivery', () => {
  const rows = rowsOf<AcceptOutcome>({
    leased: [
      { outcome: 'leased', attempt: 1 },
      { status: 'pending', attempt: 1, ...LEASED },
    ],
    due: [{ outcome: 'due' }, { status: 'pending', attempt: 0, dueAt: NOW }],
    cancelled: [{ outcome: 'cancelled' }, { status: 'cancelled', attempt: 0, finishedAt: NOW }],
  });

  test.each(rows)('%s', (_name, outcome, expected) => {
    expect(acceptedFields(outcome, NOW, LEASE)).toEqual({ lane: 'inline', ...expected });
  });
});

describe('the update of a claim', () => {
  const exhausted = { status: 'failed', nextRetryAt: null, finishedAt: NOW };
  const rows = rowsOf<ClaimOutcome>({
    begin: [
      { outcome: 'begin', attempt: 2 },
      { $set: { ...LEASED, attempt: 2, status: 'retrying', nextRetryAt: EXPIRES } },
    ],
    begin_uncounted: [{ outcome: 'begin_uncounted' }, { $set: LEASED }],
    exhausted: [{ outcome: 'exhausted' }, { $set: exhausted, $unset: TERMINAL }],
  });

  test.each(rows)('%s', (_name, outcome, expected) => {
    expect(claimUpdate(outcome, { hasError: true, now: NOW, lease: LEASE })).toEqual(expected);
  });

  test('attempt 1 leaves the status pending', () => {
    expect(
      claimUpdate({ outcome: 'begin', attempt: 1 }, { hasError: false, now: NOW, lease: LEASE }),
    ).toEqual({ $set: { ...LEASED, attempt: 1 } });
  });

  test('an exhausted delivery without an error was interrupted', () => {
    expect(claimUpdate({ outcome: 'exhausted' }, { hasError: false, now: NOW, lease: LEASE })).toEqual({
      $set: { ...exhausted, error: 'interrupted' },
      $unset: TERMINAL,
    });
  });
});

describe('the update of a result', () => {
  const result: AttemptResult = {
    at: NOW,
    responseStatus: 503,
    responseBody: 'busy',
    error: 'http_503',
    durationMs: 5,
    retryAfter: '60',
  };
  const last = { lastAttemptAt: NOW, responseStatus: 503, error: 'http_503', durationMs: 5 };
  const { retryAfter: _retryAfter, ...recorded } = result;
  const terminal = (status: string) => ({
    $set: { ...last, status, nextRetryAt: null, finishedAt: NOW },
    $unset: TERMINAL,
  });
  const rows = rowsOf<SettleOutcome>({
    succeeded: [{ outcome: 'succeeded' }, terminal('succeeded')],
    failed: [{ outcome: 'failed' }, terminal('failed')],
    cancelled: [{ outcome: 'cancelled' }, terminal('cancelled')],
    stay_due: [{ outcome: 'stay_due' }, { $set: { ...last, dueAt: NOW }, $unset: RELEASED }],
    stay_terminal: [{ outcome: 'stay_terminal' }, { $set: last, $unset: TERMINAL }],
    resume: [
      { outcome: 'resume', at: LATER, lane: 'scheduled' },
      { $set: { ...last, dueAt: LATER, lane: 'scheduled' }, $unset: RELEASED },
    ],
    attempt_again: [
      { outcome: 'attempt_again', attempt: 2 },
      { $set: { ...last, status: 'retrying', attempt: 2, nextRetryAt: EXPIRES, ...LEASED } },
    ],
    retry: [
      { outcome: 'retry', at: LATER },
      {
        $set: { ...last, status: 'retrying', nextRetryAt: LATER, dueAt: LATER, lane: 'scheduled' },
        $unset: RELEASED,
      },
    ],
  });

  test.each(rows)('%s', (_name, outcome, expected) => {
    for (const manual of [true, false])
      expect(settleUpdate(outcome, { result, manual, request: 7, now: NOW, lease: LEASE })).toEqual({
        ...expected,
        $push: { attempts: { $each: [{ ...recorded, manual, request: 7 }], $slice: -100 } },
      });
  });

  test('a delivery that its receiver has ended is marked', () => {
    const ended = { outcome: 'failed', endedByReceiver: true } as const;
    const { $set } = settleUpdate(ended, { result, manual: false, request: 7, now: NOW, lease: LEASE });
    expect($set).toEqual({ ...terminal('failed').$set, endedByReceiver: true });
  });

  test.each([
    ['a failed probe keeps its place', { outcome: 'stay_due' }, { dueAt: EARLIER }, RELEASED],
    [
      'a probe that succeeds counts',
      { outcome: 'succeeded', attempt: 3 },
      { status: 'succeeded', attempt: 3, nextRetryAt: null, finishedAt: NOW },
      TERMINAL,
    ],
  ] as const)('%s', (_name, outcome, set, $unset) => {
    const probe = { result, manual: false, probedDueAt: EARLIER, request: 7, now: NOW, lease: LEASE };
    expect(settleUpdate(outcome, probe)).toEqual({
      $set: { ...last, ...set },
      $unset,
      $push: { attempts: { $each: [{ ...recorded, manual: false, probe: true, request: 7 }], $slice: -100 } },
    });
  });
});

test.each([
  [{ outcome: 'released', attempt: 0 }, { attempt: 0 }],
  [
    { outcome: 'released', attempt: 2 },
    { attempt: 2, nextRetryAt: NOW },
  ],
  [{ outcome: 'released_uncounted' }, {}],
  [{ outcome: 'abandoned' }, {}],
] as const)('the update of a release: %j', (outcome, expected) => {
  expect(releaseUpdate(outcome, NOW)).toEqual({ $set: { dueAt: NOW, ...expected }, $unset: { lease: '' } });
});

test.each(
  rowsOf<CancelOutcome>({
    cancelled: [
      { outcome: 'cancelled' },
      { $set: { status: 'cancelled', nextRetryAt: null, finishedAt: NOW }, $unset: TERMINAL },
    ],
    stay_terminal: [{ outcome: 'stay_terminal' }, { $unset: TERMINAL }],
  }),
)('the update of a cancellation: %s', (_name, outcome, expected) => {
  expect(cancelUpdate(outcome, NOW)).toEqual(expected);
});

test.each(
  rowsOf<DiscardOutcome>({
    failed: [
      { outcome: 'failed' },
      {
        $set: {
          status: 'failed',
          error: 'payload_unreadable',
          responseStatus: null,
          nextRetryAt: null,
          finishedAt: NOW,
        },
        $unset: TERMINAL,
      },
    ],
    stay_terminal: [{ outcome: 'stay_terminal' }, { $unset: TERMINAL }],
  }),
)('the update of an unreadable delivery: %s', (_name, outcome, expected) => {
  expect(discardUpdate(outcome, NOW)).toEqual(expected);
});

test.each([
  ['by this process', LEASE, LEASED],
  ['by any process', null, { dueAt: NOW }],
] as const)('the update of a resend that starts %s', (_name, lease, expected) => {
  expect(resendUpdate({ outcome: 'due_manual', resumeAt: LATER, dueAt: NOW }, lease)).toEqual({
    $set: { manual: { resumeAt: LATER }, lane: 'inline', ...expected },
    ...(lease === null && { $unset: { lease: '' } }),
  });
});

test('a retry that is made due is due now, for clients as well', () => {
  expect(hastenUpdate({ outcome: 'hastened' }, NOW)).toEqual({ $set: { dueAt: NOW, nextRetryAt: NOW } });
});

test('a delivery that is held back leaves its queue, in its place and without a lease', () => {
  const held = { lane: 'held' };
  expect(holdUpdate(hold())).toEqual({ $set: held, $unset: { lease: '' } });
  const released = { outcome: 'released', attempt: 0 } as const;
  expect(holdLeasedUpdate(hold(), released, NOW)).toEqual({
    $set: { ...held, attempt: 0, dueAt: NOW },
    $unset: { lease: '' },
  });
});

test.each([
  [0, 'inline'],
  [1, 'inline'],
  [2, 'scheduled'],
  [4, 'scheduled'],
])('a held delivery with %s attempts returns to the queue %s', (attempt, lane) => {
  expect(unholdUpdate(unhold({ attempt }))).toEqual({ $set: { lane }, $unset: { lease: '' } });
});

test('a recovered delivery is pending with no attempts, due now and no longer finished', () => {
  expect(requeueUpdate({ outcome: 'requeued', attempt: 0, lane: 'scheduled' }, NOW)).toEqual({
    $set: { status: 'pending', attempt: 0, nextRetryAt: null, lane: 'scheduled', dueAt: NOW },
    $unset: { finishedAt: '', endedByReceiver: '', ...RELEASED },
  });
});

test.each([
  [
    UNSTARTED,
    {
      status: { $in: ['pending'] },
      attempt: 0,
      lease: { $exists: false },
      manual: { $exists: false },
      lane: { $ne: 'held' },
    },
  ],
  [CANCELLABLE, { status: { $in: ['pending', 'retrying'] }, lease: { $exists: false } }],
  [HELD, { status: { $in: ['pending', 'retrying'] }, lane: 'held' }],
  [RECOVERABLE, { status: { $in: ['failed', 'cancelled'] }, lease: { $exists: false } }],
  [HASTENABLE, { status: { $in: ['retrying'] }, lease: { $exists: false }, manual: { $exists: false } }],
])('the filter of %j', (pattern, expected) => {
  expect(stateFilter(pattern)).toEqual(expected);
});

test('an expired lease is none', () => {
  const due = newDelivery(IDENTITY, dueFields(NOW), EARLIER);
  const leased = (dueAt: Date) => stateOf({ ...due, lease: 'token', dueAt }, NOW).leased;
  expect([leased(NOW), leased(EXPIRES), stateOf(due, NOW).leased]).toEqual([false, true, false]);
  expect(stateFilter(CANCELLABLE, NOW)).toEqual({
    status: { $in: ['pending', 'retrying'] },
    $or: [{ lease: { $exists: false } }, { dueAt: { $lte: NOW } }],
  });
});
