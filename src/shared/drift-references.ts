/** What a drift check compares the current rows with. */
export const DRIFT_REFERENCES = ['fixed', 'trailing', 'seasonal'] as const;

export type DriftReference = (typeof DRIFT_REFERENCES)[number];
