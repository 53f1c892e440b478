import type { SampleRow } from '../../sidecar/samples/samples.types.ts';

/** Rows per set in the first request: too few for a score to count (contract 9). */
export const FIRST_ROWS = 10;
/** Rows per set in total: enough for every score to exceed its noise floor. */
export const ROWS = 400;

const NUMERIC = 'conformance_visits';
const CATEGORICAL = 'conformance_source';

const rows = (row: (index: number) => SampleRow): SampleRow[] =>
  Array.from({ length: ROWS }, (_, index) => row(index));

/** Samples of both sets, with missing values of a feature and of the outcome. */
export const KNOWN_SAMPLES = {
  reference: rows((index) => ({
    features: {
      [NUMERIC]: index % 20 === 19 ? null : index,
      [CATEGORICAL]: index % 2 ? 'mail' : 'ads',
    },
    prediction: index / ROWS,
    outcome: index % 2,
  })),
  current: rows((index) => ({
    features: {
      [NUMERIC]: index % 5 === 4 ? null : index + 32.5,
      [CATEGORICAL]: index % 4 ? 'ads' : 'mail',
    },
    prediction: (index * index) / (ROWS * ROWS),
    outcome: index % 8 === 7 ? null : index % 3 === 0 ? 1 : index % 2,
  })),
};

/** PSI of each feature of the samples, computed by test/unit/sidecar/known_scores.py, which shares no code with the sidecar. */
export const KNOWN_SCORES: Readonly<Record<string, number>> = {
  [NUMERIC]: 0.38473897397124945,
  [CATEGORICAL]: 0.27465307216702745,
  prediction: 0.3839119831129778,
  residual: 1.2682012754561667,
};

export const KNOWN_FEATURE = NUMERIC;
