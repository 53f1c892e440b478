export const SETS = ['reference', 'current'] as const;

/** Set of samples: `reference` stems from the training of the model, `current` from its use. */
export type SampleSet = (typeof SETS)[number];

/** One scored case. A null or absent feature and an unknown outcome are missing values. */
export interface SampleRow {
  features: Record<string, number | string | null>;
  prediction: number;
  outcome?: number | null;
  /** Time of the case, ISO 8601 with an offset; the time at which the row is received if absent. */
  occurredAt?: string | null;
  /** Id of the case, at most 200 characters, for the examples of an alert. */
  id?: string | null;
}

/** Column compared in addition to the features; not available as a feature name. */
export const PREDICTION = 'prediction';
/** `prediction − outcome`; compared like `PREDICTION`. */
export const RESIDUAL = 'residual';

/** Values of one feature in the rows of a block. A row with neither a number nor a string has no value. */
export interface Column {
  /** Number of each row, `NaN` for none; null if no row has a number. */
  numbers: Float64Array | null;
  /** The distinct strings. */
  words: string[];
  /** Index of each row's string in `words` plus 1, 0 for none; null if no row has a string. */
  codes: Uint32Array | null;
}

/** What rows have in addition to features, prediction and outcome; null if no row has it. */
export interface RowDetails {
  /** Milliseconds since 1970, `NaN` for a row without a time. */
  times: Float64Array | null;
  ids: (string | null)[] | null;
}

/** Predictions, outcomes and features of rows, as columns. */
export interface SampleColumns extends RowDetails {
  rows: number;
  predictions: Float64Array;
  /** NaN for an unknown outcome. */
  outcomes: Float64Array;
  features: Map<string, Column>;
}

/** Rows as columns: prediction, residual, and every feature of any row. */
export interface Block {
  rows: number;
  columns: Map<string, Column>;
}
