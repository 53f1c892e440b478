/** Maximum and default `limit` of the history (specification, "Limits"). */
export const HISTORY_MAX = 200;
export const HISTORY_DEFAULT = 50;

/** Minimum number of rows in each set for a score to count (contract 9). */
export const MIN_ROWS = 30;

/** Maximum number of stages of a model in the reference sidecar, in scheduled checks and in metrics. */
export const MAX_STAGES = 50;
/** Maximum number of models in the reference sidecar, including the default model, and in scheduled checks. */
export const MAX_MODELS = 10;

/** Maximum number of features with settings. */
export const MAX_FEATURE_SETTINGS = 400;
/** Maximum weight of a feature. */
export const MAX_WEIGHT = 1_000;

/** Maximum number of muted features, over all models and stages. */
export const MAX_MUTES = 1_000;
/** Maximum number of planned changes, over all models and stages. */
export const MAX_PLANNED_CHANGES = 5_000;
/** Maximum and default number of alerts and of planned changes in a list. */
export const RESPONSE_LIST_MAX = 200;
export const RESPONSE_LIST_DEFAULT = 50;
