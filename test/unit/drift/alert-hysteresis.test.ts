import { describe, expect, test } from 'vitest';
import { applyCheck } from '../../../src/features/drift/alerts/alert-hysteresis.ts';
import type { SubjectReading, SubjectState } from '../../../src/features/drift/alerts/drift-alert.types.ts';

/** Applies checks of one subject in order. @returns the transitions: the index of the check and the new state */
function transitionsOf(scores: (number | null)[], threshold = 0.2) {
  let states: SubjectState[] = [];
  return scores.flatMap((score, index) => {
    const reading = { feature: null, score: score ?? 0, threshold, insufficientData: score === null };
    const applied = applyCheck(states, [reading]);
    states = applied.states;
    return applied.transitions.map(({ isDrifted }) => [index, isDrifted]);
  });
}

describe('drift', () => {
  test.each<[string, (number | null)[], [number, boolean][]]>([
    ['is detected after two checks above the threshold', [0.21, 0.3], [[1, true]]],
    ['is detected once', [0.3, 0.3, 0.3, 0.3, 0.3], [[1, true]]],
    ['is not detected at the threshold', [0.2, 0.2, 0.2], []],
    ['is not detected by every other check', [0.3, 0.1, 0.3, 0.1, 0.3], []],
    [
      'is cleared after two checks below 80 %',
      [0.3, 0.3, 0.15, 0.15],
      [
        [1, true],
        [3, false],
      ],
    ],
    ['is not cleared above 80 %', [0.3, 0.3, 0.161, 0.161, 0.19], [[1, true]]],
    ['is not cleared by every other check', [0.3, 0.3, 0.1, 0.18, 0.1, 0.18], [[1, true]]],
    [
      'is detected again',
      [0.3, 0.3, 0, 0, 0.3, 0.3],
      [
        [1, true],
        [3, false],
        [5, true],
      ],
    ],
    ['is not detected without enough rows', [0.3, null, null], []],
    ['is detected by two checks with one without enough rows in between', [0.3, null, 0.3], [[2, true]]],
    ['is not cleared without enough rows', [0.3, 0.3, null, null, null], [[1, true]]],
  ])('%s', (_name, scores, expected) => {
    expect(transitionsOf(scores)).toEqual(expected);
  });
});

test('a component that was above the threshold must be known again to clear or to interrupt', () => {
  const known = { ...reading(null, 0.3), above: ['outcome' as const], unknown: [] };
  const unknown = { ...reading(null, 0), above: [], unknown: ['outcome' as const] };
  const other = { ...reading(null, 0.3), above: ['features' as const], unknown: ['outcome' as const] };
  const run = (...readings: SubjectReading[]) => {
    let states: SubjectState[] = [];
    return readings.map((next) => {
      const applied = applyCheck(states, [next]);
      states = applied.states;
      return applied.transitions[0]?.isDrifted ?? null;
    });
  };
  expect(run(known, unknown, known)).toEqual([null, null, true]);
  expect(run(known, known, unknown, unknown)).toEqual([null, true, null, null]);
  // Another component drifts meanwhile: its end is known.
  expect(run(known, other, unknown, unknown)).toEqual([null, true, null, false]);
});

test('subjects are independent, each with its own threshold', () => {
  const check = [
    { feature: null, score: 0.3, threshold: 0.2, insufficientData: false },
    { feature: 'a', score: 0.3, threshold: 0.5, insufficientData: false },
    { feature: 'b', score: 0.3, threshold: 0.1, insufficientData: false },
  ];
  const { transitions } = applyCheck(applyCheck([], check).states, check);
  expect(transitions.map(({ reading }) => reading.feature)).toEqual([null, 'b']);
});

const reading = (feature: string | null, score = 1) => ({
  feature,
  score,
  threshold: 0.2,
  insufficientData: false,
});

test('a subject that two checks lack is cleared with score 0', () => {
  let { states } = applyCheck(applyCheck([], [reading('a')]).states, [reading('a')]);
  const tooFewRows = { ...reading(null), insufficientData: true };
  for (let i = 0; i < 3; i += 1) ({ states } = applyCheck(states, [tooFewRows]));
  const first = applyCheck(states, [reading(null, 0)]);
  expect(first.transitions).toEqual([]);
  const { transitions, states: last } = applyCheck(first.states, [reading(null, 0)]);
  expect(transitions).toEqual([{ reading: reading('a', 0), isDrifted: false }]);
  expect(last).toEqual([]);
});

test('a subject that one check lacks starts its streak again', () => {
  let states: SubjectState[] = [];
  for (const check of [[reading('a')], [], [reading('a')], []]) {
    const applied = applyCheck(states, check);
    expect(applied.transitions).toEqual([]);
    ({ states } = applied);
  }
});

test('a check that names a subject twice counts once', () => {
  expect(applyCheck([], [reading('a'), reading('a')]).transitions).toEqual([]);
});

test('states are bounded, and the state of all samples is kept', () => {
  const check = [...Array.from({ length: 1_100 }, (_, index) => reading(`f${index}`)), reading(null)];
  const { states } = applyCheck([], check);
  expect(states).toHaveLength(1_000);
  const { transitions } = applyCheck(states, check);
  expect(transitions).toContainEqual({ reading: reading(null), isDrifted: true });
});

test('a feature whose component is unknown is not cleared by a check without it', () => {
  const drifted: SubjectState[] = [
    { feature: 'residual', isDrifted: true, streak: 0, threshold: 0.2 },
    { feature: 'age', isDrifted: true, streak: 0, threshold: 0.2 },
  ];
  const check = [{ ...reading(null, 0.05), above: [], unknown: ['outcome' as const] }];
  const { states } = applyCheck(drifted, check);
  const { transitions } = applyCheck(states, check);
  expect(transitions.map((transition) => transition.reading.feature)).toEqual(['age']);
});

test('drift above a threshold of 0 is cleared by scores of 0', () => {
  const scores = transitionsOf([0.1, 0.1, 0, 0], 0);
  expect(scores).toEqual([
    [1, true],
    [3, false],
  ]);
});

test('drift that was stored without its components is not cleared while one is unknown', () => {
  const drifted: SubjectState[] = [{ feature: null, isDrifted: true, streak: 0, threshold: 0.2 }];
  const check = [{ ...reading(null, 0.05), above: [], unknown: ['outcome' as const] }];
  const { states } = applyCheck(drifted, check);
  expect(applyCheck(states, check).transitions).toEqual([]);
});
