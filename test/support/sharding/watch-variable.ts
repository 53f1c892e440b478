import type { ShardKeys } from './shard-key-check.ts';

/** What the processes of one test file need to watch their commands. */
export interface Watch {
  /** File that they append violations to. */
  report: string;
  /** A process that loads them from the source would load all models for them. */
  keys: ShardKeys;
}

const VARIABLE = 'SHARD_KEY_WATCH';

let read: { text: string; watch: Watch } | null = null;

/** Returns the watch of this process; null outside of tests. */
export function readWatch(): Watch | null {
  const text = process.env[VARIABLE];
  if (!text) return null;
  // Each command asks.
  if (read?.text !== text) {
    const { report, keys } = JSON.parse(text);
    read = { text, watch: { report, keys: new Map(keys) } };
  }
  return read.watch;
}

/** Sets the watch of this process. */
export function setWatch(watch: Watch): void {
  Object.assign(process.env, watchEnvironment(watch));
}

/** Returns the environment of a process with this watch. */
export const watchEnvironment = ({ report, keys }: Watch): Record<string, string> => ({
  [VARIABLE]: JSON.stringify({ report, keys: [...keys] }),
});
