/** Number up to which scheduled retries are counted: a list has it for each of its endpoints. */
export const MAX_SCHEDULED = 1_000;
