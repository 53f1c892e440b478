const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
type Signal = (typeof SIGNALS)[number];

/** Ctrl-C under `npm start` sends two signals, one from the terminal and one from npm, within this time. */
const REPEATED_WITHIN_MS = 2_000;

/**
 * Waits for SIGINT or SIGTERM; call it before the work starts, because a signal may arrive at any time. A repeated
 * signal does not interrupt the shutdown; a later one ends the process at once.
 */
export const untilSignal = (): Promise<Signal> =>
  new Promise((resolve) => {
    for (const signal of SIGNALS) {
      const receive = () => {
        resolve(signal);
        setTimeout(() => process.off(signal, receive), REPEATED_WITHIN_MS).unref();
      };
      process.on(signal, receive);
    }
  });
