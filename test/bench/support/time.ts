/** Milliseconds on a clock that all processes of this machine share, so that moments of two of them compare. */
export const sharedNow = (): number => Number(process.hrtime.bigint()) / 1e6;
