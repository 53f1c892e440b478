/** The service's only source of time, passed in so that tests can turn hours into moments. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** Unix time in whole seconds, as in signatures and webhook envelopes. */
export const unixSeconds = (at: Date): number => Math.floor(at.getTime() / 1000);
