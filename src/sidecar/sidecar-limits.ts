/** What one sidecar takes. The contract leaves these open: they keep memory and documents within bounds. */

/** Bytes of a `POST /samples`; larger loads go in several. */
export const MAX_SAMPLES_BODY = 16 * 1024 * 1024;
/** Bytes of such bodies that are in memory at a time; others wait in their sockets. */
export const MAX_BODIES = 24 * 1024 * 1024;
/** Bytes of any other body. */
export const MAX_BODY = 16 * 1024;
export const MAX_ROWS = 50_000;
export const MAX_ROW_FEATURES = 200;
/** Names of features over all sets and stages. */
export const MAX_FEATURES = 400;
export const MAX_STAGES = 50;
/** Distinct strings, counted for each feature, set and stage. More of them identify rows rather than sort them. */
export const MAX_CATEGORIES = 100_000;
/** Characters of a stage, a feature's name or a category (contract 4). */
export const MAX_STRING = 500;
/** Beyond it the difference of two values would not be finite. */
export const MAX_NUMBER = 1e300;
/** Bytes of one request's samples as they are stored: one document, which MongoDB bounds at 16 MiB. */
export const MAX_BLOCK = 15 * 1024 * 1024;
