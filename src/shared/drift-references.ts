/** Rows that a drift check compares the current ones with. */
export const DRIFT_REFERENCES = ['fixed', 'trailing', 'seasonal'] as const;

export type DriftReference = (typeof DRIFT_REFERENCES)[number];
