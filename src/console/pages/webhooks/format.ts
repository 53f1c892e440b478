const seconds = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** `35 ms`, `1.2 s`. */
export const duration = (ms: number): string => (ms < 1_000 ? `${ms} ms` : `${seconds.format(ms / 1_000)} s`);
