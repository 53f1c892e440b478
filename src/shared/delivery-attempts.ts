/** Scheduled attempts per delivery; resends are not counted (specification, "Limits"). */
export const MAX_ATTEMPTS = 5;
