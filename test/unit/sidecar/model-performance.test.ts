import { describe, expect, test } from 'vitest';
import {
  calibrationOf,
  isProbabilistic,
  performanceOf,
} from '../../../src/sidecar/performance/model-performance.ts';
// Written by performance_cases.py.
import vectors from './performance-cases.json' with { type: 'json' };

const toRows = ({ predictions, outcomes }: { predictions: number[]; outcomes: (number | null)[] }) => ({
  predictions: Float64Array.from(predictions),
  outcomes: Float64Array.from(outcomes, (outcome) => outcome ?? Number.NaN),
});
const asIs = (prediction: number): number => prediction;

describe('measures match values that were computed independently', () => {
  test.each(vectors.cases.map((vector, index) => [index, vector] as const))('case %i', (_index, vector) => {
    const { predictions, outcomes, ...expected } = vector;
    const { rows, outcomes: known, ...measured } = performanceOf(toRows({ predictions, outcomes }), asIs);
    expect([rows, known]).toEqual([predictions.length, predictions.length]);
    for (const [name, value] of Object.entries(expected))
      expect(measured[name as keyof typeof measured], name).toBeCloseTo(value, 12);
  });

  test('the calibration is the isotonic regression of the reference, interpolated between its values', () => {
    const { at, fitted, ...reference } = vectors.calibration;
    const calibrate = calibrationOf(toRows(reference));
    for (const [index, prediction] of at.entries())
      expect(calibrate(prediction), String(prediction)).toBeCloseTo(fitted[index] ?? Number.NaN, 12);
    expect(calibrate(0.55)).toBeCloseTo(((fitted[5] ?? 0) + (fitted[6] ?? 0)) / 2, 12);
    expect(calibrate(-1)).toBe(fitted[0]);
  });
});

test('rows without an outcome count for the estimated accuracy only', () => {
  const measured = performanceOf(toRows({ predictions: [0.9, 0.2, 0.6], outcomes: [1, null, null] }), asIs);
  expect(measured).toEqual({
    rows: 3,
    outcomes: 1,
    calibrationError: expect.closeTo(0.1),
    auc: null,
    accuracy: 1,
    estimatedAccuracy: expect.closeTo((0.9 + 0.8 + 0.6) / 3),
  });
  const unknown = performanceOf(toRows({ predictions: [0.9], outcomes: [null] }), asIs);
  expect(unknown).toMatchObject({ outcomes: 0, calibrationError: null, auc: null, accuracy: null });
});

test('few outcomes of the reference calibrate nothing', () => {
  const calibrate = calibrationOf(toRows({ predictions: [0.1, 0.9], outcomes: [1, 0] }));
  expect(calibrate(0.4)).toBe(0.4);
});

test.each([
  [[0, 0.5, 1], [0, 1, null], true],
  [[1.01], [1], false],
  [[-0.1], [null], false],
  [[0.5], [2], false],
  [[0.5], [0.5], false],
])('predictions %j with outcomes %j are probabilistic: %s', (predictions, outcomes, expected) => {
  expect(isProbabilistic(toRows({ predictions, outcomes }))).toBe(expected);
});
