/** Returns a function that creates a value at its first call and returns the same value at later calls. */
export function lazy<T extends object | string>(create: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= create();
    return value;
  };
}
