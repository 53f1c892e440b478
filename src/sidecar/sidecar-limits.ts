import { MAX_FEATURE_SETTINGS } from '../shared/drift-limits.ts';

// The limits of one sidecar; those of samples apply to each model separately. The contract leaves them open; they bound
// memory and document sizes.

/** Maximum body size of `POST /samples`; clients split larger loads. */
export const MAX_SAMPLES_BODY_BYTES = 16 * 1024 * 1024;
/** Maximum size of all sample bodies in memory at a time; further requests wait unread. */
export const MAX_BUFFERED_BODY_BYTES = 24 * 1024 * 1024;
/** Maximum size of any other body. */
export const MAX_BODY_BYTES = 16 * 1024;
/** Maximum body size of `PUT /drift/features`. */
export const MAX_SETTINGS_BODY_BYTES = 1024 * 1024;
export const MAX_ROWS = 50_000;
export const MAX_ROW_FEATURES = 200;
/** Distinct feature names in all sets and stages: each can have settings. */
export const MAX_FEATURES = MAX_FEATURE_SETTINGS;
/** Distinct strings, summed over features, sets and stages. A feature with more identifies rows, not categories. */
export const MAX_CATEGORIES = 100_000;
/** Maximum number of values that profiles, or a selection of rows, keep at a time, at 12 bytes each. */
export const MAX_KEPT_VALUES = 2_000_000;
/** Maximum length of a stage, a feature name or a category in characters (contract 4). */
export const MAX_STRING_LENGTH = 500;
/** Maximum length of the id of a row in characters. */
export const MAX_ID_LENGTH = 200;
/** Maximum magnitude of a number, so that the difference of two values is finite. */
export const MAX_NUMBER = 1e300;
/** Maximum stored size of one request's samples: they form one document, which MongoDB limits to 16 MiB. */
export const MAX_BLOCK_BYTES = 15 * 1024 * 1024;
