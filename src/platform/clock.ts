/** Time source of the service, injected so that tests can advance time. */
export interface Clock {
  now(): Date;
}

/** Tolerated difference between the clocks of a client and of the service, in milliseconds. */
export const CLOCK_SKEW_MS = 60_000;

export const systemClock: Clock = { now: () => new Date() };

/** Unix time in whole seconds, as in signatures and webhook envelopes. */
export const unixSeconds = (at: Date): number => Math.floor(at.getTime() / 1000);
