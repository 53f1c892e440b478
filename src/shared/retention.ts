/** Longest retention time: a hundred years. */
export const MAX_RETENTION_DAYS = 36_500;
