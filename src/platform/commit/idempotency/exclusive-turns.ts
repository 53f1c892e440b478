import { createKeyedSerial } from '../../keyed-serial.ts';

/**
 * Creates a function that runs the tasks of each key one at a time. A task that cannot begin within the time limit is
 * not executed; its caller gets the error.
 */
export function createTurns({ maxWaitMs, timeout }: { maxWaitMs: number; timeout: () => Error }) {
  const serialize = createKeyedSerial();
  return <T>(key: string, task: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      let expired = false;
      const timer = setTimeout(() => {
        expired = true;
        reject(timeout());
      }, maxWaitMs);
      void serialize(key, async () => {
        if (expired) return;
        clearTimeout(timer);
        // A task can throw before it returns a promise.
        try {
          resolve(await task());
        } catch (error) {
          reject(error);
        }
      });
    });
}
