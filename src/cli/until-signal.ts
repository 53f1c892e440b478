import { once } from 'node:events';

/** Waits for SIGINT or SIGTERM; call it before the work starts, because a signal may arrive at any time. */
export const untilSignal = (): Promise<'SIGINT' | 'SIGTERM'> =>
  Promise.race((['SIGINT', 'SIGTERM'] as const).map((signal) => once(process, signal).then(() => signal)));
