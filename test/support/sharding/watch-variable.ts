/** What the processes of one test file need to watch their commands. */
export interface Watch {
  /** File that they append violations to. */
  report: string;
  /** Entries of the shard keys: a process that loads them from the source would load all models for them. */
  keys: [collection: string, fields: string[]][];
}

const VARIABLE = 'SHARD_KEY_WATCH';

/** Returns the watch of this process; null outside of tests. */
export function readWatch(): Watch | null {
  const text = process.env[VARIABLE];
  return text ? JSON.parse(text) : null;
}

/** Sets the watch of this process. */
export function setWatch(watch: Watch): void {
  Object.assign(process.env, watchEnvironment(watch));
}

/** Returns the environment of a process with this watch. */
export const watchEnvironment = (watch: Watch): Record<string, string> => ({
  [VARIABLE]: JSON.stringify(watch),
});
