import { describe, expect, test } from 'vitest';
import * as machine from '../../../src/features/webhooks/delivery/state.ts';
import {
  type AttemptResult,
  abandon,
  accept,
  CANCELLABLE,
  cancel,
  cancelUnclaimed,
  claim,
  DELIVERY_STATUSES,
  type DeliveryState,
  type DeliveryStatus,
  discard,
  HASTENABLE,
  HELD,
  hasNextAttempt,
  hasten,
  hold,
  isExhausted,
  isGone,
  isInterrupted,
  matches,
  RECOVERABLE,
  recover,
  release,
  resend,
  type SettleOutcome,
  settle,
  UNSTARTED,
  unhold,
  withoutRetry,
} from '../../../src/features/webhooks/delivery/state.ts';

const MINUTE = 60_000;
const NOW = new Date('2026-01-31T09:30:00Z');
const DUE = new Date('2026-01-31T09:29:59Z');
/** Due time of the scheduled attempt that a resend interrupts. */
const LATER = new Date('2026-01-31T10:00:00Z');
const after = (minutes: number) => new Date(NOW.getTime() + minutes * MINUTE);
/** Delays of 5, 30 and 120 minutes; a random number of 0.5 is no jitter. */
const POLICY = { delays: [5 * MINUTE, 30 * MINUTE, 120 * MINUTE], random: () => 0.5 } as const;

const attempted = (result: Partial<AttemptResult>): AttemptResult => ({
  at: NOW,
  responseStatus: 200,
  responseBody: null,
  error: null,
  durationMs: 5,
  retryAfter: undefined,
  ...result,
});

/** Every event in the life of a stored delivery, and the transition that handles it. */
const EVENTS = {
  claim,
  settleSuccess: (state: DeliveryState) => settle(state, attempted({}), { now: NOW, policy: POLICY }),
  settleFailure: (state: DeliveryState) =>
    settle(state, attempted({ responseStatus: 500, error: 'http_500' }), { now: NOW, policy: POLICY }),
  settleGone: (state: DeliveryState) =>
    settle(state, attempted({ responseStatus: 410, error: 'http_410' }), { now: NOW, policy: POLICY }),
  release,
  abandon,
  cancel,
  cancelUnclaimed,
  discard,
  resend: (state: DeliveryState) => resend(state, NOW),
  hasten,
  recover,
} as const;
type Event = keyof typeof EVENTS;

/**
 * Deliveries that the store or the dispatcher applies an event to: the store by these patterns, the dispatcher to the
 * deliveries that it has leased.
 */
const APPLIES: Record<Event, (state: DeliveryState) => boolean> = {
  // A delivery in flight is due again when its lease expires.
  claim: ({ dueAt }) => dueAt !== null,
  settleSuccess: ({ leased }) => leased,
  settleFailure: ({ leased }) => leased,
  settleGone: ({ leased }) => leased,
  release: ({ leased }) => leased,
  abandon: ({ leased }) => leased,
  cancel: ({ leased }) => leased,
  cancelUnclaimed: (state) => matches(state, CANCELLABLE),
  discard: ({ leased }) => leased,
  resend: () => true,
  hasten: (state) => matches(state, HASTENABLE),
  recover: (state) => matches(state, RECOVERABLE),
};

const SUCCEEDED = { outcome: 'succeeded' };
const FAILED = { outcome: 'failed' };
const ENDED = { outcome: 'failed', endedByReceiver: true };
const CANCELLED = { outcome: 'cancelled' };
const EXHAUSTED = { outcome: 'exhausted' };
const STAY_TERMINAL = { outcome: 'stay_terminal' };
const BEGIN_UNCOUNTED = { outcome: 'begin_uncounted' };
const RELEASED_UNCOUNTED = { outcome: 'released_uncounted' };
const HASTENED = { outcome: 'hastened' };
const CONFLICT = { outcome: 'conflict' };
const ABANDONED = { outcome: 'abandoned' };
const REQUEUED = { outcome: 'requeued', attempt: 0, lane: 'scheduled' };
const begin = (attempt: number) => ({ outcome: 'begin', attempt });
const again = (attempt: number) => ({ outcome: 'attempt_again', attempt });
const retry = (minutes: number) => ({ outcome: 'retry', at: after(minutes) });
const resume = (lane: string) => ({ outcome: 'resume', at: LATER, lane });
const released = (attempt: number) => ({ outcome: 'released', attempt });
/** A delivery that is due already keeps its place in the queue. */
const dueManual = (resumeAt: Date | null) => ({
  outcome: 'due_manual',
  resumeAt,
  dueAt: resumeAt === DUE ? DUE : NOW,
});

type Row = readonly [name: string, state: DeliveryState, outcomes: Record<Event, object | null>];

const row = (
  name: string,
  state: Pick<DeliveryState, 'status' | 'attempt' | 'lane'> & Partial<DeliveryState>,
  outcomes: Partial<Record<Event, object>>,
): Row => {
  const full: DeliveryState = { dueAt: null, leased: false, manual: null, ...state };
  const none = Object.fromEntries(Object.keys(EVENTS).map((event) => [event, null]));
  return [name, full, { ...(none as Record<Event, null>), ...outcomes }];
};

const INLINE = { lane: 'inline' } as const;
const SCHEDULED = { lane: 'scheduled' } as const;
const DUE_AND_OPEN = { cancelUnclaimed: CANCELLED };
const IN_FLIGHT = {
  abandon: ABANDONED,
  cancel: CANCELLED,
  discard: FAILED,
  resend: CONFLICT,
  settleSuccess: SUCCEEDED,
  settleGone: ENDED,
};

const ROWS: Row[] = [
  row(
    'pending, due',
    { status: 'pending', attempt: 0, ...INLINE, dueAt: DUE },
    { ...DUE_AND_OPEN, claim: begin(1), resend: dueManual(DUE) },
  ),
  row(
    'pending, attempt 1 in flight',
    { status: 'pending', attempt: 1, ...INLINE, dueAt: DUE, leased: true },
    { ...IN_FLIGHT, claim: begin(2), settleFailure: again(2), release: released(0) },
  ),
  row(
    'pending, attempt 1 abandoned',
    { status: 'pending', attempt: 1, ...INLINE, dueAt: DUE },
    { ...DUE_AND_OPEN, claim: begin(2), resend: dueManual(DUE) },
  ),
  row(
    'pending after a recovery, due',
    { status: 'pending', attempt: 0, ...SCHEDULED, dueAt: DUE },
    { ...DUE_AND_OPEN, claim: begin(1), resend: dueManual(DUE) },
  ),
  row(
    'retrying, attempt 2 in flight',
    { status: 'retrying', attempt: 2, ...INLINE, dueAt: DUE, leased: true },
    { ...IN_FLIGHT, claim: begin(3), settleFailure: retry(5), release: released(1) },
  ),
  row(
    'retrying, attempt 3 due',
    { status: 'retrying', attempt: 2, ...SCHEDULED, dueAt: DUE },
    { ...DUE_AND_OPEN, claim: begin(3), resend: dueManual(DUE), hasten: HASTENED },
  ),
  row(
    'retrying, attempt 3 in flight',
    { status: 'retrying', attempt: 3, ...SCHEDULED, dueAt: DUE, leased: true },
    { ...IN_FLIGHT, claim: begin(4), settleFailure: retry(30), release: released(2) },
  ),
  row(
    'retrying, attempt 4 in flight',
    { status: 'retrying', attempt: 4, ...SCHEDULED, dueAt: DUE, leased: true },
    { ...IN_FLIGHT, claim: begin(5), settleFailure: retry(120), release: released(3) },
  ),
  row(
    'retrying, attempt 5 in flight',
    { status: 'retrying', attempt: 5, ...SCHEDULED, dueAt: DUE, leased: true },
    { ...IN_FLIGHT, claim: EXHAUSTED, settleFailure: FAILED, release: released(4) },
  ),
  row(
    'retrying, attempt 5 abandoned',
    { status: 'retrying', attempt: 5, ...SCHEDULED, dueAt: DUE },
    { ...DUE_AND_OPEN, claim: EXHAUSTED, resend: dueManual(DUE), hasten: HASTENED },
  ),
  row(
    'pending, resend due',
    { status: 'pending', attempt: 0, ...INLINE, dueAt: DUE, manual: { resumeAt: LATER } },
    { ...DUE_AND_OPEN, claim: BEGIN_UNCOUNTED, resend: CONFLICT },
  ),
  row(
    'pending, resend in flight',
    { status: 'pending', attempt: 0, ...INLINE, dueAt: DUE, leased: true, manual: { resumeAt: LATER } },
    {
      ...IN_FLIGHT,
      claim: BEGIN_UNCOUNTED,
      settleFailure: resume('inline'),
      settleGone: resume('inline'),
      release: RELEASED_UNCOUNTED,
    },
  ),
  row(
    'retrying, resend due',
    { status: 'retrying', attempt: 2, ...INLINE, dueAt: DUE, manual: { resumeAt: LATER } },
    { ...DUE_AND_OPEN, claim: BEGIN_UNCOUNTED, resend: CONFLICT },
  ),
  row(
    'retrying, resend in flight',
    { status: 'retrying', attempt: 2, ...INLINE, dueAt: DUE, leased: true, manual: { resumeAt: LATER } },
    {
      ...IN_FLIGHT,
      claim: BEGIN_UNCOUNTED,
      settleFailure: resume('scheduled'),
      settleGone: resume('scheduled'),
      release: RELEASED_UNCOUNTED,
    },
  ),
  ...(['succeeded', 'failed', 'cancelled'] as const).flatMap((status) => {
    const recovered = status === 'succeeded' ? {} : { recover: REQUEUED };
    const resent = { status, attempt: 1, ...INLINE, dueAt: DUE, manual: { resumeAt: null } } as const;
    return [
      row(status, { status, attempt: 1, ...INLINE }, { resend: dueManual(null), ...recovered }),
      row(`${status}, resend due`, resent, {
        claim: BEGIN_UNCOUNTED,
        resend: CONFLICT,
        ...recovered,
      }),
      row(
        `${status}, resend in flight`,
        { ...resent, leased: true },
        {
          claim: BEGIN_UNCOUNTED,
          settleSuccess: SUCCEEDED,
          settleFailure: STAY_TERMINAL,
          settleGone: STAY_TERMINAL,
          release: RELEASED_UNCOUNTED,
          abandon: ABANDONED,
          cancel: STAY_TERMINAL,
          discard: STAY_TERMINAL,
          resend: CONFLICT,
        },
      ),
    ];
  }),
];

describe.each(ROWS)('a delivery that is %s', (_name, state, outcomes) => {
  test.each(Object.keys(EVENTS) as Event[])('%s', (event) => {
    const expected = outcomes[event];
    expect(APPLIES[event](state), 'the event applies to the state').toBe(expected !== null);
    if (expected !== null) expect(EVENTS[event](state)).toEqual(expected);
  });
});

describe('accept', () => {
  test.each([
    [true, true, { outcome: 'leased', attempt: 1 }],
    [true, false, { outcome: 'due' }],
    [false, true, CANCELLED],
    [false, false, CANCELLED],
  ])('with the endpoint enabled: %s, and a slot reserved: %s', (endpointEnabled, slotReserved, outcome) => {
    expect(accept({ endpointEnabled, slotReserved })).toEqual(outcome);
  });
});

test('a delivery that is unstarted is claimed for attempt 1', () => {
  const unstarted = ROWS.filter(([, state]) => matches(state, UNSTARTED));
  expect(unstarted.map(([name]) => name)).toEqual(['pending, due', 'pending after a recovery, due']);
  for (const [, , outcomes] of unstarted) expect(outcomes.claim).toEqual(begin(1));
});

test.each([
  [0, 'inline'],
  [1, 'inline'],
  [2, 'scheduled'],
  [4, 'scheduled'],
])(
  'a delivery that is held after %s attempts is no longer unstarted, and returns to the lane %s',
  (attempt, lane) => {
    const status = attempt === 0 ? 'pending' : 'retrying';
    const state = { status, attempt, lane: hold().lane, dueAt: NOW, leased: false, manual: null } as const;
    expect([matches(state, HELD), matches(state, UNSTARTED)]).toEqual([true, false]);
    expect(unhold(state)).toEqual({ outcome: 'resumed', lane });
  },
);
describe('a probe', () => {
  const probe = { attempt: 4, manual: null, isProbe: true };
  const failed = attempted({ responseStatus: 500, error: 'http_500' });
  const at = { now: NOW, policy: POLICY };

  test('begins without an attempt, which only a success counts', () => {
    expect(claim(probe)).toEqual(BEGIN_UNCOUNTED);
    expect(settle(probe, attempted({}), at)).toEqual({ outcome: 'succeeded', attempt: 5 });
    expect(settle(probe, failed, at)).toEqual({ outcome: 'stay_due' });
    expect(release(probe)).toEqual(RELEASED_UNCOUNTED);
  });

  test('of a delivery whose last attempt was interrupted exhausts it', () => {
    expect(claim({ ...probe, attempt: 5 })).toEqual({ outcome: 'exhausted' });
  });

  test('of a delivery with a resend is the resend', () => {
    const resent = { ...probe, manual: { resumeAt: LATER } };
    expect(claim(resent)).toEqual(BEGIN_UNCOUNTED);
    expect(settle(resent, attempted({}), at)).toEqual(SUCCEEDED);
    expect(settle(resent, failed, at)).toEqual({ outcome: 'resume', at: LATER, lane: 'scheduled' });
  });

  test('ends the delivery if the receiver asks for it', () => {
    const gone = attempted({ responseStatus: 410, error: 'http_410' });
    expect(settle(probe, gone, at)).toEqual(ENDED);
    expect(settle(probe, gone, { ...at, targetReplaced: true })).toEqual({ outcome: 'stay_due' });
    expect(settle(probe, { ...failed, control: 'stop' }, at)).toEqual(ENDED);
  });
});

/** Each outcome of an attempt, and the outcome if the endpoint was disabled meanwhile. */
const SETTLED: { [O in SettleOutcome['outcome']]: [Extract<SettleOutcome, { outcome: O }>, object] } = {
  succeeded: [{ outcome: 'succeeded' }, SUCCEEDED],
  failed: [{ outcome: 'failed' }, FAILED],
  stay_terminal: [{ outcome: 'stay_terminal' }, STAY_TERMINAL],
  cancelled: [{ outcome: 'cancelled' }, CANCELLED],
  attempt_again: [{ outcome: 'attempt_again', attempt: 2 }, CANCELLED],
  retry: [{ outcome: 'retry', at: LATER }, CANCELLED],
  stay_due: [{ outcome: 'stay_due' }, CANCELLED],
  resume: [{ outcome: 'resume', at: LATER, lane: 'scheduled' }, CANCELLED],
};

test.each(Object.entries(SETTLED))(
  'an attempt that ends after its endpoint was disabled has no retry: %s',
  (outcome, [settled, expected]) => {
    expect(withoutRetry(settled)).toEqual(expected);
    expect(hasNextAttempt(settled)).toBe(['attempt_again', 'retry', 'stay_due', 'resume'].includes(outcome));
  },
);

test.each([
  [410, true],
  [404, false],
  [200, false],
  [null, false],
])('the response status %s disables the endpoint: %s', (responseStatus, expected) => {
  expect(isGone({ responseStatus })).toBe(expected);
});

test('a delivery is exhausted only by the failure of its last scheduled attempt', () => {
  const options = { now: NOW, policy: POLICY };
  const failure = (more: object = {}) => attempted({ responseStatus: 500, error: 'http_500', ...more });
  const last = { attempt: 5, manual: null };
  expect(isExhausted(settle(last, failure(), options))).toBe(true);
  expect(isExhausted(settle(last, attempted({}), options))).toBe(false);
  expect(isExhausted(settle(last, failure({ control: 'stop' }), options))).toBe(false);
  expect(isExhausted(settle(last, failure({ responseStatus: 410 }), options))).toBe(false);
  expect(isExhausted(settle({ ...last, manual: { resumeAt: null } }, failure(), options))).toBe(false);
  expect(isExhausted(settle({ attempt: 4, manual: null }, failure(), options))).toBe(false);
});

test('a due delivery was interrupted in its last attempt unless a resend of it is due', () => {
  expect(isInterrupted({ attempt: 5 })).toBe(true);
  expect(isInterrupted({ attempt: 4 })).toBe(false);
  expect(isInterrupted({ attempt: 5, manual: { resumeAt: null } })).toBe(false);
});

test('a receiver disables its endpoint by the header `disable`, whatever the status', () => {
  expect(isGone({ responseStatus: 200, control: 'disable' })).toBe(true);
  expect(isGone({ responseStatus: 500, control: 'stop' })).toBe(false);
});

describe('a receiver that asks for no further attempts', () => {
  const stopped = attempted({ responseStatus: 500, error: 'http_500', control: 'stop' });
  const options = { now: NOW, policy: POLICY };

  test.each([
    ['ends the schedule', { attempt: 1, manual: null }, ENDED],
    ['ends the schedule that a resend has interrupted', { attempt: 2, manual: { resumeAt: LATER } }, ENDED],
    ['leaves a terminal delivery as it is', { attempt: 5, manual: { resumeAt: null } }, STAY_TERMINAL],
  ])('%s', (_what, delivery, outcome) => {
    expect(settle(delivery, stopped, options)).toEqual(outcome);
  });

  test('has no effect with a 2xx, and none by an address that was replaced', () => {
    const first = { attempt: 1, manual: null };
    expect(settle(first, attempted({ control: 'stop' }), options)).toEqual(SUCCEEDED);
    expect(settle(first, stopped, { ...options, targetReplaced: true })).toEqual(again(2));
    const disable = attempted({ responseStatus: 500, error: 'http_500', control: 'disable' });
    expect(settle(first, disable, options)).toEqual(ENDED);
    expect(settle(first, disable, { ...options, targetReplaced: true })).toEqual(again(2));
  });
});

describe('the tables are complete', () => {
  const COVERED = [
    ...[
      'abandon',
      'accept',
      'cancel',
      'cancelUnclaimed',
      'claim',
      'discard',
      'hasten',
      'hold',
      'recover',
      'release',
      'resend',
      'settle',
      'unhold',
    ],
    ...['withoutRetry', 'hasNextAttempt', 'isExhausted', 'isGone', 'isInterrupted', 'matches'],
  ];

  test('every exported function has rows', () => {
    const exported = Object.entries(machine)
      .filter(([, value]) => typeof value === 'function')
      .map(([name]) => name);
    expect(exported.sort()).toEqual(COVERED.sort());
  });

  test('every status has rows: idle or due, in flight, and with a resend', () => {
    const rowsOf = (status: DeliveryStatus) =>
      ROWS.map(([, state]) => state).filter((state) => state.status === status);
    for (const status of DELIVERY_STATUSES) {
      const rows = rowsOf(status);
      expect(
        rows.some(({ leased, manual }) => !leased && !manual),
        status,
      ).toBe(true);
      expect(
        rows.some(({ leased }) => leased),
        status,
      ).toBe(true);
      expect(
        rows.some(({ manual }) => manual),
        status,
      ).toBe(true);
    }
    expect(new Set(ROWS.map(([, { status }]) => status))).toEqual(new Set(DELIVERY_STATUSES));
  });
});
