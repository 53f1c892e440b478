/** Time limit of a shutdown, including requests and attempts in flight (contract 11). */
export const DRAIN_TIMEOUT_MS = 10_000;
