/** Runs the tasks of one key in order, one at a time; tasks of different keys run concurrently. */
export type KeyedSerial = <T>(key: string, task: () => Promise<T>) => Promise<T>;

/** Creates a serial runner. A key uses memory only while it has tasks. */
export function createKeyedSerial(): KeyedSerial {
  const last = new Map<string, Promise<unknown>>();
  return (key, task) => {
    const run = (last.get(key) ?? Promise.resolve()).then(task, task);
    const cleanUp = () => {
      if (last.get(key) === run) last.delete(key);
    };
    last.set(key, run);
    run.then(cleanUp, cleanUp);
    return run;
  };
}
