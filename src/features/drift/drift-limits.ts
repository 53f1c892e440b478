/** Maximum and default `limit` of the history (specification, "Limits"). */
export const HISTORY_MAX = 200;
export const HISTORY_DEFAULT = 50;

/** Maximum number of features with settings: as many as the reference sidecar accepts features. */
export const MAX_FEATURE_SETTINGS = 400;
/** Maximum weight of a feature. */
export const MAX_WEIGHT = 1_000;
