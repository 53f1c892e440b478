export const SETS = ['reference', 'current'] as const;

/** What the model was made with, and what it sees now. */
export type SampleSet = (typeof SETS)[number];

/** One scored case. A feature that is null or absent, and an outcome that is not known, are missing values. */
export interface SampleRow {
  features: Record<string, number | string | null>;
  prediction: number;
  outcome?: number | null;
}

/** The two columns that are compared beside the features; no feature may have their names. */
export const PREDICTION = 'prediction';
/** `prediction − outcome`. */
export const RESIDUAL = 'residual';

/** One feature's values in the rows of a block. A row that has neither a number nor a category misses it. */
export interface Column {
  /** `NaN` where a row has no number; null when none has. */
  numbers: Float64Array | null;
  /** The distinct strings. */
  words: string[];
  /** 0 where a row has no string, else one more than the place of its string in `words`; null when none has. */
  codes: Uint32Array | null;
}

/** Rows by columns: prediction, residual, and every feature that any of them names. */
export interface Block {
  rows: number;
  columns: Map<string, Column>;
}
