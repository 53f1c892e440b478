/** Runs a task once those of the same key that came before it are done; those of other keys run beside it. */
export type Serial = <T>(key: string, task: () => Promise<T>) => Promise<T>;

/** Makes a queue for each key, for as long as something is in it. */
export function createSerial(): Serial {
  const last = new Map<string, Promise<unknown>>();
  return (key, task) => {
    const run = (last.get(key) ?? Promise.resolve()).then(task, task);
    const leave = () => {
      if (last.get(key) === run) last.delete(key);
    };
    last.set(key, run);
    run.then(leave, leave);
    return run;
  };
}
