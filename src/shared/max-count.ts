/** Highest number that counts of a customer's documents return; a higher count stops there. */
export const MAX_COUNT = 10_000;
