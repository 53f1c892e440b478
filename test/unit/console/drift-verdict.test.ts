import { describe, expect, test } from 'vitest';
import type { DriftStatus, FeatureDrift } from '../../../src/console/pages/drift/drift-verdict.ts';
import { explain, listNames, scaleOf, verdictOf } from '../../../src/console/pages/drift/drift-verdict.ts';

const feature = (name: string, change: Partial<FeatureDrift> = {}): FeatureDrift => ({
  feature: name,
  score: 0.01,
  drifted: false,
  insufficientData: false,
  type: 'numeric',
  weight: 1,
  threshold: null,
  noise: 0.05,
  significant: false,
  rowsNeeded: 0,
  noData: false,
  missing: null,
  newCategoryShare: null,
  newCategories: null,
  vanishedCategories: null,
  ...change,
});

const detail = (rowsNeeded: number) => ({
  noise: 0.5,
  significant: false,
  rowsNeeded,
  coverage: { reference: 1, current: 1 },
});

const status = (change: Partial<DriftStatus> = {}): DriftStatus => ({
  isDrifted: false,
  driftScore: 0.01,
  threshold: 0.2,
  method: 'psi',
  lastChecked: null,
  insufficientData: false,
  components: { features: 0.01, prediction: 0, outcome: 0 },
  componentDetails: null,
  rows: { reference: 900, current: 300 },
  featureDrifts: [feature('age')],
  ...change,
});

describe('the verdict on a drift status', () => {
  test('is “no drift” only while every feature is within its threshold', () => {
    expect(verdictOf(status())).toEqual({ state: 'no drift', tolerated: [] });
    const within = status({ featureDrifts: [feature('age', { score: 1.745, threshold: 2 })] });
    expect(verdictOf(within)).toEqual({ state: 'no drift', tolerated: ['age'] });
    expect(explain(within)).toContain('age scored above the general threshold of 0.2');
  });

  test('names the features that drifted although the model did not', () => {
    const drifted = status({
      featureDrifts: [feature('age', { score: 0.3, drifted: true, significant: true }), feature('plan')],
    });
    expect(verdictOf(drifted)).toEqual({ state: 'features drifted', features: ['age'] });
    expect(explain(drifted)).toBe(
      'No drift of the model, but 1 feature drifted: age. Review the features below.',
    );
  });

  test('names a drifted feature even if a component has too few samples', () => {
    const drifted = status({
      insufficientData: true,
      componentDetails: { features: detail(0), prediction: detail(1_200), outcome: null },
      featureDrifts: [feature('age', { score: 0.9, drifted: true, significant: true })],
    });
    expect(verdictOf(drifted)).toEqual({ state: 'features drifted', features: ['age'] });
    expect(explain(drifted)).toContain(
      'A verdict needs about 1,200 more rows. Even so, 1 feature drifted: age.',
    );
  });

  test('names a feature above its threshold whose score chance alone can reach', () => {
    const unproven = status({
      featureDrifts: [feature('age', { score: 0.3, noise: 0.6, insufficientData: true })],
    });
    expect(verdictOf(unproven)).toEqual({ state: 'unproven', features: ['age'] });
    expect(explain(unproven)).toContain('age scored above the threshold, but not above the noise floor');
  });

  test('says how many more rows it needs', () => {
    const few = { insufficientData: true, featureDrifts: [feature('age', { insufficientData: true })] };
    const small = status({
      ...few,
      rows: { reference: 900, current: 12 },
      componentDetails: { features: detail(90), prediction: detail(200), outcome: null },
    });
    expect(verdictOf(small)).toEqual({ state: 'too few samples' });
    expect(explain(small)).toContain(
      'Each set needs at least 30 rows for a score. A verdict needs about 200 more rows.',
    );
    expect(explain(status(few))).toContain('The sets have too few rows for a score.');
  });

  test('lists three names and counts the others', () => {
    expect(listNames(['a', 'b', 'c'])).toBe('a, b, c');
    expect(listNames(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c and 2 more');
  });

  test('puts all bars on one scale, which ends at 1 or at a higher score', () => {
    expect(scaleOf(status())).toBe(1);
    expect(scaleOf(status({ featureDrifts: [feature('age', { score: 4.2 })] }))).toBe(4.2);
  });
});
