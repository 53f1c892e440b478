import { describe, expect, test } from 'vitest';
import { applyCheck } from '../../../src/features/drift/alerts/alert-hysteresis.ts';
import type { SubjectState } from '../../../src/features/drift/alerts/drift-alert.types.ts';

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

test('subjects are independent, each with its own threshold', () => {
  const check = [
    { feature: null, score: 0.3, threshold: 0.2, insufficientData: false },
    { feature: 'a', score: 0.3, threshold: 0.5, insufficientData: false },
    { feature: 'b', score: 0.3, threshold: 0.1, insufficientData: false },
  ];
  const { transitions } = applyCheck(applyCheck([], check).states, check);
  expect(transitions.map(({ reading }) => reading.feature)).toEqual([null, 'b']);
});

test('a subject that a check lacks keeps its state, and states are bounded', () => {
  const reading = (feature: string) => ({ feature, score: 1, threshold: 0.2, insufficientData: false });
  let { states } = applyCheck([], [reading('a')]);
  ({ states } = applyCheck(states, []));
  expect(applyCheck(states, [reading('a')]).transitions).toHaveLength(1);
  for (let i = 0; i < 1_100; i += 1) ({ states } = applyCheck(states, [reading(`f${i}`)]));
  expect(states).toHaveLength(1_000);
  expect(states.at(-1)?.feature).toBe('f1099');
});
