/** Time within which an event and its deliveries are inserted; then the client learns that the outcome is unknown. */
export const PUBLICATION_LIMIT_MS = 30_000;

/**
 * Age after which a crash must have left out what is not stored of an event and its deliveries: missing deliveries are
 * inserted, and deliveries without an event removed. Twice the limit, so that an insert in progress is never taken for
 * one that a crash has left out.
 */
export const SETTLED_AFTER_MS = 2 * PUBLICATION_LIMIT_MS;
